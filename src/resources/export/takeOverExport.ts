import type { Context } from "../resource";
import { PartialFailure } from "../resource";
import type { OnceRequest } from "../task/requestJournal";
import { timeOf } from "../task/requestJournal";
import { destinationOf } from "./destinations/destinationOf";
import { compareContent } from "./destinations/diskFile";
import type { NamedFile } from "./filePlace";
import type { DataExportArgs, DataExportState } from "./model";
import { pendingMark, pendingPipe } from "./model";

/**
 * An export that ended before a kill, and that no state holds. A second export of marked rows would find none of them, and its state would name
 * an empty file. So the next one takes over the file.
 */

type Outputs = Pick<DataExportState, "rowCount" | "bytes" | "sha256" | "complete" | "marked" | "checked" | "pending">;

/** An export whose file is complete and has no name yet. */
export interface CompleteExport {
  path: string;
  outputs: Outputs;
}

/**
 * `placed`: the file has its name, and the command of pipe gets its rows. `written`: the rows can be marked. `finished`: the rows are marked, or
 * stay unmarked.
 */
type Stage = "placed" | "written" | "finished";

/** Notes a complete file, which a later process can send if this one cannot. */
export async function noteUpload(
  args: DataExportArgs,
  { path, outputs }: CompleteExport,
  send: () => Promise<NamedFile>,
  { journal }: Context,
): Promise<NamedFile> {
  const request = { ...requestOf(args), detail: { ...outputs, path } };
  return journal === undefined ? send() : journal.once(request, send, ({ file }) => file);
}

/** Notes what an export has done. */
export async function noteExport(
  args: DataExportArgs,
  { rowCount, file, bytes, sha256, etag, complete, marked, checked, pending }: DataExportState,
  stage: Stage,
  { journal }: Context,
): Promise<void> {
  const outputs = { rowCount, file, bytes, sha256, etag, complete, marked, checked, pending };
  await journal?.done({ ...requestOf(args), detail: { ...outputs, stage } }, file);
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
 * What the same export by an earlier command has left, if its file is unchanged: the command was killed after it, or could not send the file.
 * @throws PartialFailure if the kill came between the file and the end of the mark: the rows may be marked
 */
export async function takeOverExport(args: DataExportArgs, context: Context): Promise<EarlierExport | undefined> {
  const { operation, inputs } = requestOf(args);
  const earlier = await context.journal?.earlier(operation, inputs);
  if (earlier === undefined) {
    return undefined;
  }
  if (earlier.id === undefined) {
    const { path, ...outputs } = earlier.detail as unknown as Outputs & { path: string };
    const isUsable = args.markExported !== true && (await compareContent(path, outputs.sha256)) === "same";
    return isUsable ? { unsent: { path, outputs } } : undefined;
  }
  const { stage, ...outputs } = earlier.detail as unknown as Outputs & NamedFile & { stage: Stage };
  const destination = await destinationOf(outputs.file, context);
  if ((await destination.compare(outputs.file, outputs)) !== "same") {
    return undefined;
  }
  const state: DataExportState = { ...args, ...outputs };
  if (stage === "placed") {
    return { state: { ...state, pending: [...(state.pending ?? []), pendingPipe] } };
  }
  earlier.takeOver();
  const was = `The ${outputs.rowCount} rows of task "${args.taskId}" were exported to "${outputs.file}" at ${timeOf(earlier.time)} by a run that ended before it could save its state.`;
  if (stage === "written" && args.markExported === true && !state.marked && state.rowCount > 0) {
    const next = "They may be marked, so keep this file. The next up exports into a new file.";
    throw new PartialFailure(`${was} ${next} If the path allows only this name, add {n} to it.`, outputs.file, {
      ...state,
      pending: [pendingMark.outcomeUnknown],
    });
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
