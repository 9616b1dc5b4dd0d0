import type { Context } from "../resource";
import { PartialFailure } from "../resource";
import type { OnceRequest } from "../task/requestJournal";
import { timeOf } from "../task/requestJournal";
import { destinationOf } from "./destinations/destinationOf";
import { isRemote } from "./destinations/remotePath";
import type { DataExportArgs, DataExportState } from "./model";
import { pendingMark, pendingPipe } from "./model";

/**
 * An export that ended before a kill, and that no state holds. A second export of marked rows would find none of them, and its state would name
 * an empty file. So the next one takes over the file.
 */

type Outputs = Pick<
  DataExportState,
  "rowCount" | "file" | "bytes" | "sha256" | "etag" | "complete" | "marked" | "checked" | "pending"
>;

/**
 * `placed`: the file has its name, and the command of pipe gets its rows. `written`: the rows can be marked. `finished`: the rows are marked, or
 * stay unmarked.
 */
type Stage = "placed" | "written" | "finished";

/** Notes what an export has done. */
export async function noteExport(
  args: DataExportArgs,
  { rowCount, file, bytes, sha256, etag, complete, marked, checked, pending }: DataExportState,
  stage: Stage,
  { journal }: Context,
): Promise<void> {
  const outputs: Outputs = { rowCount, file, bytes, sha256, etag, complete, marked, checked, pending };
  await journal?.done({ ...requestOf(args), detail: { ...outputs, stage } }, file);
}

/** What a killed command has left. `isDone`: nothing of it is to be repeated. */
interface EarlierExport {
  state: DataExportState;
  isDone: boolean;
}

/**
 * The state of the same export by a command that was killed after it, if its file is unchanged.
 * @throws PartialFailure if the kill came between the file and the end of the mark: the rows may be marked
 */
export async function takeOverExport(args: DataExportArgs, context: Context): Promise<EarlierExport | undefined> {
  const { journal, settings } = context;
  const request = requestOf(args);
  const earlier = await journal?.earlier(request.operation, request.inputs);
  if (journal === undefined || earlier?.id === undefined || earlier.difference !== undefined) {
    return undefined;
  }
  const { stage, ...outputs } = earlier.detail as unknown as Outputs & { stage: Stage };
  const destination = await destinationOf(outputs.file, context);
  const found = await destination.compare(outputs.file, outputs).catch(async (error) => {
    throw await destination.failure(error, outputs.file, "No rows were read. ");
  });
  if (found !== "same") {
    return undefined;
  }
  const state: DataExportState = { ...args, ...outputs };
  if (stage === "placed") {
    return { state: { ...state, pending: [...(state.pending ?? []), pendingPipe] }, isDone: false };
  }
  journal.takeOver(request.operation, earlier.id);
  const was = `The ${outputs.rowCount} rows of task "${args.taskId}" were exported to "${outputs.file}" at ${timeOf(earlier.time)} by a run that ended before it could save its state.`;
  if (stage === "written" && args.markExported === true) {
    if (settings.markScope === "returned" && !isRemote(outputs.file)) {
      // Each page was marked before the file was complete. The rows of a remote file are marked after it.
      state.marked = true;
    } else if (outputs.rowCount > 0) {
      const next = "They may be marked, so keep this file. The next up exports into a new file.";
      throw new PartialFailure(`${was} ${next} If the path allows only this name, add {n} to it.`, outputs.file, {
        ...state,
        pending: [pendingMark.outcomeUnknown],
      });
    }
  }
  context.tookOver(`${was} The file was taken over, and the rows were not read again.`);
  return { state, isDone: true };
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
  return { operation: "export", inputs, what: `export of task "${inputs.taskId}"` };
}
