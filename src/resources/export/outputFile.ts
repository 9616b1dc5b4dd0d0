import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, rename, rm, truncate } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncFolder } from "../../service/files/syncFolder";
import { isTemporary, removeAbandonedFiles, temporaryPathFor } from "../../service/files/temporaryFiles";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { compareContent, digestOf, exists, fileInPlaceOf, isFolder, moveIfFree } from "./diskFile";
import { rewriteAs } from "./formats/format";
import type { DataExportArgs, DataExportState } from "./model";
import { mayComeOnce, pendingMark, pendingRun } from "./model";
import { countsUp, namesFor, rejectedName, withLotNo } from "./outputPath";

/** Rows that an earlier export has left in the temporary file. */
export interface KeptRows {
  rowCount: number;
  /** Length of these rows. */
  bytes: number;
}

/** What is known of a file that was written. */
export type WrittenFile = Pick<DataExportState, "file" | "rowCount" | "bytes" | "sha256">;

/** The files that exports of this process are writing. All exports of one command run in one process, and each needs a name of its own. */
const claimed = new Set<string>();

/**
 * The destination of an export. It first claims a name, then writes the rows to a temporary file, one on each line. The file gets its name
 * when it is complete and on the disk.
 */
export class OutputFile {
  /** The path relative to the program's folder, with all placeholders replaced. */
  name = "";
  /** The file with the rows, until it gets its final name. */
  temporaryPath = "";
  /** Rows that were written. */
  rowCount = 0;
  private readonly names: Iterator<string>;
  private readonly hasManyNames: boolean;
  /** Whether this export can have written an existing file of this name: the path allows one name, or the last export used this one. */
  private mayBeOwn = true;
  /** Whether an existing file of this name can be replaced. */
  private mayReplace = false;
  private claim: string | undefined;
  private handle: FileHandle | undefined;
  private readonly hash = createHash("sha256");
  /** Length of the rows that were written. */
  bytes = 0;
  /** The write of the last page. */
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly args: DataExportArgs,
    private readonly folder: string,
  ) {
    this.names = namesFor(args.path, args.lotNo);
    this.hasManyNames = countsUp(args.path);
  }

  /**
   * Claims the name. End it with `release`.
   * @param before the state of the last export, whose file can be replaced or used again
   * @throws ResourceError if the name is taken and rows that are read could get lost
   */
  static async claim(
    args: DataExportArgs,
    before: DataExportState | undefined,
    { folder, settings }: Context,
  ): Promise<OutputFile> {
    const file = new OutputFile(args, folder);
    const again = await fileToUseAgain(args, before, folder);
    if (again === undefined || !file.take(again)) {
      await file.takeNextName();
    }
    const onlyOnce = mayComeOnce(args, settings);
    file.mayReplace = !(file.hasManyNames && onlyOnce) && (await file.isReplaceable(before));
    if (!file.mayReplace && !file.hasManyNames) {
      // Rows that can be read again are read first: an existing file can contain them.
      const isTaken = onlyOnce ? await exists(file.path) : await isFolder(file.path);
      if (isTaken) {
        file.release();
        throw await file.nameIsTaken();
      }
    }
    return file;
  }

  get path(): string {
    return resolve(this.folder, this.name);
  }

  /** Lets other exports use the name: the file exists now, or will not be written. */
  release(): void {
    if (this.claim !== undefined) {
      claimed.delete(this.claim);
      this.claim = undefined;
    }
  }

  /**
   * @param temporaryPath default: a name beside the file
   * @param kept the rows that are in the temporary file already
   */
  async open(temporaryPath = temporaryPathFor(this.path), kept?: KeptRows): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true });
      this.handle = await (kept === undefined ? open(temporaryPath, "wx") : this.reopen(temporaryPath, kept));
      this.temporaryPath = temporaryPath;
    } catch (error) {
      throw await this.cannotBeWritten(error, "No rows were read. ");
    }
    const ofThisPath = namePattern(this.args.path);
    await removeAbandonedFiles(dirname(this.path), (name) => isTemporary(name) && ofThisPath.test(name));
  }

  /** The file system says neither which file it is about nor what to do next. Other errors stay as they are. */
  async cannotBeWritten(error: unknown, soFar = ""): Promise<unknown> {
    if (!(error instanceof Error) || !("syscall" in error)) {
      return error;
    }
    const blocking = await fileInPlaceOf(dirname(this.path));
    const why = blocking === undefined ? error.message : `"${blocking}" is not a folder`;
    return new ResourceError(
      `The file "${this.path}" cannot be written: ${why}. ${soFar}Use another path, or make the folder writable and free space there. Run the same command again.`,
    );
  }

  /** Cuts what was written after the kept rows, and continues the digest. */
  private async reopen(path: string, { rowCount, bytes }: KeptRows): Promise<FileHandle> {
    await truncate(path, bytes);
    await pipeline(createReadStream(path), async (pieces) => {
      for await (const piece of pieces) {
        this.hash.update(piece as Buffer);
      }
    });
    this.rowCount = rowCount;
    this.bytes = bytes;
    return open(path, "a");
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

  /** Writes the format and gives the file its name. After a failure, the rows are still in the temporary file. */
  finish(): Promise<WrittenFile> {
    return this.inFormat(async (path, digest) => {
      await this.putInPlace(path, digest.sha256);
      return this.name;
    });
  }

  /** The same for rows that did not pass their checks, in a file of another name. An existing file is never overwritten. */
  reject(): Promise<WrittenFile> {
    return this.inFormat((path, digest) => this.putBeside(path, digest.sha256));
  }

  /** @param put gives the file its name, and returns the name */
  private async inFormat(
    put: (path: string, digest: { bytes: number; sha256: string }) => Promise<string>,
  ): Promise<WrittenFile> {
    await this.flush();
    await this.handle?.close();
    const { format = "ndjson" } = this.args;
    const { rowCount } = this;
    if (format === "ndjson") {
      const digest = { bytes: this.bytes, sha256: this.hash.digest("hex") };
      return { ...digest, rowCount, file: await put(this.temporaryPath, digest) };
    }
    const rewritten = temporaryPathFor(this.path);
    try {
      await rewriteAs[format](this.temporaryPath, rewritten);
      const digest = await digestOf(rewritten);
      const file = await put(rewritten, digest);
      await rm(this.temporaryPath, { force: true });
      return { ...digest, rowCount, file };
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

  /** Claims a name. Returns false if another export of this process has it. */
  private take(name: string): boolean {
    const path = resolve(this.folder, name);
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
      // Claimed before the disk is checked, because other exports check at the same time.
      if (this.take(next.value)) {
        if (!(await exists(this.path))) {
          return true;
        }
        this.release();
      }
    }
    return false;
  }

  /** An export can replace its own file, unless the rows in it may be marked: they are in no other file. */
  private async isReplaceable(before: DataExportState | undefined): Promise<boolean> {
    if (before === undefined || before.file !== this.name) {
      return false;
    }
    const mayBeMarked = before.marked === true || before.pending?.includes(pendingMark.outcomeUnknown) === true;
    return !(mayBeMarked && before.rowCount !== 0) && (await compareContent(this.path, before.sha256)) === "same";
  }

  private async putInPlace(from: string, sha256: string): Promise<void> {
    if (this.mayReplace) {
      await rename(from, this.path);
    } else {
      await this.moveToFreeName(from, sha256);
    }
    await syncFolder(dirname(this.path));
  }

  /**
   * An existing file of this name can be the export's own with the same rows: the export was killed before the state was saved, or its mark
   * was refused. Otherwise another program has taken the name, and the next name of the path is tried.
   */
  private async moveToFreeName(from: string, sha256: string): Promise<void> {
    while (!(await moveIfFree(from, this.path))) {
      if (this.mayBeOwn && (await hasContent(this.path, sha256))) {
        await rm(from, { force: true });
        return;
      }
      if (!(await this.takeNextName())) {
        throw await this.nameIsTaken();
      }
      await mkdir(dirname(this.path), { recursive: true });
    }
  }

  /** Rows that were rejected before and are the same need no second file. */
  private async putBeside(from: string, sha256: string): Promise<string> {
    for (let nth = 1; ; nth++) {
      const name = rejectedName(this.name, nth);
      const path = resolve(this.folder, name);
      if ((await moveIfFree(from, path)) || (await hasContent(path, sha256))) {
        await rm(from, { force: true });
        await syncFolder(dirname(path));
        return name;
      }
    }
  }

  private async nameIsTaken(): Promise<ResourceError> {
    if (await isFolder(this.path)) {
      return new ResourceError(`"${this.path}" is a folder, so no file can have that name. Use another path.`);
    }
    return new ResourceError(
      `The file "${this.path}" exists. This export did not write it, or it was changed since, so it was not overwritten. ` +
        `Add {n} (the next free number) or {time} to the path, so that each export writes a new file. Or move the file away, or use another path.`,
    );
  }
}

async function hasContent(path: string, sha256: string): Promise<boolean> {
  return !(await isFolder(path)) && (await compareContent(path, sha256)) === "same";
}

/**
 * After a refused mark, no row of the file is marked. After an export of a batch whose run was not over, the next one has the same rows and more.
 * Both use the file again; otherwise each attempt would leave one more file.
 */
async function fileToUseAgain(
  args: DataExportArgs,
  before: DataExportState | undefined,
  folder: string,
): Promise<string | undefined> {
  const isSamePath = before !== undefined && withLotNo(before.path, before.lotNo) === withLotNo(args.path, args.lotNo);
  if (!isSamePath || !(before.pending?.includes(pendingMark.refused) || isSameRunAgain(before, args))) {
    return undefined;
  }
  const isUntouched = (await compareContent(resolve(folder, before.file), before.sha256)) === "same";
  return isUntouched ? before.file : undefined;
}

function isSameRunAgain(before: DataExportState, { taskId, lotNo }: DataExportArgs): boolean {
  return before.pending?.includes(pendingRun) === true && before.taskId === taskId && before.lotNo === lotNo;
}

/** Matches the names of files that begin with a name that this path allows. */
function namePattern(path: string): RegExp {
  const parts = basename(path).split(/\{(?:lotNo|time|n)\}/);
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[\\w-]+")}\\.`);
}
