import { resolve } from "node:path";
import { countsUp, namesFor } from "./exportPath";
import { exists } from "./exportPlace";

/** The files that exports of this process are on their way to: all exports of one command run in one process, and none of them may take another's name. */
const underWay = new Set<string>();

/** The name that an export gives its file. Where its path counts up, it is nobody else's in this process while the export is under way. */
export class ExportName {
  /** The file's path as it was given, with everything filled in. */
  file = "";
  /** Whether a file of this name may be this export's own: it's the only name, or that of its last file. */
  mayBeOwn = true;
  private claimed: string | undefined;

  private constructor(
    private readonly names: Iterator<string>,
    private readonly folder: string,
    /** Whether there are further names: then this one was free when it was taken. */
    readonly countsUp: boolean,
  ) {}

  /** @param again a file that the export has already, to be tried before any other name. */
  static async take(
    { path, lotNo }: { path: string; lotNo?: string },
    folder: string,
    again?: string,
  ): Promise<ExportName> {
    const name = new ExportName(namesFor(path, lotNo), folder, countsUp(path));
    if (again === undefined || !name.claim(again)) {
      await name.moveOn();
    }
    return name;
  }

  get path(): string {
    return resolve(this.folder, this.file);
  }

  /** Takes the next free name. Answers whether there is one. */
  async moveOn(): Promise<boolean> {
    this.release();
    this.mayBeOwn = !this.countsUp;
    for (let next = this.names.next(); !next.done; next = this.names.next()) {
      this.file = next.value;
      if (!this.countsUp) {
        return true;
      }
      // Others look too while this one does.
      if (!this.claim(next.value)) {
        continue;
      }
      if (!(await exists(this.path))) {
        return true;
      }
      this.release();
    }
    return false;
  }

  /** Keeps a name from the others of this process. Answers whether none of them has it. */
  private claim(file: string): boolean {
    const path = resolve(this.folder, file);
    if (underWay.has(path)) {
      return false;
    }
    underWay.add(path);
    this.claimed = path;
    this.file = file;
    return true;
  }

  /** The file is there, or never will be. */
  release(): void {
    if (this.claimed !== undefined) {
      underWay.delete(this.claimed);
      this.claimed = undefined;
    }
  }
}
