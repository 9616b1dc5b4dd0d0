import type { RowPage } from "../../../service/rows/rowPage";
import type { DataExportState } from "../model";
import type { OutputFile } from "../outputFile";

/**
 * What an export does about the exported mark. There is one strategy for each way in which the service marks rows; `markingOf` chooses it. A strategy
 * also determines how the rows are read, because some services return a row only once, and what remains of an export that failed.
 */
export interface Marking {
  /** Whether other exports and writes of the same task must wait. */
  readonly isExclusive: boolean;
  /** Whether the pages were all rows that there are. Valid after the last page. */
  readonly isComplete: boolean;
  /** Before a file is made. Throws if the rows could not be marked. Returns the path of the temporary file, if it needs a special one. */
  prepare(file: OutputFile): Promise<string | undefined>;
  /** Reads the rows. The next page is requested only after the page before was passed to `file.write`. */
  pages(file: OutputFile): AsyncGenerator<RowPage, void, void>;
  /** Before each page is written. Throws if the rows could not be marked. */
  check(page: RowPage): void;
  /** The rows have their file, or another one because they were refused. */
  written?(): Promise<void>;
  /** The file is complete and has its name. Returns the state to keep, or throws a PartialFailure with it. */
  finish(state: DataExportState): Promise<DataExportState>;
  /** The export failed before the file had its name. Removes the file, or keeps it and says where it is. Returns the error to throw. */
  fail(file: OutputFile, error: unknown): Promise<unknown>;
  /** Call it at the end of the export. */
  release?(): Promise<void>;
}
