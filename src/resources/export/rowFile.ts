import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { WrittenAs } from "../../rows/formats/formats";
import { isAsRead, writeFormat } from "../../rows/formats/formats";
import type { RowPage } from "../../service/rows/rowPage";
import type { Content } from "../../store/objectStore";
import { packagesFolder } from "../../store/optionalPackage";
import { systemProcesses } from "../../system/processes";
import { syncFile } from "../../system/syncFile";
import { temporaryPathFor } from "../../system/temporaryFiles";
import { ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import type { FilePlace } from "./filePlace";
import type { DataExportArgs } from "./model";

/** The temporary files of an export: its rows, one on each line, and then the same rows in their format. */
export class RowFile {
  /** Rows that were passed to {@link write}. */
  rowCount = 0;
  /** The path of a temporary file that stays. */
  kept: string | undefined;
  /** Rows of pages that were written to their end. */
  private rowsWritten = 0;
  private bytes = 0;
  private readonly hash = createHash("sha256");
  /** The write of the last page. */
  private writing: Promise<void> = Promise.resolve();
  /** The file in its format, if that is another file. */
  private formatted: string | undefined;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly place: FilePlace,
    private readonly folder: string,
  ) {}

  /** @param isMarked whether its rows are marked before it is complete */
  static async open(place: FilePlace, args: DataExportArgs, isMarked: boolean, context: Context): Promise<RowFile> {
    await place.destination.prepare();
    const path = pathOfRows(place.workPath, args, isMarked);
    const handle = await open(path, "wx", place.destination.fileMode);
    const file = new RowFile(path, handle, place, packagesFolder(context));
    if (isMarked) {
      // The file exists already: so of two exports that begin at the same time, at least one sees the other.
      await keepOthers(path, args, context).catch(async (error) => {
        await file.remove();
        throw error;
      });
    }
    return file;
  }

  /** Returns when the previous page is written: reading and writing overlap. The next call throws an error of this one. */
  async write(page: RowPage): Promise<void> {
    const lines = page.ndjson();
    this.rowCount += page.count;
    const before = this.writing;
    this.writing = before.then(async () => {
      await this.handle.writeFile(lines);
      this.hash.update(lines);
      this.bytes += lines.length;
      this.rowsWritten += page.count;
    });
    this.writing.catch(() => undefined);
    await before;
  }

  /** After a failure, such as a full disk: the file ends with the last page that was written to its end. */
  async cut(): Promise<void> {
    await this.writing.catch(() => undefined);
    this.writing = Promise.resolve();
    this.rowCount = this.rowsWritten;
    await this.handle.truncate(this.bytes);
  }

  /** When it returns, a power cut does not lose the rows. */
  async flush(): Promise<void> {
    await this.writing;
    await syncFile(this.handle);
  }

  /** Writes the rows in their format, and syncs them to the disk. They can be written again in another format. */
  async inFormat(args: WrittenAs): Promise<Content & { path: string }> {
    if (isAsRead(args)) {
      await this.flush();
      return { path: this.path, bytes: this.bytes, sha256: this.hash.copy().digest("hex") };
    }
    await this.writing;
    const { path, folder, place } = this;
    this.formatted ??= temporaryPathFor(place.workPath);
    const options = { folder, mode: place.destination.fileMode };
    return { path: this.formatted, ...(await writeFormat(args, path, this.formatted, options)) };
  }

  async remove(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.handle.close().catch(() => undefined);
    for (const path of [this.path, this.formatted]) {
      if (path !== undefined && path !== this.kept) {
        await rm(path, { force: true });
      }
    }
  }
}

const markedEnding = ".part";

/**
 * A new name for a file of rows. Until a file whose rows are marked page by page is complete, no other file contains
 * these rows. A later export would remove a temporary file, so it has another name, which says which process writes it.
 */
export function pathOfRows(workPath: string, { taskId }: Pick<DataExportArgs, "taskId">, isMarked: boolean): string {
  if (!isMarked) {
    return temporaryPathFor(workPath);
  }
  const { pid, start = "" } = systemProcesses().own;
  const writer = `${pid}_${start.replace(" ", "_")}`;
  return temporaryPathFor(`${workPath}.${tagOf(String(taskId))}.${writer}`).replace(/\.tmp$/, markedEnding);
}

function tagOf(taskId: string): string {
  return createHash("sha256").update(taskId).digest("hex").slice(0, 8);
}

/**
 * Gives a usual name to the files that killed exports of the task have left beside this one.
 * @throws ResourceError if an export is writing one: a mark would reach the rows of both
 */
async function keepOthers(own: string, { taskId }: DataExportArgs, context: Context): Promise<void> {
  const folder = dirname(own);
  const ending = new RegExp(`\\.${tagOf(taskId)}\\.(?:(\\d+)_([\\w-]*)\\.)?[0-9a-f]{8}\\${markedEnding}$`);
  const { own: self, isRunning } = systemProcesses();
  for (const name of await readdir(folder)) {
    const found = ending.exec(name);
    if (found === null || name === basename(own)) {
      continue;
    }
    const [, pid = "", start = ""] = found;
    const path = relative(context.folder, join(folder, name));
    if (pid !== "" && isRunning({ ...self, pid: Number(pid), start: start.replace("_", " ") || undefined })) {
      throw new ResourceError(
        `Process ${pid} is exporting rows of task "${taskId}" to the same folder, and marks them: its file is "${path}". Wait until that export has ended, then ` +
          "run the same command again. If that process is another program, rename the file, and keep it.",
      );
    }
    const kept = `${path.slice(0, -markedEnding.length)}.ndjson`;
    await rename(join(folder, name), join(context.folder, kept));
    context.warn(
      `Task "${taskId}": an export was killed. The rows that it had read are in "${kept}", one a line. The last line may be cut off. ` +
        "Keep that file: rows of it may be marked as exported, and no other file contains them.",
    );
  }
}
