import type { Context } from "../resource";
import type { Marking } from "./marking/marking";
import { NoMarking } from "./marking/noMarking";
import { ReturnedMarking } from "./marking/returnedMarking";
import { TaskMarking } from "./marking/taskMarking";
import type { DataExportArgs, DataExportState } from "./model";
import { OutputFile } from "./outputFile";
import { ResumableRead } from "./resumableRead";

/**
 * The pipeline of an export: read pages, check them, write them to the file, give the file its format and its name, mark the rows.
 * @param before the state of the last export, which this one replaces
 */
export async function runExport(
  args: DataExportArgs,
  before: DataExportState | undefined,
  context: Context,
): Promise<DataExportState> {
  const file = await OutputFile.claim(args, before, context);
  try {
    const marking = markingOf(args, context);
    const work = (): Promise<DataExportState> => exportRows(args, file, marking);
    return await (marking.isExclusive ? context.exclusive(args.taskId, work) : work());
  } finally {
    file.release();
  }
}

/**
 * The same without a state and without a mark. If the export ends early, the rows stay beside the file, and the next export continues after them.
 * @param service the address of the service
 */
export async function runResumableExport(
  args: DataExportArgs,
  service: string,
  context: Context,
  { keepsRows = true } = {},
): Promise<DataExportState> {
  const file = await OutputFile.claim(args, undefined, context);
  const reading = new ResumableRead(args, context, { service, keepsRows });
  try {
    return await exportRows(args, file, reading);
  } finally {
    file.release();
    await reading.release();
  }
}

function markingOf(args: DataExportArgs, context: Context): Marking {
  if (args.markExported !== true) {
    return new NoMarking(args, context);
  }
  return context.settings.markScope === "returned"
    ? new ReturnedMarking(args, context)
    : new TaskMarking(args, context);
}

async function exportRows(args: DataExportArgs, file: OutputFile, marking: Marking): Promise<DataExportState> {
  await file.open(await marking.prepare(file), marking.kept);
  let state: DataExportState;
  try {
    for await (const page of marking.pages(file)) {
      marking.check(page);
      await file.write(page);
    }
    state = { ...args, ...(await file.finish()), complete: marking.isComplete, marked: false };
  } catch (error) {
    throw await marking.fail(file, await file.cannotBeWritten(error));
  }
  return marking.finish(state);
}
