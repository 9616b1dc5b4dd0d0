import { mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readPrivateFile, writePrivateFile } from "../../service/files/privateFile";
import { isRecord } from "../../service/isRecord";
import type { RowFields } from "../../service/rows/rowFields";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { NoMarking } from "./marking/noMarking";
import type { ReadSoFar } from "./marking/wholeRead";
import type { DataExportArgs, DataExportState } from "./model";
import type { KeptRows, OutputFile } from "./outputFile";

/** How often the progress is noted, in milliseconds. After a kill, the rows since the last note are read again. */
const noteEveryMs = 1000;

/** How long a lock counts that nobody renews, how often it is renewed, and how often a waiting export looks at it. In milliseconds. */
const staleAfterMs = 10_000;
const renewEveryMs = 1000;
const lookEveryMs = 200;

/** How an error ends that the same command can continue after. */
export const runAgain = "Run the same command again.";

/** The note that an export that ended early leaves beside its rows. */
interface Note extends KeptRows, ReadSoFar {
  version: 1;
  /** Which rows these are. Rows of another task, run or service are never continued. */
  source: string;
  /** Set after the last page: whether these are all rows of the source. */
  complete?: boolean;
}

export interface ResumableOptions {
  /** The address of the service. */
  service: string;
  /** False if no later export can continue: then nothing remains of an export that ends early. */
  keepsRows: boolean;
}

/**
 * A read that keeps its rows beside the file when it ends early, in `FILE.partial` and `FILE.partial.json`. The next export of the same rows into
 * the same file continues after them.
 */
export class ResumableRead extends NoMarking {
  kept: KeptRows | undefined;
  protected override readonly whatToDo = "Wait for the end of the run, then export again.";
  private readonly source: string;
  private partialPath = "";
  /** About the rows so far. */
  private last: Note | undefined;
  /** The one on the disk. */
  private onDisk: Note | undefined;
  private notedAt = Number.NEGATIVE_INFINITY;
  private rowsAreGone = false;
  private isTakenOver = false;
  private unlock: (() => Promise<void>) | undefined;

  constructor(
    args: DataExportArgs,
    context: Context,
    private readonly options: ResumableOptions,
  ) {
    super(args, context);
    const { service } = options;
    const { taskId, scope, lotNo, maxRows } = args;
    this.source = JSON.stringify({ service, taskId, scope, lotNo, maxRows });
  }

  override async prepare(file: OutputFile): Promise<string> {
    await super.prepare(file);
    this.partialPath = `${file.workPath}.partial`;
    await this.lock(file);
    const note = await this.usableNote();
    if (note === undefined) {
      await rm(this.partialPath, { force: true });
      await rm(this.notePath, { force: true });
    } else {
      this.kept = note;
      this.from = note;
      this.last = note;
      this.onDisk = note;
      this.context.warn(`The export continues after the ${note.rowCount} rows in "${this.partialPath}".`);
    }
    return this.partialPath;
  }

  override async *pages(file: OutputFile, fields?: RowFields): AsyncGenerator<RowPage, void, void> {
    // The earlier export had read all rows, and failed to write the format.
    if (this.last?.complete !== undefined) {
      this.isComplete = this.last.complete;
      return;
    }
    yield* super.pages(file, fields);
    this.checkLock();
  }

  override check({ total }: RowPage): void {
    this.checkLock();
    if (total < this.from.rowCount) {
      this.rowsAreGone = true;
      throw new ResourceError(
        `Task "${this.args.taskId}" has ${total} rows now, fewer than the ${this.from.rowCount} rows in "${this.partialPath}": rows were removed at the service. ` +
          "The file is kept. Move it away, then export again.",
      );
    }
  }

  override async finish(state: DataExportState): Promise<DataExportState> {
    await rm(this.notePath, { force: true });
    return super.finish(state);
  }

  override async fail(file: OutputFile, error: unknown): Promise<unknown> {
    await file.flush().catch(() => undefined);
    await file.close();
    if (this.isTakenOver) {
      return error;
    }
    // On a full disk, the last note can be an older one.
    const isWritten = this.last !== undefined && (await lengthOf(this.partialPath)) >= this.last.bytes;
    await (isWritten ? this.note().catch(() => undefined) : undefined);
    const { onDisk } = this;
    if (!this.options.keepsRows || onDisk === undefined) {
      await file.discard();
      await rm(this.notePath, { force: true });
      return error;
    }
    if (this.rowsAreGone || !(error instanceof Error)) {
      return error;
    }
    const kept = `The first ${onDisk.rowCount} rows are kept in "${this.partialPath}".`;
    error.message += error.message.endsWith(runAgain)
      ? ` ${kept} It continues after them.`
      : ` ${kept} ${runAgain.slice(0, -1)}: it continues after them.`;
    return error;
  }

  /** Call it at the end of the export. */
  override async release(): Promise<void> {
    await this.unlock?.().catch(() => undefined);
  }

  protected override async noted({ nextOffset, complete }: RowPage, file: OutputFile): Promise<void> {
    const { rowCount, bytes } = file;
    this.last = { version: 1, source: this.source, rowCount, bytes, nextOffset, complete };
    if (this.context.now() - this.notedAt >= noteEveryMs) {
      this.notedAt = this.context.now();
      await file.flush();
      await this.note();
    }
  }

  protected override interruption(rowCount: number, total: number): string {
    return `The export was interrupted after ${rowCount} of ${total} rows of task "${this.args.taskId}".`;
  }

  protected override missingRows(rowCount: number): string {
    return `Task "${this.args.taskId}": the service reports more rows than the ${rowCount} that it returned.`;
  }

  private get notePath(): string {
    return `${this.partialPath}.json`;
  }

  private async note(): Promise<void> {
    const { last } = this;
    await writePrivateFile(this.notePath, `${JSON.stringify(last)}\n`, false);
    this.onDisk = last;
  }

  private async usableNote(): Promise<Note | undefined> {
    const note = noteIn((await readPrivateFile(this.notePath)) ?? "");
    const isUsable = note?.source === this.source && (await lengthOf(this.partialPath)) >= note.bytes;
    return isUsable ? note : undefined;
  }

  /**
   * Two exports must not write after the same rows. An export that runs renews its lock all the time. The lock of a killed one goes stale, and is then
   * taken over.
   */
  private async lock(file: OutputFile): Promise<void> {
    const { context, partialPath } = this;
    // After a stop of this process, such as with Ctrl-Z.
    const onCompromised = (): void => {
      this.isTakenOver = true;
      context.warn(`Another export may have taken over "${partialPath}", because this one did not run for a while.`);
    };
    // Loaded here, because a provider does not need it.
    const { lock } = await import("proper-lockfile");
    for (let seen: number | undefined; ; ) {
      try {
        await mkdir(dirname(partialPath), { recursive: true });
        this.unlock = await lock(partialPath, {
          realpath: false,
          stale: staleAfterMs,
          update: renewEveryMs,
          onCompromised,
        });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ELOCKED") {
          throw await file.cannotBeWritten(error, "No rows were read. ");
        }
      }
      const renewed = await renewedAt(`${partialPath}.lock`);
      if (renewed === undefined || renewed > (seen ?? renewed)) {
        throw new ResourceError(
          `Another export is writing "${partialPath}". Wait for its end, or use another file. No rows were read.`,
        );
      }
      if (seen === undefined) {
        context.warn(
          `Another export has locked "${partialPath}". If it was killed, this one continues within ${staleAfterMs / 1000} s.`,
        );
      }
      seen = renewed;
      await context.sleep(lookEveryMs);
      if (context.interrupted.aborted) {
        throw new ResourceError("The export was interrupted before it began. No rows were read.");
      }
    }
  }

  private checkLock(): void {
    if (this.isTakenOver) {
      throw new ResourceError(
        `The export has lost its lock of "${this.partialPath}". If no other export writes this file, run the same command again.`,
      );
    }
  }
}

/** When a lock was last renewed, in milliseconds; undefined if there is none any more. */
async function renewedAt(lock: string): Promise<number | undefined> {
  return stat(lock).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

async function lengthOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => -1,
  );
}

/** Undefined if the content is not valid. Then all rows are read again. */
function noteIn(text: string): Note | undefined {
  try {
    const note: unknown = JSON.parse(text);
    const isNote =
      isRecord(note) &&
      note.version === 1 &&
      [note.rowCount, note.nextOffset, note.bytes].every((each) => Number.isSafeInteger(each));
    return isNote ? (note as unknown as Note) : undefined;
  } catch {
    return undefined;
  }
}
