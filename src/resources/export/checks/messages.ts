import type { RowsRefused } from "../../../rows/checkedRows";
import { writtenAs } from "../../../rows/formats/formats";
import { shellWord } from "../../../values/words";
import type { DataExportArgs, DataExportState } from "../model";

/** The checks that the rows did not pass, one on each line. */
export function describeFailed({ taskId, format }: DataExportArgs, { failed, argument }: Failures): string {
  const lines = failed.map(
    ({ check, reason }) => `\n  ${argument === "format" ? "" : `${argument}.`}${check}: ${reason}`,
  );
  const count = (one: string): string => (failed.length === 1 ? `a ${one}` : `${failed.length} ${one}s`);
  const what = {
    checks: `did not pass ${count("check")}`,
    columns: `do not fit the type of ${count("column")}`,
    format: `do not fit the format "${format}"`,
  };
  return `The rows of task "${taskId}" ${what[argument]}:${lines.join("")}`;
}

type Failures = Pick<RowsRefused, "failed" | "argument">;

/** The command that shows what differs. Other endings say nothing of the format, or name one that it does not read. */
function comparing({ checks }: DataExportArgs, last: string, rejected: string): string {
  const files = [last, rejected];
  if (!files.every((each) => writtenAs(each) !== undefined)) {
    return "";
  }
  const unique = Object.entries(checks?.fields ?? {}).find(([, field]) => field.unique === true)?.[0];
  const words = [...files, ...(unique === undefined ? [] : ["--key", unique])].map(shellWord);
  return ` To compare them: "webextract compare ${words.join(" ")}".`;
}

/**
 * The error of an export whose rows did not pass.
 * @param written where the rows are. Undefined if there are none
 * @param last the file of the last export
 */
export function describeRefusal(
  args: DataExportArgs,
  refused: Failures,
  written: Pick<DataExportState, "file" | "rowCount"> | undefined,
  last: string | undefined,
): string {
  const sentences = [
    written === undefined ? "No row was read." : `The ${written.rowCount} rows are in "${written.file}".`,
    args.markExported === true ? " Nothing was marked as exported." : "",
    last === undefined ? "" : ` The file of the last export, "${last}", is unchanged.`,
    last === undefined || written === undefined ? "" : comparing(args, last, written.file),
    ` Correct the task or the ${refused.argument}. The next up exports again.`,
  ];
  return `${describeFailed(args, refused)}\n${sentences.join("")}`;
}
