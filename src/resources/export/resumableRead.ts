import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readPrivateFile } from "../../service/files/privateFile";
import { isRecord } from "../../service/isRecord";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { messageOf, ResourceError } from "../resource";
import { NoMarking } from "./marking/noMarking";
import type { ReadSoFar } from "./marking/wholeRead";
import type { DataExportArgs, DataExportState } from "./model";
import type { KeptRows, OutputFile } from "./outputFile";

/** How often the progress is noted, in milliseconds. After a kill, the rows since the last note are read again. */
const noteEveryMs = 1000;

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
  private last: Note | undefined;
  private notedAt = Number.NEGATIVE_INFINITY;
  private rowsAreGone = false;
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
    this.partialPath = `${file.path}.partial`;
    await this.lock();
    const note = await this.usableNote();
    if (note === undefined) {
      await rm(this.partialPath, { force: true });
      await rm(this.notePath, { force: true });
    } else {
      this.kept = note;
      this.from = note;
      this.last = note;
      this.context.warn(`The export continues after the ${note.rowCount} rows in "${this.partialPath}".`);
    }
    return this.partialPath;
  }

  override async *pages(file: OutputFile): AsyncGenerator<RowPage, void, void> {
    // The earlier export had read all rows, and failed to write the format.
    if (this.last?.complete !== undefined) {
      this.isComplete = this.last.complete;
      return;
    }
    yield* super.pages(file);
  }

  override check({ total }: RowPage): void {
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
    const { last } = this;
    if (!this.options.keepsRows || last === undefined || (await lengthOf(this.partialPath)) < last.bytes) {
      await file.discard();
      await rm(this.notePath, { force: true });
      return error;
    }
    await this.note();
    if (this.rowsAreGone || !(error instanceof Error)) {
      return error;
    }
    error.message += ` The first ${last.rowCount} rows are kept in "${this.partialPath}". Run the same command again: it continues after them.`;
    return error;
  }

  /** Call it at the end of the export. */
  async release(): Promise<void> {
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
    await writeFile(this.notePath, `${JSON.stringify(this.last)}\n`);
  }

  private async usableNote(): Promise<Note | undefined> {
    const note = noteIn((await readPrivateFile(this.notePath)) ?? "");
    const isUsable = note?.source === this.source && (await lengthOf(this.partialPath)) >= note.bytes;
    return isUsable ? note : undefined;
  }

  /** Two exports must not write after the same rows. */
  private async lock(): Promise<void> {
    // Loaded here, because a provider does not need it.
    const { lock } = await import("proper-lockfile");
    await mkdir(dirname(this.partialPath), { recursive: true });
    try {
      const onCompromised = (): void => undefined;
      this.unlock = await lock(this.partialPath, { realpath: false, stale: 20_000, update: 5_000, onCompromised });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") {
        throw new ResourceError(
          `The file "${this.partialPath}" cannot be written: ${messageOf(error)}. No rows were read.`,
        );
      }
      throw new ResourceError(
        `Another export is writing "${this.partialPath}". Wait for its end, or use another file. No rows were read.`,
      );
    }
  }
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
