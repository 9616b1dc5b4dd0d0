import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { messageOf, PartialFailure, ResourceError } from "../../resource";
import type { DataExportArgs, DataExportState } from "../model";
import { pendingMark } from "../model";
import type { RowFile } from "../rowFile";
import type { Marking } from "./marking";
import { responseWasLost } from "./marking";

/**
 * Marks rows on a service that marks the rows that it returned (`webextract:markScope` is "returned"). Either each page is read, written, synced
 * and marked, until no row is left, or all rows come in one response, and are marked when the file has its name.
 */
export class ReturnedMarking implements Marking {
  /** Of two exports at a time, each would mark rows that only the other has. */
  readonly isExclusive = true;
  mayHaveMarked = false;

  /** @param marksPages whether each page is marked before the next one is read */
  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
    private readonly marksPages: boolean,
  ) {}

  async prepare(): Promise<void> {}

  async pageWritten(page: RowPage, file: RowFile): Promise<void> {
    const { taskId } = this.args;
    if (page.afterLoss === true) {
      throw new ResourceError(
        `The rows of task "${taskId}" were not marked as exported: ${responseWasLost}. Run the same command again.`,
      );
    }
    if (this.marksPages && page.count > 0) {
      await file.flush();
      this.mayHaveMarked = true;
      await this.context.client.markExported({ taskId });
    }
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    if (!this.marksPages && state.rowCount > 0) {
      try {
        await this.context.client.markExported({ taskId: state.taskId });
      } catch (error) {
        // Also after a refusal: the next mark reaches them too.
        const message = `${messageOf(error)} The ${state.rowCount} rows are in "${state.file}". They may be marked, so keep this file. The next up exports the rows that are not marked.`;
        const pending = [pendingMark.outcomeUnknown];
        throw new PartialFailure(message, state.file, { ...state, pending });
      }
    }
    return { ...state, marked: true };
  }
}
