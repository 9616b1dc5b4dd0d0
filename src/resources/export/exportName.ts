import { resolve } from "node:path";
import { namesFor } from "./exportPath";
import { exists } from "./exportPlace";

/** The files that exports of this process are on their way to: all exports of one command run in one process, and none of them may take another's name. */
const underWay = new Set<string>();

/** The name that an export gives its file. Where its path counts up, it is nobody else's in this process while the export is under way. */
export class ExportName {
  /** The file's path as it was given, with everything filled in. */
  file = "";
  private claimed: string | undefined;

  private constructor(
    private readonly names: Iterator<string>,
    private readonly folder: string,
    /** Whether there are further names: then this one was free when it was taken. */
    readonly countsUp: boolean,
  ) {}

  static async take(path: string, lotNo: string | undefined, folder: string): Promise<ExportName> {
    const countsUp = /\{(n|time)\}/.test(path);
    const name = new ExportName(namesFor(path, lotNo), folder, countsUp);
    await name.moveOn();
    return name;
  }

  get path(): string {
    return resolve(this.folder, this.file);
  }

  /** Takes the next free name. Answers whether there is one. */
  async moveOn(): Promise<boolean> {
    this.release();
    for (let next = this.names.next(); !next.done; next = this.names.next()) {
      this.file = next.value;
      if (!this.countsUp) {
        return true;
      }
      const { path } = this;
      if (underWay.has(path)) {
        continue;
      }
      // Others look too while this one does.
      underWay.add(path);
      if (!(await exists(path))) {
        this.claimed = path;
        return true;
      }
      underWay.delete(path);
    }
    return false;
  }

  /** The file is there, or never will be. */
  release(): void {
    if (this.claimed !== undefined) {
      underWay.delete(this.claimed);
      this.claimed = undefined;
    }
  }
}
