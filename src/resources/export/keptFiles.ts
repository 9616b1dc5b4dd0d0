import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { RowPage } from "../../service/rows/rowPage";
import { scanRows } from "../../service/rows/rowScanner";
import { ScannedPage } from "../../service/rows/scannedPage";
import type { Context } from "../resource";
import { compareContent } from "./destinations/diskFile";
import type { DataExportArgs } from "./model";
import type { OutputFile } from "./outputFile";

/** A read that did not end, or that runs now. */
const partEnding = ".part";
/** All rows were read, and could not be written to their destination. */
const rowsEnding = ".rows";

/** `marking`: the export marks rows page by page. `reading`: it marks nothing, or all rows at the end. */
type Kind = "marking" | "reading";

/** The files that exports of this process use. */
const inUse = new Set<string>();

/**
 * Rows that the service may not return again, one a line, of exports that failed or were killed before the rows were at their destination. These files are
 * the only record of such an export, because the engine stores nothing of a step that did not end. So the rule for temporary files does not apply
 * to them.
 */
export class KeptFiles {
  /** The file of this export. */
  private own = "";
  /** Whether the rows of this export are those of `complete`. */
  private isRead = false;

  private constructor(
    private readonly kind: Kind,
    private readonly tag: string,
    /** Names of the files of reads that did not end. */
    private unfinished: string[],
    /** Path of a file with rows that have only to be written to their destination. */
    private complete: string | undefined,
    private readonly folder: string,
    private readonly taskId: string,
    private readonly context: Context,
  ) {}

  /**
   * Those of one task in the folder for kept rows. End it with `release`.
   * @param isMarked whether the export will mark rows. Then a read that left no row counts too: the service may have returned rows that no file contains.
   */
  static async find(
    file: OutputFile,
    { taskId, markExported: isMarked = false }: Pick<DataExportArgs, "taskId" | "markExported">,
    kind: Kind,
    context: Context,
  ): Promise<KeptFiles> {
    const folder = file.keptFolder;
    const tag = `${kind}-${createHash("sha256").update(taskId).digest("hex").slice(0, 8)}`;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") {
        return [];
      }
      throw error;
    });
    const left = names.filter((name) => name.includes(`.${tag}.`) && !inUse.has(join(folder, name))).sort();
    const complete = left.find((name) => name.endsWith(rowsEnding));
    const kept = new KeptFiles(
      kind,
      tag,
      await unfinishedAmong(left, isMarked, folder),
      complete === undefined ? undefined : join(folder, complete),
      folder,
      taskId,
      context,
    );
    if (kept.complete !== undefined) {
      inUse.add(kept.complete);
    }
    return kept;
  }

  /** Whether there are reads that did not end. */
  get haveUnfinished(): boolean {
    return this.unfinished.length > 0;
  }

  /** Whether an earlier export has read the rows of this one. */
  get haveRows(): boolean {
    return this.complete !== undefined;
  }

  /** The temporary path of this export, which the next one finds if this one is killed. */
  pathFor({ workPath }: OutputFile): string {
    this.own = join(this.folder, `${basename(workPath)}.${this.tag}.${randomBytes(4).toString("hex")}${partEnding}`);
    inUse.add(this.own);
    return this.own;
  }

  /** The rows that an earlier export has read, in pages of about a mebibyte. */
  async *pages(): AsyncGenerator<RowPage, void, void> {
    this.isRead = true;
    this.context.warn(
      `Task "${this.taskId}": the rows are those that an earlier export had read, from "${this.named(this.complete)}". No rows were read from the service.`,
    );
    let rest = Buffer.alloc(0);
    for await (const piece of createReadStream(this.complete ?? "", { highWaterMark: 1024 * 1024 })) {
      const read = Buffer.concat([rest, piece as Buffer]);
      const end = read.lastIndexOf("\n") + 1;
      rest = read.subarray(end);
      if (end > 0) {
        yield pageOf(read.subarray(0, end));
      }
    }
    if (rest.length > 0) {
      // An editor can have removed the last line break.
      yield pageOf(Buffer.concat([rest, Buffer.from("\n")]));
    }
  }

  /** What is known of the reads that did not end; undefined if there are none. */
  describe(): string | undefined {
    if (!this.haveUnfinished) {
      return undefined;
    }
    const why =
      this.kind === "marking"
        ? "some of these rows may be marked, and no other file contains them"
        : "the service may not return these rows again";
    return `another export of this task failed, or is running elsewhere. Its rows are in ${this.names}, one a line. Keep these files: ${why}`;
  }

  /** The files of reads that did not end. */
  get names(): string {
    return this.unfinished.map((name) => `"${this.named(name)}"`).join(", ");
  }

  /** What to say of a read that failed before a row came. The file of this export stays, without a row. */
  get nothingRead(): string {
    return `No row was read. Keep the file "${this.named(this.own)}": it shows the next export that rows may be missing.`;
  }

  /** Keeps the rows of this export after a failure, and says where they are. Rows that are kept already are not kept twice. */
  async keep(file: OutputFile): Promise<string> {
    if (this.complete !== undefined && this.isRead) {
      await file.discard();
      return ` The rows are still in "${this.named(this.complete)}". The next up writes them.`;
    }
    const isWritten = await file.flush().then(
      () => true,
      () => false,
    );
    await file.close();
    const what = isWritten
      ? `The ${file.rowCount} rows that were read`
      : `Of the ${file.rowCount} rows that were read, those that could be written`;
    const are = (name: string): string =>
      ` ${what} are kept in "${this.named(name)}", one a line, because the service may not return them again.`;
    if (file.isRead) {
      const complete = `${this.own.slice(0, -partEnding.length)}${rowsEnding}`;
      await rename(this.own, complete);
      return `${are(complete)} The next up writes them.`;
    }
    for (const name of this.unfinished) {
      if ((await compareContent(join(this.folder, name), file.digest)) === "same") {
        await file.discard();
        return are(name);
      }
    }
    return are(this.own);
  }

  /** The rows have their own file now. */
  async written(): Promise<void> {
    if (this.complete !== undefined && this.isRead) {
      await rm(this.complete, { force: true });
    }
  }

  /** Gives the files of reads that did not end usual names, and warns of each. Call it when no rows of these exports can be missing. */
  async rename(): Promise<void> {
    for (const name of this.unfinished.splice(0)) {
      const path = join(this.folder, name);
      if ((await stat(path)).size === 0) {
        await rm(path);
        continue;
      }
      const kept = `${name.slice(0, -partEnding.length)}.ndjson`;
      await rename(path, join(this.folder, kept));
      const next =
        this.kind === "marking"
          ? "Keep that file: some of its rows are marked as exported, and no other file contains them. The rows that were not marked are exported again."
          : "The service has returned rows again, so they are in the new file too.";
      this.context.warn(
        `Task "${this.taskId}": an earlier export failed. The rows that it had read are in "${this.named(kept)}", one a line. The last line may be cut off. ${next}`,
      );
    }
  }

  release(): void {
    inUse.delete(this.own);
    if (this.complete !== undefined) {
      inUse.delete(this.complete);
    }
  }

  private named(name = ""): string {
    return relative(this.context.folder, join(this.folder, basename(name)));
  }
}

/**
 * The files of reads that did not end. One without a row holds nothing to keep for an export that marks nothing: it belongs to a read that runs, or was
 * killed. After a day, it goes.
 */
async function unfinishedAmong(names: readonly string[], isMarked: boolean, folder: string): Promise<string[]> {
  const unfinished: string[] = [];
  for (const name of names.filter((each) => each.endsWith(partEnding))) {
    const path = join(folder, name);
    const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: Number.POSITIVE_INFINITY }));
    if (size > 0 || isMarked) {
      unfinished.push(name);
    } else if (mtimeMs < Date.now() - dayMs) {
      await rm(path, { force: true });
    }
  }
  return unfinished;
}

const dayMs = 24 * 60 * 60 * 1000;

/** @param lines rows, one on each line */
function pageOf(lines: Buffer): RowPage {
  const list = lines.toString("latin1").slice(0, -1).replaceAll("\n", ",");
  const rows = scanRows(Buffer.from(`{"data":{"data":[${list}]}}`, "latin1"));
  return new ScannedPage(rows, { offset: 0, nextOffset: 0, total: rows.count });
}
