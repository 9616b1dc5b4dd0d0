import type { PeersResult, PhaseName } from "../peers/result";
import { markdownTable, withUnit } from "../report";
import type { Saved } from "./results";

const titles = ["tasks", "use", "first `up`", "`up` without changes", "refresh", "requests", "memory"] as const;

/** What users choose by the number of their tasks, and what it costs: with checkpoints from the peers, without them from the bench `fleet`. */
export function sizesText({ benches, peers }: Saved): string {
  const small = peers
    .filter(({ requestsPerSecond, tasks }) => requestsPerSecond === undefined && tasks <= 100)
    .flatMap((result) => [
      ...smallRow(result, "ExtractionTask", "ExtractionTask"),
      ...smallRow(result, "fine-grained", "three resources a task"),
    ]);
  const figures = benches.find(({ bench }) => bench === "fleet")?.figures ?? [];
  const sizes = figures.flatMap(({ name }) => /^([\d,]+) tasks: first up$/.exec(name)?.[1] ?? []);
  if (small.length === 0 || sizes.length === 0) {
    throw new Error("there are no results of the peers with up to 100 tasks, or none of the bench fleet");
  }
  const large = sizes.map((tasks) => {
    const cell = (name: string): string => {
      const figure = figures.find((each) => each.name === `${tasks} tasks: ${name}`);
      if (figure === undefined) {
        throw new Error(`the results of fleet lack "${tasks} tasks: ${name}"`);
      }
      return figure.unit === "s" ? withUnit(Math.round(figure.value), "s") : withUnit(figure.value, figure.unit);
    };
    const cells = ["first up", "unchanged up", "refresh", "first up, requests", "memory of the program"].map(cell);
    return [tasks, "ExtractionTask, no checkpoints", ...cells];
  });
  return markdownTable(
    titles,
    [...small, ...pluginRows(benches), ...large].map((row) => row.map((cell) => cell.replace(" requests", ""))),
  );
}

/** A program in YAML on the native plugin, once it was measured. */
function pluginRows(benches: Saved["benches"]): string[][] {
  const figures = benches.find(({ bench }) => bench === "plugin-ways")?.figures;
  if (figures === undefined) {
    return [];
  }
  const cells = ["first up", "unchanged up", "refresh", "requests", "memory of the provider"].map((what) => {
    const name = `100 tasks: YAML on the plugin, ${what}`;
    const figure = figures.find((each) => each.name === name);
    if (figure === undefined) {
      throw new Error(`the results of plugin-ways lack "${name}"`);
    }
    return withUnit(figure.unit === "s" ? Math.round(figure.value) : figure.value, figure.unit);
  });
  return [["100", "ExtractionTask in YAML, native plugin", ...cells]];
}

function smallRow({ tasks, peers }: PeersResult, name: string, use: string): string[][] {
  const found = peers.find(({ peer }) => peer === name);
  if (found === undefined) {
    return [];
  }
  const seconds = (phase: PhaseName): string => {
    const measured = found.phases[phase];
    return measured === undefined ? "" : withUnit(Math.round(measured.wallSeconds), "s");
  };
  const { requests = 0, programMegabytes = 0 } = found.phases["first up"] ?? {};
  const times = [seconds("first up"), seconds("unchanged up"), seconds("refresh")];
  return [[String(tasks), use, ...times, String(requests), withUnit(programMegabytes, "MB")]];
}
