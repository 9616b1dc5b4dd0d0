import { createHash, randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../service/files/syncFolder";
import type { RowPage } from "../../service/rows/rowPage";
import { messageOf, ResourceError } from "../resource";
import type { ExportFormat } from "./exportFormat";
import { rewrite } from "./exportFormat";
import type { ExportName } from "./exportName";
import { digestOfContent, exists, inTheWayOf, isFolder, stateOfFile } from "./exportPlace";

/** A file that was written whole. */
export interface WrittenFile {
  bytes: number;
  /** SHA-256 of the content, in hex. */
  sha256: string;
  rowCount: number;
}

/**
 * Rows on their way into a file. They are written beside it under another name, one row a line, and the file appears under its own
 * name only when it is whole and on the disk.
 */
export class ExportFile {
  private readonly hash = createHash("sha256");
  private bytes = 0;
  private rowCount = 0;
  /** The last page on its way into the file. */
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly name: ExportName,
    /** Where the rows are while the export is under way, one a line. */
    readonly partPath: string,
    private readonly handle: FileHandle,
  ) {}

  /** @param part where the rows are until the file is whole, but for what makes its name its own. Default: beside it. */
  static async open(name: ExportName, part = name.path): Promise<ExportFile> {
    const partPath = `${part}.${randomBytes(4).toString("hex")}${partEnding}`;
    try {
      await mkdir(dirname(name.path), { recursive: true });
      return new ExportFile(name, partPath, await open(partPath, "wx"));
    } catch (error) {
      throw await cannotBeWritten(name.path, error);
    }
  }

  get rows(): number {
    return this.rowCount;
  }

  /** Returns when the page before this one is written, so that one is read while another is written; what fails is said by the next call. */
  async write(page: RowPage): Promise<void> {
    const lines = page.ndjson();
    this.hash.update(lines);
    this.bytes += lines.length;
    this.rowCount += page.count;
    const before = this.writing;
    this.writing = before.then(() => this.handle.writeFile(lines));
    this.writing.catch(() => undefined);
    await before;
  }

  /** Until this returns, a power cut may lose what was written. */
  async flush(): Promise<void> {
    await this.writing;
    await this.handle.sync();
  }

  /** Gives the file its name. `mayReplace` says whether a file that has this name already may go. */
  async finish(format: ExportFormat, mayReplace: boolean): Promise<WrittenFile> {
    await this.flush();
    await this.handle.close();
    if (format === "ndjson") {
      const sha256 = this.hash.digest("hex");
      await this.putInPlace(this.partPath, sha256, mayReplace);
      return { bytes: this.bytes, sha256, rowCount: this.rowCount };
    }
    const rewritten = `${this.partPath}.${format}`;
    try {
      await rewrite(this.partPath, rewritten, format);
      const digest = await digestOfContent(rewritten);
      await this.putInPlace(rewritten, digest.sha256, mayReplace);
      await rm(this.partPath, { force: true });
      return { ...digest, rowCount: this.rowCount };
    } catch (error) {
      // The rows are still in the file that they were written to first.
      await rm(rewritten, { force: true });
      throw error;
    }
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.partPath, { force: true });
  }

  /** Leaves the rows where they are. */
  async close(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.handle.close().catch(() => undefined);
  }

  private async putInPlace(from: string, sha256: string, mayReplace: boolean): Promise<void> {
    if (mayReplace) {
      await rename(from, this.name.path);
    } else {
      await this.takeFreeName(from, sha256);
    }
    await syncFolder(dirname(this.name.path));
  }

  /**
   * Where a file has the name already, it may be this very export's: of a run that was killed before the state could say so, or that could not mark
   * its rows. Else somebody else has taken the name meanwhile, and the next one is as good, if the path has a next one.
   */
  private async takeFreeName(from: string, sha256: string): Promise<void> {
    while (!(await linkTo(this.name.path, from))) {
      if (this.name.mayBeOwn && (await this.isThereAlready(sha256))) {
        break;
      }
      if (!(await this.name.moveOn())) {
        throw await nameIsTaken(this.name);
      }
      await mkdir(dirname(this.name.path), { recursive: true });
    }
    await rm(from, { force: true });
  }

  private async isThereAlready(sha256: string): Promise<boolean> {
    const { path } = this.name;
    return !(await isFolder(path)) && (await stateOfFile(path, sha256)) === "same";
  }
}

/** Gives a file a name that nobody has; answers whether it was free. A link fails where the name is taken, a rename would take it over. */
async function linkTo(path: string, from: string): Promise<boolean> {
  try {
    await link(from, path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (noLinks.includes(code) && (await reserve(path))) {
      try {
        await rename(from, path);
      } catch (failure) {
        // What holds the name is empty, and would stand in the way of the next export.
        await rm(path, { force: true });
        throw failure;
      }
      return true;
    }
    if (code === "EEXIST" || noLinks.includes(code)) {
      return false;
    }
    throw error;
  }
}

/** The end of the name of a file whose export is under way, or broke off. */
export const partEnding = ".part";

/** What a file system says that has no links: some network and memory cards do. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

async function nameIsTaken({ path }: ExportName): Promise<ResourceError> {
  if (await isFolder(path)) {
    return new ResourceError(`"${path}" is a folder, so no file can have that name. Give another path.`);
  }
  return new ResourceError(
    `There is a file "${path}" already, and it is not one that this export wrote, so it was not overwritten. ` +
      `Put {n} (the next free number) or {time} into path, so that each export is a file of its own; or move the file away, or give another path.`,
  );
}

/** Takes a name with an empty file. Answers whether nobody has it. */
async function reserve(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

async function cannotBeWritten(path: string, error: unknown): Promise<ResourceError> {
  const file = await inTheWayOf(dirname(path));
  const why = file === undefined ? messageOf(error) : `"${file}" is no folder`;
  return new ResourceError(
    `The file "${path}" cannot be written, so no rows were read: ${why}. Give another path, or see to it that a file can be made there, and run the command again.`,
  );
}

/** Before anything is read. A file may turn out to hold these very rows, where they can be read to see that. */
export async function refuseTakenName(name: ExportName, alsoOfFile: boolean): Promise<void> {
  if (alsoOfFile ? await exists(name.path) : await isFolder(name.path)) {
    throw await nameIsTaken(name);
  }
}
