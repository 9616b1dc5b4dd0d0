import { resolve } from "node:path";
import { isServiceError } from "../service/errors";
import type { RowPage, RowSource } from "../service/rowPage";
import type { DataExportArgs, DataExportState } from "./dataExport";
import { ExportFile, refuseTakenName, stateOfFile } from "./exportFile";
import { answerWasLost, defaultPageSize, TaskMark } from "./exportMark";
import { fillIn } from "./exportPath";
import type { Context } from "./resource";
import { messageOf, PartialFailure, ResourceError } from "./resource";
import { restOf } from "./subtaskList";

/** Reads the rows into a file, and marks them if asked. `before` is the export that this one takes the place of. */
export async function runExport(
  args: DataExportArgs,
  before: DataExportState | undefined,
  context: Context,
): Promise<DataExportState> {
  const file = await fillIn(args.path, args.lotNo, context.folder);
  const path = resolve(context.folder, file);
  const mayReplace = await isOurs(path, file, before);
  if (!mayReplace) {
    await refuseTakenName(path);
  }
  const target: Target = { args, file, path, mayReplace };
  if (args.markExported !== true) {
    const atWork = args.scope === "batch" ? await subtasksAtWork(args.taskId, context) : 0;
    const state = await exportRows(target, context);
    if (atWork > 0) {
      context.warn(
        `Task "${args.taskId}": ${atWork} of its subtasks were at work when the rows of batch ${args.lotNo} were read, so there may be more now; the file is marked as not complete. ` +
          `Let the CloudRun wait (waitFor: "finished"), and change triggers to export again.`,
      );
      return { ...state, complete: false };
    }
    return state;
  }
  return context.settings.markScope === "returned"
    ? exportAndMarkReturned(target, context)
    : exportAndMarkTask(target, context);
}

interface Target {
  args: DataExportArgs;
  /** Relative to the program's folder. */
  file: string;
  path: string;
  /** Whether a file of that name may be replaced. */
  mayReplace: boolean;
}

/** What is to do after a mark that was sent and whose answer was lost: the rows may be marked. */
const markUnknown = "mark with an unknown outcome";

/** A file may be replaced by the export that wrote it, but never where its rows are marked: nobody else will ever get them again. */
async function isOurs(path: string, file: string, before: DataExportState | undefined): Promise<boolean> {
  const mayBeMarked = before?.rowCount !== 0 && (before?.marked === true || before?.pending?.includes(markUnknown));
  return before?.file === file && !mayBeMarked && (await stateOfFile(path, before.sha256)) === "same";
}

/** A batch that is still at work may get more rows, however many the service says that there are. The list carries no lotNo: it's the latest run's. */
async function subtasksAtWork(taskId: string, { client, settings }: Context): Promise<number> {
  try {
    const list = await client.allSubtasks(taskId);
    return list.filter(({ status }) => restOf(status, settings.statuses) === undefined).length;
  } catch (error) {
    // Rows can be read by accounts that may not look at subtasks.
    if (isServiceError(error)) {
      return 0;
    }
    throw error;
  }
}

function sourceOf({ taskId, scope, lotNo }: DataExportArgs): RowSource {
  if (scope === "batch") {
    return { taskId, lotNo: lotNo ?? "" };
  }
  return scope === "all" ? { taskId } : { taskId, notExported: true };
}

/** Nobody reads faster, and each message is a call to the engine: one for each page would cost more time and memory than the pages. */
const progressEveryMs = 500;

/** Reads all pages into the file. `look` sees each page before it is written. */
async function readInto(
  file: ExportFile,
  args: DataExportArgs,
  context: Context,
  look: (page: RowPage) => void,
): Promise<{ complete: boolean }> {
  const { maxRows } = args;
  const { pageSize } = context.settings;
  let complete = false;
  let shownAt = Number.NEGATIVE_INFINITY;
  for await (const page of context.client.rows(sourceOf(args), { maxRows, pageSize })) {
    look(page);
    await file.write(page);
    complete = page.complete ?? false;
    if (context.now() - shownAt >= progressEveryMs) {
      shownAt = context.now();
      context.progress(`${file.rows} of ${page.total} rows`);
    }
  }
  return { complete };
}

async function exportRows(
  target: Target,
  context: Context,
  look: (page: RowPage) => void = () => {},
): Promise<DataExportState> {
  const { args, path } = target;
  const file = await ExportFile.open(path);
  try {
    const { complete } = await readInto(file, args, context, look);
    if (!complete && file.rows < (args.maxRows ?? Number.POSITIVE_INFINITY)) {
      context.warn(
        `Task "${args.taskId}": the service says that it has more rows than the ${file.rows} it handed out; the file is marked as not complete.`,
      );
    }
    return await finish(file, target, complete, false);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function finish(file: ExportFile, target: Target, complete: boolean, marked: boolean): Promise<DataExportState> {
  const { args, mayReplace } = target;
  const written = await file.finish(args.format ?? "ndjson", mayReplace);
  return { ...args, ...written, file: target.file, complete, marked };
}

/** The service marks all of the task's rows: read and write first, then look whether that's all there is, then mark. */
async function exportAndMarkTask(target: Target, context: Context): Promise<DataExportState> {
  const { args } = target;
  const mark = await TaskMark.prepare(args, context);
  const size = context.settings.pageSize ?? defaultPageSize;
  const written = new WrittenTexts(args.scope === "batch" ? size : 0);
  const state = await exportRows(target, context, (page) => {
    if (args.scope === "notExported") {
      mark.refusePartialAnswer(page, size);
    }
    written.add(page);
  });
  // No run of ours may start between the last look and the mark.
  return context.exclusive(args.taskId, async () => {
    const objection = state.complete
      ? await mark.objection(state.rowCount, written.texts).catch(messageOf)
      : "not all of its rows could be read";
    if (objection !== undefined) {
      const message = `${mark.refusal(objection)} The ${state.rowCount} rows are in "${state.file}"; the next up exports again.`;
      throw new PartialFailure(message, state.file, { ...state, pending: ["mark"] });
    }
    return markWritten(state, context);
  });
}

/** Nothing is marked where nothing was read: rows that came since would be marked unread. */
async function markWritten(state: DataExportState, context: Context): Promise<DataExportState> {
  if (state.rowCount > 0) {
    try {
      await context.client.markExported({ taskId: state.taskId });
    } catch (error) {
      const isUnknown = !isServiceError(error) || error.outcome !== "notExecuted";
      const next = isUnknown
        ? `the next up exports into a new file: keep this one, for its rows may be marked, and if its name would be the same, add {n} to path`
        : "the next up exports again";
      const message = `${messageOf(error)} The ${state.rowCount} rows are safe in "${state.file}"; ${next}.`;
      throw new PartialFailure(message, state.file, { ...state, pending: [isUnknown ? markUnknown : "mark"] });
    }
  }
  return { ...state, marked: true };
}

/** The service marks the rows that it handed out: read, write, sync, mark, until nothing is left. */
async function exportAndMarkReturned(target: Target, context: Context): Promise<DataExportState> {
  const { args } = target;
  const file = await ExportFile.open(target.path);
  let marked = 0;
  try {
    let previous = { content: "", total: 0, count: 0 };
    let complete = false;
    let lost = 0;
    while (file.rows < (args.maxRows ?? Number.POSITIVE_INFINITY)) {
      const page = await nextReturned(args, file.rows, context);
      const vanished = previous.total - previous.count - page.total;
      if (vanished > 0) {
        lost += vanished;
        context.warn(
          `Task "${args.taskId}": ${vanished} rows are no longer unexported although this export was not given them: somebody else exported them, ` +
            `or the service marks all of the task's data; then set webextract:markScope to "task".`,
        );
      }
      complete = lost === 0 && (page.count === 0 || page.count === page.total);
      if (page.count === 0) {
        break;
      }
      const content = page.ndjson().toString("latin1");
      if (content === previous.content && page.total >= previous.total) {
        throw new ResourceError(
          `Task "${args.taskId}": the service hands out the same rows again after they were marked, so this was stopped. ` +
            `It may mark nothing but all of the task's data: set webextract:markScope to "task".`,
        );
      }
      previous = { content, total: page.total, count: page.count };
      await file.write(page);
      await file.flush();
      if (page.afterLoss) {
        throw new ResourceError(
          `Task "${args.taskId}": ${answerWasLost}, so these rows were not marked. Compare with an export with scope: "all".`,
        );
      }
      await context.exclusive(args.taskId, () => context.client.markExported({ taskId: args.taskId }));
      marked = file.rows;
      context.progress(`${file.rows} rows written and marked`);
    }
    return await finish(file, target, complete, true);
  } catch (error) {
    if (file.rows === 0) {
      await file.discard();
      throw error;
    }
    await file.close();
    throw new ResourceError(
      `${messageOf(error)} ${file.rows} rows were read and ${marked} of them are marked for certain. All of them are in "${file.partPath}", one a line, ` +
        `and stay there: keep that file. The next up goes on with the rows that are not marked.`,
    );
  }
}

async function nextReturned(args: DataExportArgs, read: number, context: Context): Promise<RowPage> {
  const size = context.settings.pageSize ?? defaultPageSize;
  const pageSize = Math.min(size, (args.maxRows ?? Number.POSITIVE_INFINITY) - read);
  for await (const page of context.client.rows(
    { taskId: args.taskId, notExported: true },
    { pageSize, maxRows: pageSize },
  )) {
    return page;
  }
  throw new ResourceError(`Task "${args.taskId}": the service gave no answer to a read of its rows.`);
}

/** The texts of the rows written, with how often each was, as long as they are few enough to be held against one answer of the service. */
class WrittenTexts {
  texts: Map<string, number> | undefined = new Map();
  private count = 0;

  constructor(private readonly most: number) {}

  add(page: RowPage): void {
    this.count += page.count;
    if (this.texts === undefined || this.count > this.most) {
      this.texts = undefined;
      return;
    }
    for (const text of page.texts()) {
      this.texts.set(text, (this.texts.get(text) ?? 0) + 1);
    }
  }
}
