import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { Emulator } from "webextract-emulator";
import type { Row, RowPage, RowSource, ServiceClient } from "../../../src/service";
import { isServiceError } from "../../../src/service";
import type { Context } from "../../internals/resources";
import { ActionReader, sendParameters } from "../../internals/resources";
import { isOwnRunId } from "../../internals/service";

/** What the waiting loop of a user needs to know about the service. */
export interface LifeSettings {
  /** Statuses that mean "finished", in lower case. */
  finished: string[];
  finishedWhen: "subtasks" | "rowsSettled";
}

export const usualSettings: LifeSettings = { finished: ["finished", "completed", "done"], finishedWhen: "subtasks" };

/** The largest number of polls of a run. */
const mostLooks = 60;

/**
 * The life of a task through the client: copy, configure, loop items, URLs, parameters, start, wait, read, export, mark, remove. Throws if a
 * call fails or if a result differs from the data of the service.
 */
export async function liveOnce(
  client: ServiceClient,
  emulator: Emulator,
  pages: string[],
  settings: LifeSettings,
): Promise<void> {
  const copy = await client.copyTask({ taskId: "demo-template", taskGroupId: "demo-group" });
  const { taskId } = copy.data;
  await client.updateActionProperties({
    taskId,
    actions: [
      { actionType: "NavigateAction", actionId: "navigate", properties: [{ name: "Url", value: pages[0] ?? "" }] },
    ],
  });
  await client.updateTaskUrls({ taskId, file: { open: () => Readable.from([Buffer.from(pages.join("\n"))]) } });
  await client.getActions({ taskIds: [taskId], actionTypes: ["LoopAction", "NavigateAction"] });
  await client.updateLoopItems({
    taskId,
    actionId: "pages",
    loopType: "UrlList",
    loopItems: pages.slice(0, 4),
    isAppend: false,
  });
  await client.updateLoopItems({
    taskId,
    actionId: "pages",
    loopType: "UrlList",
    loopItems: pages.slice(4),
    isAppend: true,
  });
  assert.deepEqual(
    emulator.inspect.task(taskId)?.actions.find(({ actionId }) => actionId === "pages")?.loopItems,
    pages,
  );
  await sendLoop(client, emulator, taskId, pages);
  // The access token expires in the middle of the life.
  emulator.change.expireAccessTokens();
  const before = await client.allSubtasks(taskId);
  const { lotNo } = (await client.startTask({ taskId })).data;
  // A change while the run may still be running.
  await client.updateActionProperties({
    taskId,
    actions: [{ actionType: "NavigateAction", actionId: "navigate", properties: [{ name: "Timeout", value: "21" }] }],
  });
  const rows = await waitForRows(
    client,
    emulator,
    { taskId, lotNo, before: before.map(({ subTaskId }) => subTaskId) },
    settings,
  );
  const { rowOrder, batchRows } = emulator.behaviour;
  const isBatch = !isOwnRunId(lotNo);
  const all = emulator.inspect.rows(taskId);
  const texts = all.map((each) => JSON.stringify(each));
  const inBatch =
    batchRows === "all" || !isBatch ? all : all.filter((_row, index) => texts.indexOf(texts[index] ?? "") === index);
  assert.deepEqual(rows, rowOrder === "oldestFirst" ? inBatch : inBatch.toReversed(), "the rows of the batch");
  const received = await read(client, { taskId });
  // A row can arrive after the last page.
  const held = emulator.inspect.rows(taskId).slice(0, received.at(-1)?.total);
  const { rowsWhileReading, emptyPageEvery } = emulator.behaviour;
  // A read that grows as it goes comes to an empty page each time, and says so.
  const isCut = rowsWhileReading > 0 && emptyPageEvery > 0 && received.at(-1)?.gap === "emptyPage";
  if (!isCut) assert.deepEqual(sorted(rowsOf(received)), sorted(held), "the rows of the task");
  await exportAndMark(client, emulator, taskId);
  await client.removeData({ taskId });
  assert.equal(emulator.inspect.visibleCount(taskId), 0, "the rows after the removal");
  await lookForTaskThatIsGone(client);
}

/** A task counts as gone only if the code of the service says so. Other errors can mean that the service is unreachable. */
async function lookForTaskThatIsGone(client: ServiceClient): Promise<void> {
  const failure = await client
    .getData({ taskId: "task-that-is-gone", offset: 0, size: 1 })
    .catch((error: unknown) => error);
  assert.ok(isServiceError(failure), "reading a task that is gone fails");
  if (failure.kind !== "notFound" && failure.kind !== "notYours") throw failure;
}

/** As a user does: reads again what was not complete. */
async function read(client: ServiceClient, source: RowSource): Promise<RowPage[]> {
  let pages: RowPage[] = [];
  for (let reads = 0; reads < 4 && pages.at(-1)?.complete !== true; reads += 1) {
    pages = [];
    for await (const page of client.rows(source, { pageSize: 3 })) pages.push(page);
  }
  return pages;
}

function sorted(rows: readonly Row[]): string[] {
  return rows.map((each) => JSON.stringify(each)).sort();
}

/** A property and a loop as the resources send them: whatever the service does with the loop of an action, the list is the one that was sent. */
async function sendLoop(client: ServiceClient, emulator: Emulator, taskId: string, pages: string[]): Promise<void> {
  const context = {
    client,
    tasks: { actions: new ActionReader(client), loopWay: {}, saw: () => undefined },
    settings: { actionTypes: ["LoopAction"] },
    warn: () => undefined,
  } as unknown as Context;
  const property = { name: "Timeout", value: "20" };
  const open = { actionId: "navigate", actionType: "NavigateAction", part: "property", ...property } as const;
  for (const loopItems of [["http://127.0.0.1/1"], pages]) {
    const value = { loopType: "UrlList", loopItems, isAppend: false };
    const loop = { actionId: "pages", actionType: "LoopAction", part: "loop", value } as const;
    await sendParameters({ taskId, writes: [open, loop] }, context, () => undefined);
    const [navigate, loops] = ["navigate", "pages"].map((id) =>
      emulator.inspect.task(taskId)?.actions.find(({ actionId }) => actionId === id),
    );
    assert.deepEqual([navigate?.properties.Timeout, loops?.loopItems], ["20", loopItems], "what was sent with a loop");
  }
}

function rowsOf(pages: RowPage[]): Row[] {
  return pages.flatMap((page) => page.objects());
}

async function waitForRows(
  client: ServiceClient,
  emulator: Emulator,
  run: { taskId: string; lotNo: string; before: string[] },
  settings: LifeSettings,
): Promise<Row[]> {
  let settled = 0;
  let lastCount = -1;
  for (let look = 0; look < mostLooks; look += 1) {
    await emulator.settled();
    const subtasks = await client.allSubtasks(run.taskId);
    if (settings.finishedWhen === "subtasks") {
      const ours = subtasks.length > 0 && subtasks.every(({ subTaskId }) => !run.before.includes(subTaskId));
      if (!ours || !subtasks.every(({ status }) => settings.finished.includes(status.toLowerCase()))) continue;
    }
    const { taskId, lotNo } = run;
    const pages = await read(client, isOwnRunId(lotNo) ? { taskId } : { taskId, lotNo });
    const rows = rowsOf(pages);
    // Rows may still arrive after the last subtask has finished. The rows have settled when several polls return the same number.
    settled = rows.length === lastCount && rows.length > 0 && pages.at(-1)?.complete === true ? settled + 1 : 0;
    lastCount = rows.length;
    if (settled >= 4) return rows;
  }
  throw new Error(`the run did not finish by ${settings.finishedWhen}`);
}

/** For each scope of a mark: marks only rows that were received, in one complete page or page by page. */
async function exportAndMark(client: ServiceClient, emulator: Emulator, taskId: string): Promise<void> {
  const exported: Row[] = [];
  let afterLoss = false;
  for await (const page of client.rows({ taskId, notExported: true }, { pageSize: 500 })) {
    exported.push(...page.objects());
    afterLoss ||= page.afterLoss === true;
    if (page.count > 0) await client.markExported({ taskId });
  }
  const rows = emulator.inspect.rowsWithMarks(taskId);
  const byOthers = { none: 0, half: Math.floor(rows.length / 2), all: rows.length }[emulator.behaviour.otherMarks];
  const ours = rows.slice(byOthers);
  const marked = ours.flatMap(({ row, exported: isMarked }) => (isMarked ? [row] : []));
  assert.deepEqual(exported, marked, "the rows that were marked are those that were received");
  // A service can return each row only once. It does not repeat the rows of a lost response, and the page says so.
  if (!afterLoss) {
    assert.deepEqual(
      exported,
      ours.map(({ row }) => row),
      "all rows were exported",
    );
  }
}

/** Guarantees for every end of a life: no operation runs twice, and no row is marked that was not read. */
export function checkPromises(emulator: Emulator, failure: unknown): void {
  const effects = (operation: string) =>
    emulator.requests.filter((entry) => entry.operation === operation && entry.tookEffect).length;
  const named = (operation: string) =>
    isServiceError(failure) && failure.operation === operation && failure.outcome === "unknown";
  assert.ok(effects("copyTask") <= 1, "at most one copy");
  assert.ok(effects("startTask") <= 1, "at most one run");
  assert.ok(effects("markExported") <= 1 || failure === undefined, "at most one mark");
  if (failure === undefined) return;
  assert.ok(
    failure instanceof Error && (isServiceError(failure) || /did not finish/.test(failure.message)),
    String(failure),
  );
  // If a resource exists and no result named it, the error must name it.
  const copies = emulator.inspect.tasks().length - 1;
  const answered = (operation: string) =>
    emulator.requests.some((entry) => entry.operation === operation && entry.status === 200);
  if (copies > 0 && !answered("copyTask")) assert.ok(named("copyTask"), "the error names the copy");
  if (effects("startTask") > 0 && !answered("startTask")) assert.ok(named("startTask"), "the error names the run");
}
