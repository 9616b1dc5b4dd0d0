import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Figure, Goal } from "../../figure";
import { atLeast, atMost, under } from "../../figure";
import type { Measured } from "../../measure/measured";
import { measured, peakMegabytes, timesOf } from "../../measure/measured";
import { runAlone } from "../../stage/alone";
import { credentials } from "../../stage/emulatorProcess";
import type { FinishedRun } from "../../stage/finishedRun";
import { withFinishedRun } from "../../stage/finishedRun";
import { hostProcess, withStack } from "../../stage/stack";

export const rows = 1_000_000;
/** A generated row has about 200 bytes. A smaller file is incomplete. */
const leastRowBytes = 150;
const pageSize = 1000;
/** Of an export in its own process or in the provider host. */
export const memoryGoal: Goal = under(300);

const formats = ["ndjson", "json", "csv"] as const;
type Format = (typeof formats)[number] | "parquet";

/** A large export on the real engine, in each format. */
export const exportRows: Bench = {
  name: "export",
  summary: "a run of 1,000,000 rows exported to a file, on the engine, in each format",
  async run() {
    const figures: Figure[] = [];
    const seconds: Partial<Record<Format, number>> = {};
    for (const format of formats) {
      const run = await exportOnEngine(format);
      seconds[format] = run.wallSeconds;
      figures.push(...figuresOfRun(format, run));
    }
    const { csv = Number.NaN, ndjson = Number.NaN } = seconds;
    // CSV is made from the NDJSON file, so it takes longer.
    return [...figures, { name: "csv against ndjson: pulumi up", value: csv / ndjson, unit: "x", goal: atMost(3) }];
  },
};

interface EngineRun extends Measured<unknown> {
  hostMegabytes: number;
}

export async function exportOnEngine(
  format: Format,
  path = `rows.${format}`,
  env: Readonly<Record<string, string>> = {},
): Promise<EngineRun> {
  const program = `
const run = new webextract.CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 1 });
const args = { taskId: copy.id, scope: "batch", lotNo: run.id, format: "${format}", path: "${path}" };
const { rowCount, bytes, complete } = new webextract.DataExport("rows", args);
module.exports = { rowCount, bytes, complete };`;
  return await withStack({ program, env, template: { syntheticRows: rows } }, async (project) => {
    const run = await measured(() => project.up());
    requireAll(await project.outputs(), format === "parquet");
    return { ...run, hostMegabytes: peakMegabytes(run, hostProcess) };
  });
}

export function figuresOfRun(format: Format, run: EngineRun): Figure[] {
  return [
    { name: `${format}: memory of the provider host`, value: run.hostMegabytes, unit: "MB", goal: memoryGoal },
    ...timesOf(`${format}: pulumi up`, run),
  ];
}

/** One check of each kind. The rows pass. */
const checks = {
  minRows: rows,
  fields: {
    number: { filled: 1, unique: true },
    price: { filled: 0.95, type: "number" },
    url: { type: "url" },
  },
};

/** The same export with checks and without, by processor time, because other work on the machine affects it less. */
export const exportChecks: Bench = {
  name: "export-checks",
  summary: "the export of 1,000,000 rows with checks of three fields, against the same without checks",
  run: () =>
    withFinishedRun(rows, async (run) => {
      const plain = await exportOnce(run, "ndjson");
      const checked = await exportOnce(run, "ndjson", { checks, path: "checked.ndjson" });
      return [
        { name: "without checks, processor time", value: plain.cpuSeconds, unit: "cpu s" },
        { name: "with checks, processor time", value: checked.cpuSeconds, unit: "cpu s" },
        { name: "with checks: memory", value: checked.peakBytes / 1e6, unit: "MB", goal: memoryGoal },
        {
          name: "with checks against without",
          value: checked.cpuSeconds / plain.cpuSeconds,
          unit: "x",
          goal: atMost(2),
        },
      ];
    }),
};

/** Compares in one run: the export, a simple axios loop, and the speed of the service. */
export const exportPeers: Bench = {
  name: "export-peers",
  summary: "the export against an axios loop, and against 8 connections that discard the rows",
  run: () =>
    withFinishedRun(rows, async (run) => {
      const { url, taskId, lotNo, folder } = run;
      const pages = `${url}/data/lotno/all?${new URLSearchParams({ taskId, lotno: lotNo, size: String(pageSize) })}`;
      const task = { pages, accessToken: credentials.accessToken, rows, pageSize, connections: 8 };
      const ours = await exportOnce(run, "ndjson");
      const loop = await runAlone("axiosLoop", { folder, task: { ...task, path: join(folder, "loop.ndjson") } });
      const discard = await runAlone("discard", { folder, task });
      if ((await stat(join(folder, "loop.ndjson"))).size !== ours.outs?.bytes) {
        throw new Error("the axios loop did not write all rows");
      }
      return [
        { name: "export", value: rows / ours.seconds, unit: "rows/s" },
        { name: "axios loop", value: rows / loop.seconds, unit: "rows/s" },
        { name: "8 connections, rows discarded", value: rows / discard.seconds, unit: "rows/s" },
        ratio("export against the axios loop", loop.seconds / ours.seconds, 5),
        ratio("export against 8 connections", discard.seconds / ours.seconds, 0.6),
      ];
    }),
};

export function ratio(name: string, value: number, least: number): Figure {
  return { name, value, unit: "x", goal: atLeast(least) };
}

export async function exportOnce(
  { url, taskId, lotNo, folder }: FinishedRun,
  format: Format,
  more: object = {},
  environment: Readonly<Record<string, string>> = {},
): ReturnType<typeof runAlone> {
  const args = { taskId, scope: "batch", lotNo, format, path: `rows.${format}`, ...more };
  const env = { ...environment, WEBEXTRACT_BASE_URL: url, WEBEXTRACT_ACCESS_TOKEN: credentials.accessToken };
  const result = await runAlone("handlers", { folder, task: { type: "DataExport", args }, env });
  requireAll(result.outs ?? {}, format === "parquet" || "compression" in more);
  return result;
}

function requireAll({ rowCount, bytes, complete }: Record<string, unknown>, isCompressed: boolean): void {
  if (rowCount !== rows || complete !== true || Number(bytes) < (isCompressed ? 1 : rows * leastRowBytes)) {
    throw new Error(`expected ${rows} exported rows; the resource reports ${rowCount} in ${bytes} bytes`);
  }
}
