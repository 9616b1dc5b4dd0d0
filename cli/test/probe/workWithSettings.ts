import assert from "node:assert/strict";
import type { Behaviour } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ConfigKey } from "../../../test/internals/config";
import { World } from "../../../test/resources/life";
import { skipWaits } from "../../../test/service/skipWaits";
import type { ProbeReport } from "../internals/probe";
import { hasProblems } from "../internals/probe";
import { original, probeWriting, seedFor, startSite } from "./writing";

/** Behaviours against which no setting helps. The report says so, with the limitation. */
export const limited = ["errorBody=html", "errorBody=empty", "badGatewayEvery=6", "taskGone=serverError"];

/** The configuration with the settings of a report. */
function configOf({ settings }: ProbeReport): Partial<Record<ConfigKey, string>> {
  return Object.fromEntries(settings.map(({ key, value }) => [key.replace("webextract:", ""), value]));
}

/** An ExtractionTask, a CloudRun that is waited for, and a DataExport with marks, with the settings of a report. */
async function work(report: ProbeReport, behaviour: Partial<Behaviour>, site: string): Promise<void> {
  const tasks = seedFor(site).tasks.map((task) => ({ ...task, taskGroupId: "group-1" }));
  const world = await World.create({ tasks, config: { ...configOf(report), maxRetries: "3" }, behaviour });
  const waits = skipWaits();
  try {
    world.configure({ refreshToken: world.emulator.credentials.refreshToken });
    const loop = { loopType: "UrlList", items: [4, 5].map((shelf) => `${site}/shelf/${shelf}`) };
    const task = world.declare("ExtractionTask");
    await task.up({
      from: { sourceTaskId: original, taskGroupId: "group-1" },
      actions: { "each-shelf": { actionType: "LoopAction", loop } },
      startUrls: { urls: [`${site}/shelf/6`] },
    });
    const finishedWhen = report.findings.some(({ argument }) => argument?.startsWith("finishedWhen"))
      ? "rowsSettled"
      : "subtasks";
    const run = world.declare("CloudRun");
    await run.up({ taskId: task.id, waitFor: "finished", finishedWhen, pollSeconds: 0.01, settleSeconds: 0.2 });
    const rows = world.emulator.inspect.rows(task.id ?? "");
    assert.equal(rows.length, 3, "the run had the list of the task");
    const exported = world.declare("DataExport");
    const scope = "notExported";
    await exported.up({
      taskId: task.id,
      scope,
      path: "rows/{n}.ndjson",
      markExported: true,
      triggers: { run: run.id },
    });
    assert.equal(exported.state.marked, true);
    const marked = world.emulator.inspect.rowsWithMarks(task.id ?? "").filter((row) => row.exported);
    const others = { none: 0, half: 1, all: 3 }[world.emulator.behaviour.otherMarks];
    assert.equal(exported.state.rowCount, marked.length - others);
  } finally {
    waits.restore();
    await world.remove();
  }
}

/**
 * Probes a service, and works with the settings that came out.
 * @returns what the probe found
 */
export async function probeAndWork(behaviour: Partial<Behaviour>, isLimited: boolean): Promise<ProbeReport> {
  const site = await startSite();
  const service = await startEmulator({ behaviour, seed: seedFor(site.baseUrl), pageTimeoutMs: 60_000 });
  const waits = skipWaits();
  try {
    const { report } = await probeWriting(service);
    waits.restore();
    assert.equal(hasProblems(report), isLimited, JSON.stringify(report.findings));
    if (!isLimited) {
      await work(report, behaviour, site.baseUrl);
    }
    return report;
  } finally {
    waits.restore();
    await service.close();
    await site.close();
  }
}
