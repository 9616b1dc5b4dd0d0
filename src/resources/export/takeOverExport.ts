import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { destinationOf } from "../../rows/destinations/destinationOf";
import { compareContent } from "../../rows/destinations/diskFile";
import { PartialFailure } from "../../values/errors";
import type { Context } from "../resource";
import type { OnceRequest } from "../task/requestJournal";
import { whenAndWho } from "../task/requestJournal";
import type { CompleteExport, DataExportArgs, DataExportState } from "./model";
import { outputsOf, pendingSteps } from "./model";

/**
 * An export that ended before a kill, and that no state holds. A second export of marked rows would find none of them,
 * and its state would name an empty file. So the next one takes over the file.
 */

/**
 * Notes a complete file that has no name yet, which a later process can send if this one cannot.
 * @param last the state of the last export, which this one replaces
 */
export async function noteUnsent(
  args: DataExportArgs,
  last: DataExportState | undefined,
  detail: CompleteExport,
  { journal }: Context,
): Promise<void> {
  await journal?.done({ ...sendingOf(args, last), detail: { ...detail } });
}

/** Notes the state that the export would have if this process were killed now. */
export async function noteExport(args: DataExportArgs, state: DataExportState, { journal }: Context): Promise<void> {
  await journal?.done({ ...requestOf(args), detail: { ...outputsOf(state), pending: state.pending } }, state.file);
}

/** Notes where the rows are before the first of them is marked. Until the export has ended, no other file has them. */
export async function noteMarking(args: DataExportArgs, path: string, { journal, folder }: Context): Promise<void> {
  await journal?.done({ ...requestOf(args), detail: { marking: relative(folder, path) } });
}

interface EarlierExport {
  /** Its state, if nothing is to be repeated. */
  done?: DataExportState;
  /** Its state, if the command of pipe may not have got the rows. */
  state?: DataExportState;
  /** Its file, if it could not be sent. */
  unsent?: CompleteExport;
}

/**
 * What the same export has left, if its file is unchanged: the command was killed after it, could not send the file, or
 * repeats the step.
 * @throws PartialFailure if the kill came between the file and the end of the mark: the rows may be marked
 */
export async function takeOverExport(
  args: DataExportArgs,
  last: DataExportState | undefined,
  context: Context,
): Promise<EarlierExport> {
  const { operation, inputs } = requestOf(args);
  const sending = await context.journal?.earlier(operation, sendingOf(args, last).inputs);
  const unsent = sending?.detail as CompleteExport | undefined;
  if (unsent !== undefined && (await compareContent(unsent.path, unsent.outputs.sha256)) === "same") {
    return { unsent };
  }
  const earlier = await context.journal?.earlier(operation, inputs);
  if (earlier?.id === undefined) {
    const { marking } = earlier?.detail ?? {};
    // Where it is, the next export gives it a name, and says so.
    if (earlier !== undefined && typeof marking === "string" && !existsSync(join(context.folder, marking))) {
      context.warn(
        `Rows of task "${args.taskId}" may have been marked as exported ${whenAndWho(earlier)}. They are in "${marking}" on ${earlier.process.host}, one a line: keep that file, because no other one contains them.`,
      );
    }
    return {};
  }
  const state = { ...args, ...earlier.detail } as DataExportState;
  const { file, rowCount, marked, pending = [] } = state;
  const was = `The ${rowCount} rows of task "${args.taskId}" were exported to "${file}" ${whenAndWho(earlier)}.`;
  const mayBeMarked = pending.includes(pendingSteps.unknownMark);
  if ((await destinationOf(file, context).compare(file, state)) !== "same") {
    if (args.scope === "notExported" && (marked || mayBeMarked)) {
      context.warn(
        `${was} That file is not here any more, or has changed. Its rows ${marked ? "are" : "may be"} marked, so this export does not read them again: keep that file.`,
      );
    }
    return {};
  }
  if (pending.includes(pendingSteps.pipe)) {
    return { state };
  }
  earlier.takeOver();
  if (mayBeMarked) {
    const next = "They may be marked, so keep this file. The next up exports into a new file.";
    throw new PartialFailure(`${was} ${next} If the path allows only this name, add {n} to it.`, file, state);
  }
  context.warn(`${was} The file was taken over, and the rows were not read again.`);
  return { done: state };
}

/** Without options, which do not affect what the export writes. */
function requestOf({
  pipeTimeoutSeconds,
  checks,
  verifyFile,
  onDelete,
  profile,
  ...inputs
}: DataExportArgs): OnceRequest {
  return { operation: "export", inputs, what: `file of the rows of task "${inputs.taskId}"` };
}

/**
 * A file that was not sent has passed these checks, against the last export. With others, its rows are read and checked
 * again.
 */
function sendingOf(args: DataExportArgs, last: DataExportState | undefined): OnceRequest {
  const request = requestOf(args);
  return { ...request, inputs: { ...request.inputs, sending: { checks: args.checks, last: last?.sha256 } } };
}
