import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { RowsRefused } from "./checks/checkedRows";
import { describeFailed, describeRefusal } from "./checks/messages";
import { RowChecker } from "./checks/rowChecker";
import { SchemaChecker } from "./checks/rowSchema";
import { CommandRead } from "./marking/commandRead";
import type { Marking } from "./marking/marking";
import { NoMarking } from "./marking/noMarking";
import { ReturnedMarking } from "./marking/returnedMarking";
import { TaskMarking } from "./marking/taskMarking";
import type { DataExportArgs, DataExportState } from "./model";
import { mayComeOnce, rowsThatPassed, sharesThatPassed } from "./model";
import { OutputFile } from "./outputFile";
import { runPipe } from "./pipe";
import { noteExport, takeOverExport } from "./takeOverExport";

/**
 * The pipeline of an export: read pages, check them, write them to the file, give the file its format and its name, pass it to a command,
 * mark the rows.
 * @param last the state of the last export, which this one replaces
 */
export async function runExport(
  args: DataExportArgs,
  last: DataExportState | undefined,
  context: Context,
): Promise<DataExportState> {
  const earlier = await takeOverExport(args, context);
  if (earlier?.isDone === true) {
    return earlier.state;
  }
  const before = earlier?.state ?? last;
  const file = await OutputFile.claim(args, before, context);
  try {
    const checker = await checkerOf(args, before, context);
    const marking = markingOf(args, context, checker);
    const work = (): Promise<DataExportState> =>
      exportRows({ args, before, context, file, marking, checker, rejects: true });
    return await (marking.isExclusive ? context.exclusive(args.taskId, work) : work()).finally(() =>
      marking.release?.(),
    );
  } finally {
    file.release();
  }
}

/**
 * The same without a state and without a mark.
 * @param keepsRows whether the rows of an export that fails stay, in a file that the error names
 */
export async function runCommandExport(
  args: DataExportArgs,
  context: Context,
  { keepsRows = true } = {},
): Promise<DataExportState> {
  const file = await OutputFile.claim(args, undefined, context);
  try {
    const marking = new CommandRead(args, context, keepsRows);
    return await exportRows({ args, context, file, marking, rejects: false });
  } finally {
    file.release();
  }
}

function markingOf(args: DataExportArgs, context: Context, checker: RowChecker | undefined): Marking {
  if (args.markExported !== true) {
    return new NoMarking(args, context);
  }
  return context.settings.markScope === "returned"
    ? new ReturnedMarking(args, context, checker)
    : new TaskMarking(args, context);
}

/** Without checks, no row is parsed. */
async function checkerOf(
  { taskId, checks, scope, maxRows }: DataExportArgs,
  before: DataExportState | undefined,
  context: Context,
): Promise<RowChecker | undefined> {
  if (checks === undefined) {
    return undefined;
  }
  const comparable = before?.scope === scope ? before : undefined;
  const passed = comparable === undefined ? undefined : rowsThatPassed(comparable);
  return new RowChecker({
    checks,
    schema: await SchemaChecker.of(checks, taskId, context),
    lastPassed: passed === undefined ? undefined : Math.min(passed, maxRows ?? passed),
    lastFilled: comparable === undefined ? {} : sharesThatPassed(comparable),
  });
}

interface Export {
  args: DataExportArgs;
  before?: DataExportState;
  context: Context;
  file: OutputFile;
  marking: Marking;
  checker?: RowChecker;
  /** Whether rows that are refused get a file of their own. */
  rejects: boolean;
}

async function exportRows(work: Export): Promise<DataExportState> {
  const { args, context, file, marking, checker } = work;
  await file.open(await marking.prepare(file));
  let state: DataExportState;
  try {
    for await (const page of marking.pages(file)) {
      marking.check(page);
      checker?.add(page);
      await file.write(page);
    }
    checker?.requirePassed();
    requireRows(work);
    state = { ...args, ...(await file.finish()), complete: marking.isComplete, marked: false };
  } catch (error) {
    throw await failureOf(work, error);
  }
  await marking.written?.();
  if (checker !== undefined) {
    const failed = checker.failed();
    state.checked = checker.figures(failed);
    if (failed.length > 0) {
      context.warn(
        `${describeFailed(args, { failed, argument: "checks" })}\nThe rows are in "${state.file}", because onFail is "warn".`,
      );
    }
  }
  if (file.content !== undefined) {
    try {
      await noteExport(args, state, "placed", context);
      await runPipe(file.content, state, context);
    } finally {
      await file.content.close();
    }
  }
  await noteExport(args, state, "written", context);
  const marked = await marking.finish(state);
  await noteExport(args, marked, "finished", context);
  return marked;
}

/** No rows, or a part of those that the service reports, are mostly a mistake of the service or of the task, and never better than more rows. */
function requireRows({ args, before, file, marking }: Export): void {
  const { rowCount, rowsToReplace } = file;
  const isCut = before?.complete === true && !marking.isComplete && rowCount < (args.maxRows ?? rowsToReplace);
  if ((rowCount === 0 || isCut) && rowCount < rowsToReplace && args.checks?.minRows === undefined) {
    const what = rowCount === 0 ? "0 rows" : `${rowCount} rows, which are not all that the service reports,`;
    const reason = `${what} would replace the ${rowsToReplace} rows of "${file.name}"; to allow it, set checks.minRows: ${rowCount}`;
    throw new RowsRefused([{ check: "minRows", reason }]);
  }
}

async function failureOf(work: Export, error: unknown): Promise<unknown> {
  const { file, marking } = work;
  if (!(error instanceof RowsRefused)) {
    return marking.fail(file, await file.cannotBeWritten(error));
  }
  if (!work.rejects) {
    return marking.fail(
      file,
      new ResourceError(
        `${describeFailed(work.args, error)}\nNo file was written. Correct the types of the columns, or the task, then run the command again.`,
      ),
    );
  }
  try {
    return await reject(work, error);
  } catch (problem) {
    return marking.fail(file, await file.cannotBeWritten(problem));
  }
}

async function reject({ args, before, context, file, marking }: Export, refused: RowsRefused): Promise<ResourceError> {
  const written = file.rowCount === 0 ? undefined : await file.reject();
  if (written === undefined) {
    await file.discard();
  }
  await marking.written?.();
  const comesOnce = mayComeOnce(args, context.settings);
  return new ResourceError(describeRefusal({ args, refused, written, last: before?.file, comesOnce }));
}
