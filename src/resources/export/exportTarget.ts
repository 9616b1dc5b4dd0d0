import type { DataExportArgs, DataExportState } from "./dataExport";
import type { ExportFile } from "./exportFile";
import type { ExportName } from "./exportName";

/** Where the rows of an export go. */
export interface Target {
  args: DataExportArgs;
  name: ExportName;
  /** Whether a file of that name may be replaced. */
  mayReplace: boolean;
}

/** What is to do where the mark was not sent, or not taken: all of it again. None of the rows is marked by this export. */
export const markRefused = "mark";

/** What is to do after a mark whose outcome nobody knows, or after only some of the rows were marked: the rest, into another file. */
export const markUnknown = "mark with an unknown outcome";

/** Gives the file its name. @returns the state of the export that wrote it. */
export async function finish(
  file: ExportFile,
  target: Target,
  complete: boolean,
  marked: boolean,
): Promise<DataExportState> {
  const { args, name, mayReplace } = target;
  const written = await file.finish(args.format ?? "ndjson", mayReplace);
  return { ...args, ...written, file: name.file, complete, marked };
}
