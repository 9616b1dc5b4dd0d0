import type { RowPage } from "../../../service/rows/rowPage";
import type { DataExportState } from "../model";
import type { RowFile } from "../rowFile";

/**
 * Sets the exported mark of the rows. There is one implementation for each way in which a service marks rows. Other
 * exports that mark and writes of the same task wait meanwhile.
 */
export interface Marking {
  /** Whether a mark was sent. Then the rows in the file must not get lost. */
  readonly mayHaveMarked: boolean;
  /** Before the read. Throws if the rows could not be marked. */
  prepare(): Promise<void>;
  /** After each page was passed to the file. Throws if the rows could not be marked. */
  pageWritten(page: RowPage, file: RowFile): Promise<void>;
  /** The file is complete and has its name. Returns the state to keep, or throws a PartialFailure with it. */
  finish(state: DataExportState): Promise<DataExportState>;
}

export const responseWasLost = "a response to the read was lost, and it may have contained other rows";
export const readFromCache =
  "a cache on the way sent rows that it had stored before, and the mark could reach others: exclude the service from the cache";
