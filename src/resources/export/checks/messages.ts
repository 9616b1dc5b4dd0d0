import type { DataExportArgs, DataExportState } from "../model";
import type { FailedCheck } from "./checkedRows";

/** The checks that the rows did not pass, one on each line. */
export function failedInWords({ taskId }: DataExportArgs, failed: readonly FailedCheck[]): string {
  const lines = failed.map(({ check, reason }) => `\n  checks.${check}: ${reason}`);
  const count = failed.length === 1 ? "a check" : `${failed.length} checks`;
  return `The rows of task "${taskId}" did not pass ${count}:${lines.join("")}`;
}

interface Refusal {
  args: DataExportArgs;
  failed: readonly FailedCheck[];
  /** Where the rows are. Undefined if there are none. */
  written: Pick<DataExportState, "file" | "rowCount"> | undefined;
  /** The file of the last export. */
  last: string | undefined;
  /** Whether the service can return the rows only once. */
  comesOnce: boolean;
}

/** The error of an export whose rows did not pass. */
export function refusalInWords({ args, failed, written, last, comesOnce }: Refusal): string {
  const nothing = args.markExported === true ? " Nothing was marked as exported." : "";
  const sentences = [
    written === undefined ? "No row was read." : `The ${written.rowCount} rows are in "${written.file}".`,
    comesOnce && written !== undefined ? " Keep that file: the service might not return these rows again." : "",
    nothing,
    last === undefined ? "" : ` The file of the last export, "${last}", is unchanged.`,
    " Correct the task or the checks. The next up exports again.",
  ];
  return `${failedInWords(args, failed)}\n${sentences.join("")}`;
}
