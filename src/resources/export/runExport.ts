import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { relative } from "node:path";
import type { FailedCheck } from "../../rows/checkedRows";
import { RowsRefused } from "../../rows/checkedRows";
import { fileFailure } from "../../rows/destinations/destination";
import { formats } from "../../rows/formats/formats";
import { isStoreAddress } from "../../store/storeAddress";
import { inSpan } from "../../system/spans";
import { messageOf, PartialFailure, ResourceError } from "../../values/errors";
import type { Context } from "../resource";
import { describeFailed, describeRefusal } from "./checks/messages";
import { RowChecker } from "./checks/rowChecker";
import { SchemaChecker } from "./checks/rowSchema";
import { FilePlace } from "./filePlace";
import type { Marking } from "./marking";
import { markingOf } from "./marking";
import type { CompleteExport, DataExportArgs, DataExportState } from "./model";
import { marksPages, pendingSteps, rowsThatPassed, sharesThatPassed } from "./model";
import { runPipe } from "./pipe";
import { RowFile } from "./rowFile";
import { RowReader } from "./rowReader";
import { noteExport, noteUnsent, takeOverExport } from "./takeOverExport";

/**
 * The pipeline of an export: read pages, check them, write them to a temporary file in their format, give the file its
 * name, pass it to a command, mark the rows.
 * @param last the state of the last export, which this one replaces
 */
export async function runExport(
  args: DataExportArgs,
  last: DataExportState | undefined,
  context: Context,
): Promise<DataExportState> {
  const { done, state, unsent } = await beforeRead(args, takeOverExport(args, last, context));
  if (done !== undefined) {
    return done;
  }
  const before = state ?? last;
  const work = async (): Promise<DataExportState> => {
    const place = await beforeRead(args, FilePlace.find(args, before, context));
    const checker = checkerOf(args, before, context);
    const marking = markingOf(args, context);
    return exportRows({ args, last, before, context, place, checker, unsent, marking, rejects: true });
  };
  // Of two exports at a time, each could mark rows that only the other has, and a run could start between the last
  // check and the mark.
  return args.markExported === true ? context.tasks.exclusive(args.taskId, work) : work();
}

/** The same without a state and without a mark. */
export async function runCommandExport(args: DataExportArgs, context: Context): Promise<DataExportState> {
  const place = await beforeRead(args, FilePlace.find(args, undefined, context));
  return exportRows({ args, context, place, rejects: false });
}

async function beforeRead<T>({ path }: DataExportArgs, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    const failure = fileFailure(error, path);
    if (failure instanceof ResourceError) {
      failure.message += " No rows were read.";
    }
    throw failure;
  });
}

/** Without checks, no row is parsed. */
function checkerOf(
  { taskId, checks, scope, maxRows }: DataExportArgs,
  before: DataExportState | undefined,
  context: Context,
): RowChecker | undefined {
  if (checks === undefined) {
    return undefined;
  }
  const comparable = before?.scope === scope ? before : undefined;
  const passed = comparable === undefined ? undefined : rowsThatPassed(comparable);
  return new RowChecker({
    checks,
    schema: SchemaChecker.of(checks, taskId, context),
    lastPassed: passed === undefined ? undefined : Math.min(passed, maxRows ?? passed),
    lastFilled: comparable === undefined ? {} : sharesThatPassed(comparable),
  });
}

interface Export {
  args: DataExportArgs;
  last?: DataExportState | undefined;
  /** The export of an earlier process whose pipe did not get the rows, or the last one. */
  before?: DataExportState | undefined;
  context: Context;
  place: FilePlace;
  marking?: Marking | undefined;
  checker?: RowChecker | undefined;
  /** What an earlier process has read and written, and could not send. Its rows have passed the same checks. */
  unsent?: CompleteExport | undefined;
  /** Whether rows that are refused get a file of their own. */
  rejects: boolean;
}

function exportRows(work: Export): Promise<DataExportState> {
  const { args, context, marking, unsent } = work;
  const facts = () => ({ "webextract.task_id": args.taskId });
  return inSpan("export rows", facts, async (note) => {
    await marking?.prepare();
    const { state, content } = await (unsent === undefined ? writeRows(work) : put(work, unsent));
    const failed = failedIn(work);
    if (failed.length > 0) {
      context.warn(
        `${describeFailed(args, { failed, argument: "checks" })}\nThe rows are in "${state.file}", because onFail is "warn".`,
      );
    }
    const { pending = [], rowCount } = state;
    if (content !== undefined) {
      try {
        await noteExport(args, { ...state, pending: [...pending, pendingSteps.pipe] }, context);
        await runPipe(content, state, context);
      } finally {
        await content.close();
      }
    }
    if (marking !== undefined && rowCount > 0 && !state.marked) {
      await noteExport(args, { ...state, pending: [pendingSteps.unknownMark] }, context);
    }
    const marked = marking === undefined ? state : await marking.finish(state);
    await noteExport(args, marked, context);
    note({ "webextract.row_count": state.rowCount });
    return marked;
  });
}

/** The checks that the rows did not pass. */
function failedIn({ checker, unsent }: Export): FailedCheck[] {
  return unsent === undefined ? (checker?.failed() ?? []) : [];
}

interface Placed {
  state: DataExportState;
  /** The file, open to read, if a command gets it. */
  content?: FileHandle | undefined;
}

/** Reads the rows, and writes them to the file of the export. */
async function writeRows(work: Export): Promise<Placed> {
  const { args, context, place, marking, checker } = work;
  const marked = marksPages(args, context.settings);
  const file = await beforeRead(args, RowFile.open(place, args, marked, context));
  const reader = new RowReader(args, context, marked);
  const finish = async (): Promise<Placed> => {
    const { path, ...digest } = await file.inFormat(args);
    const checked = checker?.figures(failedIn(work));
    const { isComplete, wasRunning, pending } = reader;
    const outputs = { ...digest, rowCount: file.rowCount, complete: isComplete && !wasRunning, marked };
    file.kept = isKept(work) ? path : undefined;
    return put(work, { path, outputs: { ...outputs, ...(checked && { checked }), ...(pending && { pending }) } });
  };
  try {
    for await (const page of reader.pages()) {
      checker?.add(page);
      await file.write(page);
      await marking?.pageWritten(page, file);
    }
    checker?.requirePassed();
    requireRows(work, file.rowCount, reader.isComplete);
    return await finish();
  } catch (error) {
    if (error instanceof RowsRefused) {
      throw await reject(work, file, error);
    }
    throw marking?.mayHaveMarked === true
      ? await keepMarked(work, file, error, finish)
      : fileFailure(error, place.name);
  } finally {
    await file.remove();
  }
}

/** Gives the complete file its name. */
async function put(work: Export, complete: CompleteExport): Promise<Placed> {
  const { args, last, context, place } = work;
  const { path, outputs } = complete;
  if (isKept(work)) {
    await noteUnsent(args, last, complete, context);
  }
  // The destination can move the file away, and the command of pipe gets what was written.
  const content = args.pipe === undefined ? undefined : await open(path);
  try {
    return { state: { ...args, ...outputs, ...(await place.put(path, outputs)) }, content };
  } catch (error) {
    await content?.close();
    const problem = fileFailure(error, place.name);
    if (isKept(work) && problem instanceof Error) {
      problem.message += ` The complete file is "${relative(context.folder, path)}". The next up sends it, if the export and its checks are the same.`;
    }
    throw problem;
  }
}

/**
 * Whether a complete file that could not be sent stays for the next up. Rows to mark are read again instead, to know
 * what a mark reaches, and so are rows that did not pass, because only their checks know why.
 */
function isKept(work: Export): boolean {
  const { args, context } = work;
  const isSendable = isStoreAddress(args.path) && context.journal?.isKept === true && args.markExported !== true;
  return isSendable && failedIn(work).length === 0;
}

/**
 * No rows, or a part of those that the service reports, are mostly a mistake of the service or of the task, and never
 * better than more rows. A larger `minRows` allows them no more than none, also where it only warns.
 */
function requireRows({ args, before, place }: Export, rowCount: number, isComplete: boolean): void {
  const { rowsToReplace } = place;
  const isCut = before?.complete === true && !isComplete && rowCount < (args.maxRows ?? rowsToReplace);
  if (
    (rowCount === 0 || isCut) &&
    rowCount < rowsToReplace &&
    rowCount < (args.checks?.minRows ?? Number.POSITIVE_INFINITY)
  ) {
    const what = rowCount === 0 ? "0 rows" : `${rowCount} rows, which are not all that the service reports,`;
    const reason = `${what} would replace the ${rowsToReplace} rows of "${place.name}"; to allow it, set checks.minRows: ${rowCount}`;
    throw new RowsRefused([{ check: "minRows", reason }]);
  }
}

/**
 * Writes rows that did not pass to a file of their own. Rows for Parquet and XLSX are written one on each line: they
 * may not fit their columns, and people look at them.
 */
async function reject({ args, before, place, rejects }: Export, file: RowFile, refused: RowsRefused): Promise<unknown> {
  const { rowCount } = file;
  if (!rejects) {
    return new ResourceError(
      `${describeFailed(args, refused)}\nNo file was written. Correct the task or the ${refused.argument}, then run the command again.`,
    );
  }
  try {
    const format = formats[args.format ?? "ndjson"].compressesItself === undefined ? args : {};
    const { path, ...content } = await file.inFormat(format);
    const written = rowCount === 0 ? undefined : { ...(await place.putBeside(path, content)), rowCount };
    return new ResourceError(describeRefusal(args, refused, written, before?.file));
  } catch (problem) {
    return fileFailure(problem, place.name);
  }
}

/** Rows that may be marked become a usual file with a state. If that fails too, they stay in the temporary file. */
async function keepMarked(
  { context, place }: Export,
  file: RowFile,
  error: unknown,
  finish: () => Promise<Placed>,
): Promise<Error> {
  await file.cut().catch(() => undefined);
  const { path, rowCount } = file;
  const failed = `${messageOf(fileFailure(error, place.name))} ${rowCount} rows were read, and they may be marked as exported.`;
  try {
    const { state } = await finish();
    const message = `${failed} All of them are in "${state.file}". Keep that file. The next up exports the rows that are not marked.`;
    return new PartialFailure(message, state.file, { ...state, marked: false, pending: [pendingSteps.unknownMark] });
  } catch {
    file.kept = path;
    return new ResourceError(
      `${failed} All of them are in "${relative(context.folder, path)}", one a line. Keep that file.`,
    );
  }
}
