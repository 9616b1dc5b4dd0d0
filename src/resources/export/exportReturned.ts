import { basename, join, relative, resolve } from "node:path";
import { isServiceError } from "../../service/errors/errors";
import type { RowPage } from "../../service/rows/rowPage";
import type { Context } from "../resource";
import { messageOf, PartialFailure, ResourceError } from "../resource";
import type { DataExportArgs, DataExportState } from "./dataExport";
import { ExportFile } from "./exportFile";
import { LeftOvers } from "./exportLeftOvers";
import { defaultPageSize } from "./exportMark";
import { fixedFolder } from "./exportPath";
import type { Target } from "./exportTarget";
import { finish, markUnknown } from "./exportTarget";

/**
 * Marking where the service marks the rows that it handed out (`webextract:markScope` = returned): read, write, sync, mark, until nothing
 * is left. A mark reaches all that was handed out since the last one, so it is only sent while each answer of the service is known to be in
 * a file.
 */
export async function exportAndMarkReturned(target: Target, context: Context): Promise<DataExportState> {
  // The read hands rows out, so of two exports at a time each would mark what only the other has.
  return context.exclusive(target.args.taskId, async () => {
    const folder = resolve(context.folder, fixedFolder(target.args.path));
    const left = await LeftOvers.find(folder, target.args.taskId, context);
    const part = join(folder, `${basename(target.name.path)}.${left.key}`);
    return new ReturnedExport(target, context, left, await ExportFile.open(target.name, part)).run();
  });
}

const wayOut = `Export once with scope: "all" and without markExported, which reads every row; then rename each file that ends in ".part" and run up again.`;

class ReturnedExport {
  private marked = 0;
  private complete = false;
  private lost = 0;
  private previous = { content: "", total: 0, count: 0 };
  /** A read was sent whose rows are not in the file. */
  private inDoubt = false;

  constructor(
    private readonly target: Target,
    private readonly context: Context,
    private readonly left: LeftOvers,
    private readonly file: ExportFile,
  ) {}

  async run(): Promise<DataExportState> {
    try {
      while (this.file.rows < this.mostRows && (await this.step())) {
        this.context.progress(`${this.file.rows} rows written and marked`);
        if (this.context.interrupted.aborted) {
          throw new ResourceError(
            `The command was interrupted while rows of task "${this.args.taskId}" were exported.`,
          );
        }
      }
      this.inDoubt = true;
      return await finish(this.file, this.target, this.complete, true);
    } catch (error) {
      throw await this.brokenOff(error);
    }
  }

  /** One page. Answers whether there was one. */
  private async step(): Promise<boolean> {
    const page = await this.read();
    this.noteVanished(page);
    this.complete = this.lost === 0 && (page.count === 0 || page.count === page.total);
    if (page.count === 0 && page.total === 0) {
      await this.left.giveNames();
      return false;
    }
    const inDoubt = page.afterLoss === true || this.left.files.length > 0;
    if (page.count > 0) {
      this.refuseTheSame(page);
      await this.write(page);
    }
    if (inDoubt) {
      await this.refuseDoubt(page);
    }
    if (page.count === 0) {
      return false;
    }
    await this.context.client.markExported({ taskId: this.args.taskId });
    this.marked = this.file.rows;
    return true;
  }

  private async read(): Promise<RowPage> {
    const pageSize = Math.min(this.context.settings.pageSize ?? defaultPageSize, this.mostRows - this.file.rows);
    const source = { taskId: this.args.taskId, notExported: true } as const;
    this.inDoubt = true;
    try {
      for await (const page of this.context.client.rows(source, { pageSize, maxRows: pageSize })) {
        this.inDoubt = page.count > 0;
        return page;
      }
    } catch (error) {
      this.inDoubt = !isServiceError(error) || error.outcome !== "notExecuted";
      throw error;
    }
    throw new ResourceError(`Task "${this.args.taskId}": the service gave no answer to a read of its rows.`);
  }

  private async write(page: RowPage): Promise<void> {
    await this.file.write(page);
    await this.file.flush();
    this.inDoubt = false;
  }

  private noteVanished(page: RowPage): void {
    const vanished = this.previous.total - this.previous.count - page.total;
    if (vanished > 0) {
      this.lost += vanished;
      this.context.warn(
        `Task "${this.args.taskId}": ${vanished} rows are no longer unexported although this export was not given them: somebody else exported them, ` +
          `or the service marks all of the task's data; then set webextract:markScope to "task".`,
      );
    }
  }

  private refuseTheSame(page: RowPage): void {
    const content = page.ndjson().toString("latin1");
    if (content === this.previous.content && page.total >= this.previous.total) {
      throw new ResourceError(
        `Task "${this.args.taskId}": the service hands out the same rows again after they were marked, so this was stopped. ` +
          `It may mark nothing but all of the task's data: set webextract:markScope to "task".`,
      );
    }
    this.previous = { content, total: page.total, count: page.count };
  }

  /**
   * An earlier answer never reached a file. That does no harm only where its rows come again, and all that could have been in it are in
   * this page: the same read must give the same rows, which are all that there are.
   */
  private async refuseDoubt(page: RowPage): Promise<void> {
    if (page.count === page.total) {
      const again = await this.read();
      if (again.total === page.total && again.ndjson().equals(page.ndjson())) {
        this.inDoubt = false;
        await this.left.giveNames();
        return;
      }
      await this.file.write(again);
      await this.file.flush();
    }
    this.inDoubt = true;
    throw new ResourceError(
      `Task "${this.args.taskId}": ${this.left.inWords() ?? "an answer to the read of its rows was lost on the way, so the export broke off"}. ` +
        `The service may have handed out rows then that are in no file, and the next mark would reach them, so nothing more was marked. ${wayOut}`,
    );
  }

  /** What the export leaves when it cannot go on: a file with a name and a state, or, where rows may be missing in it, one that the next export sees. */
  private async brokenOff(error: unknown): Promise<Error> {
    const { file, target, left } = this;
    const words = left.inWords();
    const said = messageOf(error);
    const problem = words === undefined || said.includes(words) ? said : `${said} Besides, ${words}.`;
    if (!this.inDoubt) {
      if (file.rows === 0) {
        await file.discard();
        return new ResourceError(problem);
      }
      try {
        const state = await finish(file, target, false, false);
        const message = `${problem} ${this.counted()} All of them are in "${state.file}": keep that file. The next up goes on with the rows that are not marked.`;
        return new PartialFailure(message, state.file, { ...state, pending: [markUnknown] });
      } catch {
        // The rows are still in the file that they were written to first.
      }
    }
    await file.close();
    const name = relative(this.context.folder, file.partPath);
    return new ResourceError(
      `${problem} ${this.counted()} All of them are in "${name}", one a line: keep that file. ` +
        `The next up finds it, and marks nothing before it is certain that no row was handed out that is in no file.`,
    );
  }

  private counted(): string {
    return `${this.file.rows} rows were read and ${this.marked} of them are marked for certain.`;
  }

  private get args(): DataExportArgs {
    return this.target.args;
  }

  private get mostRows(): number {
    return this.args.maxRows ?? Number.POSITIVE_INFINITY;
  }
}
