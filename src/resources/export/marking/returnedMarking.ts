import type { RowPage } from "../../../service/rows/rowPage";
import type { Context } from "../../resource";
import { messageOf, PartialFailure, ResourceError } from "../../resource";
import type { DataExportArgs, DataExportState } from "../model";
import { marksPages, pendingMark } from "../model";
import type { RowFile } from "../rowFile";
import type { Marking } from "./marking";
import { readFromCache, responseWasLost } from "./marking";

/**
 * Marks rows on a service that marks the rows that it returned (`webextract:markScope` is "returned"). Either each page
 * is read, written, synced and marked, until no row is left, or all rows come in one response, and are marked when the
 * file has its name.
 */
export class ReturnedMarking implements Marking {
  mayHaveMarked = false;

  constructor(
    private readonly args: DataExportArgs,
    private readonly context: Context,
  ) {}

  async prepare(): Promise<void> {}

  async pageWritten(page: RowPage, file: RowFile): Promise<void> {
    const { taskId } = this.args;
    if (page.afterLoss === true || this.context.client.cacheAge !== undefined) {
      const reason = page.afterLoss === true ? responseWasLost : readFromCache;
      throw new ResourceError(
        `The rows of task "${taskId}" were not marked as exported: ${reason}. Run the same command again.`,
      );
    }
    if (marksPages(this.args, this.context.settings) && page.count > 0) {
      await file.flush();
      this.mayHaveMarked = true;
      await this.context.client.markExported({ taskId });
    }
  }

  async finish(state: DataExportState): Promise<DataExportState> {
    const { taskId, rowCount, file } = state;
    if (!marksPages(this.args, this.context.settings) && rowCount > 0) {
      try {
        await this.context.client.markExported({ taskId });
      } catch (error) {
        // Also after a refusal: the next mark reaches them too.
        const message = `${messageOf(error)} The ${rowCount} rows are in "${file}". They may be marked, so keep this file. The next up exports the rows that are not marked.`;
        throw new PartialFailure(message, file, { ...state, pending: [pendingMark.outcomeUnknown] });
      }
    }
    return { ...state, marked: true };
  }
}
