import type { Goal } from "../figure";
import type { Result } from "../report";
import { withUnit } from "../report";

const bench = "export-formats";
const whole = "gzip, the whole export, against gzip -6 alone";
const added = "gzip, without the time to read the rows, against gzip -6 alone";

/** Says in words what the goal of a compressed export counts, and what it does not. */
export function gzipText(results: readonly Result[]): string {
  const figures = results.find((result) => result.bench === bench)?.figures ?? [];
  const find = (name: string): { value: number; goal?: Goal } => {
    const figure = figures.find((each) => each.name === name);
    if (figure === undefined) {
      throw new Error(`the results of ${bench} lack "${name}"`);
    }
    return figure;
  };
  const { value, goal } = find(added);
  const ratio = find(whole).value;
  if (goal === undefined) {
    throw new Error(`"${added}" has no goal`);
  }
  const limit = withUnit(goal.value, "x");
  const reached = ratio < goal.value ? `would miss ${limit}` : `would also reach ${limit}`;
  const share = Math.round((1 - ratio / value) * 100);
  return [
    `**The goal of gzip is for a part of the export only.** The goal, ${goal.kind} ${limit} of the speed of \`gzip -6\` alone, counts the time that gzip`,
    `adds to the same export without compression. By this time, the speed is ${withUnit(value, "x")} of \`gzip -6\` alone.`,
    `The whole export with gzip has ${withUnit(ratio, "x")} of the speed of \`gzip -6\` alone. It has no goal, and it ${reached}.`,
    `Of its time, ${share} % is the export without compression. Most of that is the reading of the rows from the service; \`gzip -6\` alone reads them from a file.`,
  ].join("\n");
}
