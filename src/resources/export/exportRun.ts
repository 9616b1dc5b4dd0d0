import { resolve } from "node:path";
import { isServiceError } from "../../service/errors/errors";
import type { RowPage, RowSource } from "../../service/rows/rowPage";
import type { Context, Settings } from "../resource";
import { messageOf, PartialFailure, ResourceError } from "../resource";
import { terminalStatusOf } from "../run/subtaskList";
import type { DataExportArgs, DataExportState } from "./dataExport";
import { ExportFile, refuseTakenName } from "./exportFile";
import { TaskMark } from "./exportMark";
import { ExportName } from "./exportName";
import { withLotNo } from "./exportPath";
import { stateOfFile } from "./exportPlace";
import { exportAndMarkReturned } from "./exportReturned";
import type { Target } from "./exportTarget";
import { finish, markRefused, markUnknown } from "./exportTarget";

/** Reads the rows into a file, and marks them if asked. `before` is the export that this one takes the place of. */
export async function runExport(
  args: DataExportArgs,
  before: DataExportState | undefined,
  context: Context,
): Promise<DataExportState> {
  const again = await fileToUseAgain(args, before, context);
  const name = await ExportName.take(args, context.folder, again);
  try {
    const mayReplace = await mayReplaceFile(name, args, before, context);
    if (!mayReplace && !name.countsUp) {
      await refuseTakenName(name, mayHandOutOnce(args, context.settings));
    }
    return await exportTo({ args, name, mayReplace }, context);
  } finally {
    name.release();
  }
}

/** After a refused mark the rows are in a file of which no row is marked: the next attempt uses it again, or each would leave one more behind. */
async function fileToUseAgain(
  { path, lotNo }: DataExportArgs,
  before: DataExportState | undefined,
  { folder }: Context,
): Promise<string | undefined> {
  const isSamePath = before !== undefined && withLotNo(before.path, before.lotNo) === withLotNo(path, lotNo);
  if (!isSamePath || !before.pending?.includes(markRefused)) {
    return undefined;
  }
  const isThere = (await stateOfFile(resolve(folder, before.file), before.sha256)) === "same";
  return isThere ? before.file : undefined;
}

/**
 * A file may be replaced by the export that wrote it, but never where its rows are marked: nobody else will ever get them again. Nor where they may
 * have been handed out only once, unless the user named this one file for all of them.
 */
async function mayReplaceFile(
  { path, file, countsUp }: ExportName,
  args: DataExportArgs,
  before: DataExportState | undefined,
  { settings }: Context,
): Promise<boolean> {
  const mayBeMarked = before?.rowCount !== 0 && (before?.marked === true || before?.pending?.includes(markUnknown));
  const isOurs = before?.file === file && !mayBeMarked && (await stateOfFile(path, before.sha256)) === "same";
  return isOurs && !(countsUp && mayHandOutOnce(args, settings));
}

async function exportTo(target: Target, context: Context): Promise<DataExportState> {
  const { args } = target;
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

/** Such rows are read only where they can be put into a file. Others can be read again, and may be what is in the file already. */
export function mayHandOutOnce({ scope, markExported }: DataExportArgs, { markScope }: Settings): boolean {
  return scope === "notExported" || (markExported === true && markScope === "returned");
}

/** A batch that is still at work may get more rows, however many the service says that there are. The list carries no lotNo: it's the latest run's. */
async function subtasksAtWork(taskId: string, { client, settings }: Context): Promise<number> {
  try {
    const list = await client.allSubtasks(taskId);
    return list.filter(({ status }) => terminalStatusOf(status, settings.statuses) === undefined).length;
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
    if (context.interrupted.aborted && page.complete === undefined) {
      throw new ResourceError(
        `The command was interrupted after ${file.rows} of ${page.total} rows of task "${args.taskId}": no file was written and nothing was marked. The next up exports again.`,
      );
    }
    // The engine shows the last line beside the resource until the command ends.
    if (page.complete !== undefined || context.now() - shownAt >= progressEveryMs) {
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
  const { args, name } = target;
  const file = await ExportFile.open(name);
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

/** The service marks all of the task's rows: read and write first, then look whether that's all there is, then mark. */
async function exportAndMarkTask(target: Target, context: Context): Promise<DataExportState> {
  const { args } = target;
  const mark = await TaskMark.prepare(args, context);
  const state = await exportRows(target, context, (page) => mark.see(page));
  // No run of ours may start between the last look and the mark.
  return context.exclusive(args.taskId, () => markWritten(state, mark, context));
}

/** A mark that the service does not take at this moment is only sent again after another look. */
const mostMarks = 5;

async function markWritten(state: DataExportState, mark: TaskMark, context: Context): Promise<DataExportState> {
  for (let marks = 1; ; marks++) {
    const objection = state.complete
      ? await mark.objection(state.rowCount).catch(messageOf)
      : "not all of its rows could be read";
    if (objection !== undefined) {
      const message = mark.refusal(
        `${objection}. The ${state.rowCount} rows are in "${state.file}"; the next up exports them again, into the same file`,
      );
      throw new PartialFailure(message, state.file, { ...state, pending: [markRefused] });
    }
    // Nothing is marked where nothing was read: rows that came since would be marked unread.
    if (state.rowCount === 0) {
      return { ...state, marked: true };
    }
    try {
      await context.client.markExported({ taskId: state.taskId }, { once: true });
      break;
    } catch (error) {
      const isUntaken = isServiceError(error, "busy", "rateLimited") && error.outcome === "notExecuted";
      if (!isUntaken || marks >= mostMarks) {
        throw await notMarked(state, mark, error);
      }
    }
  }
  const unread = await whatCameUnread(state, mark);
  if (unread !== undefined) {
    const message = `Task "${state.taskId}": the ${state.rowCount} rows in "${state.file}" are marked as exported. ${unread}`;
    throw new PartialFailure(message, state.file, {
      ...state,
      marked: true,
      pending: ["rows that came with the mark"],
    });
  }
  return { ...state, marked: true };
}

async function notMarked(state: DataExportState, mark: TaskMark, error: unknown): Promise<PartialFailure> {
  const safe = `${messageOf(error)} The ${state.rowCount} rows are safe in "${state.file}"`;
  if (isServiceError(error) && error.outcome === "notExecuted") {
    return new PartialFailure(`${safe}; the next up exports again.`, state.file, { ...state, pending: [markRefused] });
  }
  const next = `the next up exports into a new file: keep this one, for its rows may be marked, and if its name would be the same, add {n} to path.`;
  const unread = await whatCameUnread(state, mark);
  const message = [`${safe}; ${next}`, unread].filter((each) => each !== undefined).join(" ");
  return new PartialFailure(message, state.file, { ...state, pending: [markUnknown] });
}

/** What came between the last look and the mark is marked and was not read. Nothing on this side can prevent that, so it's looked for and said. */
async function whatCameUnread(state: DataExportState, mark: TaskMark): Promise<string | undefined> {
  const came = await mark.rowsSinceLook().catch(messageOf);
  if (typeof came === "number" && came <= 0) {
    return undefined;
  }
  const what =
    typeof came === "number"
      ? `${came} rows came while they were marked, and may be marked as exported without being in a file.`
      : `Rows that came just before may be marked as exported without being in a file; whether any came cannot be seen: ${came}`;
  const next =
    state.scope === "all" ? "The next up exports all again." : `Export once with scope: "all", which reads every row.`;
  return `${what} ${next}`;
}
