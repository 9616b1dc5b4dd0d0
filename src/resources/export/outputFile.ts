import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, rm } from "node:fs/promises";
import { temporaryPathFor } from "../../service/files/temporaryFiles";
import type { RowPage } from "../../service/rows/rowPage";
import { packagesFolder } from "../optionalPackage";
import type { Context } from "../resource";
import type { Content, Destination } from "./destinations/destination";
import { destinationOf } from "./destinations/destinationOf";
import { formats } from "./formats/formats";
import type { WrittenAs } from "./formats/writeFormat";
import { isAsRead, writeFormat } from "./formats/writeFormat";
import type { DataExportArgs, DataExportState } from "./model";
import { mayComeOnce, pendingMark, pendingPipe, pendingRun } from "./model";
import { countsUp, namesFor, rejectedName, withLotNo } from "./outputPath";

/** What is known of a file that was written. */
export type WrittenFile = Pick<DataExportState, "file" | "rowCount" | "bytes" | "sha256" | "etag">;

type NamedFile = Pick<WrittenFile, "file" | "etag">;

/** The files that exports of this process are writing. All exports of one command run in one process, and each needs a name of its own. */
const claimed = new Set<string>();

/**
 * The file of an export. It first claims a name, then gets the rows, one on each line. They are in a temporary file, which gets its name from the
 * destination when it is complete.
 */
export class OutputFile {
  /** The path relative to the program's folder, with all placeholders replaced. */
  name = "";
  /** The file with the rows, until it gets its final name. */
  temporaryPath = "";
  /** Rows that were written. */
  rowCount = 0;
  /** Whether all rows were read. */
  isRead = false;
  /** The finished file, open to read, if a command gets it. Valid after `finish`. */
  content: FileHandle | undefined;
  private readonly names: Iterator<string>;
  private readonly hasManyNames: boolean;
  /** Whether this export can have written an existing file of this name: the path allows one name, or the last export used this one. */
  private mayBeOwn = true;
  /** The existing file of this name that can be replaced. */
  private replaces: WrittenFile | undefined;
  private claim: string | undefined;
  /** Absent before `open` and after `finish`. */
  private handle: FileHandle | undefined;
  private readonly hash = createHash("sha256");
  /** Length of the rows that were written. */
  bytes = 0;
  /** The write of the last page. */
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly args: DataExportArgs,
    private readonly destination: Destination,
    /** Where optional packages are. */
    private readonly folder: string,
    /** Whether rows that are read can get lost. */
    private readonly comesOnce: boolean,
  ) {
    this.names = namesFor(args.path, args.lotNo);
    this.hasManyNames = countsUp(args.path);
  }

  /**
   * Claims the name. End it with `release`.
   * @param before the state of the last export, whose file can be replaced or used again
   * @throws ResourceError if the name is taken and rows that are read could get lost
   */
  static async claim(args: DataExportArgs, before: DataExportState | undefined, context: Context): Promise<OutputFile> {
    const destination = await destinationOf(args.path, context);
    const file = new OutputFile(args, destination, packagesFolder(context), mayComeOnce(args, context.settings));
    try {
      await file.claimName(before);
      return file;
    } catch (error) {
      file.release();
      throw await file.cannotBeWritten(error, notRead);
    }
  }

  /** Each temporary file begins with this path. */
  get workPath(): string {
    return this.destination.workPath(this.name);
  }

  /** The folder for rows that a later export to the same path must find. */
  get keptFolder(): string {
    return this.destination.keptFolder;
  }

  /** Number of rows in the file that this one replaces. */
  get rowsToReplace(): number {
    return this.replaces?.rowCount ?? 0;
  }

  /** SHA-256 of the rows that were written, in hex. Valid before the end of `finish`. */
  get digest(): string {
    return this.hash.copy().digest("hex");
  }

  /** Lets other exports use the name: the file exists now, or will not be written. */
  release(): void {
    if (this.claim !== undefined) {
      claimed.delete(this.claim);
      this.claim = undefined;
    }
  }

  /** @param temporaryPath default: a new name */
  async open(temporaryPath = temporaryPathFor(this.workPath)): Promise<void> {
    try {
      await this.destination.prepare(this.name);
      this.handle = await open(temporaryPath, "wx", this.destination.fileMode);
      this.temporaryPath = temporaryPath;
    } catch (error) {
      throw await this.cannotBeWritten(error, notRead);
    }
  }

  /** An error of the file system or of the store, for the user. Other errors stay as they are. */
  cannotBeWritten(error: unknown, soFar = ""): Promise<unknown> {
    return this.destination.failure(error, this.name, soFar);
  }

  /** Returns when the previous page is written, so that reading and writing overlap. The next call throws the error of this write. */
  async write(page: RowPage): Promise<void> {
    const lines = page.ndjson();
    this.hash.update(lines);
    this.bytes += lines.length;
    this.rowCount += page.count;
    const before = this.writing;
    this.writing = before.then(() => this.handle?.writeFile(lines));
    this.writing.catch(() => undefined);
    await before;
  }

  /** When it returns, a power cut does not lose the rows. */
  async flush(): Promise<void> {
    await this.writing;
    await this.handle?.sync();
  }

  /** Writes the format and gives the file its name. After a failure, the temporary file still has the rows. */
  finish(): Promise<WrittenFile> {
    return this.inFormat(this.args, async (path, digest) => {
      // The destination can move the file away, and the command of pipe gets what was written.
      this.content = this.args.pipe === undefined ? undefined : await open(path);
      try {
        return await this.putInPlace(path, digest);
      } catch (error) {
        await this.content?.close();
        throw error;
      }
    });
  }

  /**
   * The same for rows that did not pass their checks, in a file of another name. An existing file is never overwritten. Rows for Parquet are written one
   * on each line: they may not fit their columns, and people look at them.
   */
  reject(): Promise<WrittenFile> {
    const args = formats[this.args.format ?? "ndjson"].compressesItself === true ? {} : this.args;
    return this.inFormat(args, (path, digest) => this.putBeside(path, digest));
  }

  /** @param put gives the file its name */
  private async inFormat(
    args: WrittenAs,
    put: (path: string, content: Content) => Promise<NamedFile>,
  ): Promise<WrittenFile> {
    await (this.comesOnce || isAsRead(args) ? this.flush() : this.writing);
    await this.handle?.close();
    this.isRead = true;
    // The rows can be refused while their format is written. Then they are written again.
    this.handle = undefined;
    const { rowCount } = this;
    if (isAsRead(args)) {
      const digest = { bytes: this.bytes, sha256: this.digest };
      return { ...digest, rowCount, ...(await put(this.temporaryPath, digest)) };
    }
    const rewritten = temporaryPathFor(this.workPath);
    try {
      const digest = await writeFormat(args, this.temporaryPath, rewritten, this.folder);
      const named = await put(rewritten, digest);
      await rm(this.temporaryPath, { force: true });
      return { ...digest, rowCount, ...named };
    } catch (error) {
      await rm(rewritten, { force: true });
      throw error;
    }
  }

  /** Removes the temporary file. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.temporaryPath, { force: true });
  }

  /** Keeps the temporary file. */
  async close(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.handle?.close().catch(() => undefined);
  }

  private async claimName(before: DataExportState | undefined): Promise<void> {
    const { args, destination, hasManyNames, comesOnce } = this;
    const again = await fileToUseAgain(args, before, destination);
    if (again === undefined || !this.take(again)) {
      await this.takeNextName();
    }
    if (before !== undefined && !(hasManyNames && comesOnce) && (await this.isReplaceable(before))) {
      this.replaces = before;
    } else if (!hasManyNames && (await destination.exists(this.name))) {
      // Rows that can be read again are read first: an existing file can contain them.
      if (comesOnce || (await destination.isFolder(this.name))) {
        throw await destination.nameIsTaken(this.name);
      }
    }
  }

  /** Claims a name. Returns false if another export of this process has it. */
  private take(name: string): boolean {
    const path = this.destination.locate(name);
    if (claimed.has(path)) {
      return false;
    }
    claimed.add(path);
    this.claim = path;
    this.name = name;
    return true;
  }

  /** Claims the next free name. Returns false if the path allows no more names. */
  private async takeNextName(): Promise<boolean> {
    this.release();
    this.mayBeOwn = !this.hasManyNames;
    for (let next = this.names.next(); !next.done; next = this.names.next()) {
      if (!this.hasManyNames) {
        this.name = next.value;
        return true;
      }
      // Claimed before the destination is checked, because other exports check at the same time.
      if (this.take(next.value)) {
        if (!(await this.destination.exists(this.name))) {
          return true;
        }
        this.release();
      }
    }
    return false;
  }

  /** An export can replace its own file, unless the rows in it may be marked: no other file contains them. */
  private async isReplaceable(before: DataExportState): Promise<boolean> {
    if (before.file !== this.name) {
      return false;
    }
    const mayBeMarked = before.marked === true || before.pending?.includes(pendingMark.outcomeUnknown) === true;
    return !(mayBeMarked && before.rowCount !== 0) && (await this.destination.compare(this.name, before)) === "same";
  }

  /**
   * An existing file of this name can be the export's own with the same rows: the export was killed before the state was saved, or its mark
   * was refused. Otherwise another program has taken the name, and the next name of the path is tried.
   */
  private async putInPlace(from: string, content: Content): Promise<NamedFile> {
    for (;;) {
      const { destination, name, replaces, mayBeOwn: orSame } = this;
      const placed = await destination.place(from, name, content, { replaces, orSame });
      if (placed !== undefined) {
        await rm(from, { force: true });
        return { ...placed, file: name };
      }
      this.replaces = undefined;
      if (!(await this.takeNextName())) {
        throw await destination.nameIsTaken(name);
      }
    }
  }

  /** Rows that were rejected before and are the same need no second file. */
  private async putBeside(from: string, content: Content): Promise<NamedFile> {
    for (let nth = 1; ; nth++) {
      const file = rejectedName(this.name, nth, this.args.format);
      const placed = await this.destination.place(from, file, content, { orSame: true });
      if (placed !== undefined) {
        await rm(from, { force: true });
        return { ...placed, file };
      }
    }
  }
}

const notRead = "No rows were read. ";

/**
 * After a refused mark, or a command that failed before it, no row of the file is marked. After an export of a batch whose run was not over, the next one has the same rows and more.
 * Both use the file again; otherwise each attempt would leave one more file.
 */
async function fileToUseAgain(
  args: DataExportArgs,
  before: DataExportState | undefined,
  destination: Destination,
): Promise<string | undefined> {
  const isSamePath = before !== undefined && withLotNo(before.path, before.lotNo) === withLotNo(args.path, args.lotNo);
  const isUnmarked = [pendingMark.refused, pendingPipe].some((each) => before?.pending?.includes(each));
  if (!isSamePath || !(isUnmarked || isSameRunAgain(before, args))) {
    return undefined;
  }
  return (await destination.compare(before.file, before)) === "same" ? before.file : undefined;
}

function isSameRunAgain(before: DataExportState, { taskId, lotNo }: DataExportArgs): boolean {
  return before.pending?.includes(pendingRun) === true && before.taskId === taskId && before.lotNo === lotNo;
}
