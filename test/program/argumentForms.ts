/**
 * The forms of arguments that the compiler accepts, and those that it refuses because `check` would refuse them. `npm run check` compiles
 * this file; nothing runs it. test/realEngine/declarations.test.ts compiles it with the oldest compiler too: there, exactly the lines below
 * `@ts-expect-error` must be errors.
 */
import * as pulumi from "@pulumi/pulumi";
import * as webextract from "../../src/index";

const { CloudRun, DataExport, ExtractionTask, TaskActionConfig, TaskCopy, TaskLoopItems } = webextract;
const { TaskParameters, TaskStartUrls } = webextract;

declare const id: pulumi.Output<string>;
declare const later: Promise<string>;
declare const lines: pulumi.Output<string[]>;
declare const seconds: pulumi.Output<number>;
declare const isDeep: boolean | undefined;
interface Shop {
  name: string;
  shelves: string[];
}
declare const shop: Shop;

const actionType = "NavigateAction";
const loopType = "UrlList";
const [sourceTaskId, taskGroupId, taskId] = ["template-1", "group-1", "task-1"];

export function copies(): void {
  const copy = new TaskCopy("copy", { sourceTaskId, taskGroupId, onDelete: "retain" });
  new TaskCopy("a", { sourceTaskId: copy.id, taskGroupId: later, adoptTaskId: undefined });
  new TaskCopy("a", { sourceTaskId, taskGroupId, adoptTaskId: id });
  new TaskCopy("a", { adoptTaskId: taskId, sourceTaskId: undefined });
  const args = { sourceTaskId, taskGroupId, forceDestroy: true };
  new TaskCopy("a", args);
  const options: Pick<webextract.TaskCopyArgs, "onDelete" | "profile"> = { onDelete: "removeData" };
  new TaskCopy("a", { ...options, adoptTaskId: id });
  const typed: webextract.TaskCopyArgs = { sourceTaskId, taskGroupId };
  typed.retry = "1";
  new TaskCopy("a", typed);
  TaskCopy.get("a", taskId);
  // @ts-expect-error no source and no task to adopt
  new TaskCopy("a", {});
  // @ts-expect-error no group
  new TaskCopy("a", { sourceTaskId });
  // @ts-expect-error no source
  new TaskCopy("a", { taskGroupId: later });
  // @ts-expect-error no group, beside a task to adopt
  new TaskCopy("a", { sourceTaskId, adoptTaskId: id });
  // @ts-expect-error a word of another resource
  new TaskCopy("a", { sourceTaskId, taskGroupId, onDelete: "restore" });
}

export function loopItems(): void {
  const loop = { taskId: id, actionId: "each", loopType };
  new TaskLoopItems("a", { ...loop, items: ["a", id, later] });
  new TaskLoopItems("a", { ...loop, items: lines, mode: "append" });
  new TaskLoopItems("a", { ...loop, itemsFile: "items.txt", items: undefined, onDelete: "restore" });
  const args: webextract.TaskLoopItemsArgs = { ...loop, items: lines };
  new TaskLoopItems("a", args);
  TaskLoopItems.get("a", taskId, { actionId: "each", loopType });
  // @ts-expect-error no items
  new TaskLoopItems("a", loop);
  // @ts-expect-error two sources of items
  new TaskLoopItems("a", { ...loop, items: ["a"], itemsFile: "items.txt" });
}

export function startUrls(): void {
  new TaskStartUrls("a", { taskId, urls: ["https://a.test/", id] });
  new TaskStartUrls("a", { taskId: later, file: id });
  // @ts-expect-error no URLs
  new TaskStartUrls("a", { taskId });
  // @ts-expect-error two sources of URLs
  new TaskStartUrls("a", { taskId, urls: lines, file: "urls.txt" });
}

export function settings(): void {
  const properties = { Url: id, Wait: 3, Delay: seconds, Deep: true, Wide: pulumi.output(false), Text: later };
  const config = new TaskActionConfig("a", { taskId, actions: { open: { actionType, properties } } });
  new TaskActionConfig("a", { taskId, actions: config.actions });
  new TaskParameters("a", {
    taskId,
    actions: {
      open: { actionType, properties },
      each: { actionType: id, loop: { loopType, items: ["a"] } },
      both: { actionType, properties: { Deep: isDeep ?? false }, loop: { loopType, itemsFile: "items.txt" } },
      later: pulumi.output({ actionType, loop: { loopType, items: ["a"] } }),
    },
  });
  // @ts-expect-error a property that is a list
  new TaskActionConfig("a", { taskId, actions: { open: { actionType, properties: { Url: ["a"] } } } });
  // @ts-expect-error a property that is a long integer of another type
  new TaskActionConfig("a", { taskId, actions: { open: { actionType, properties: { Url: BigInt(1) } } } });
  // @ts-expect-error a loop without items
  new TaskParameters("a", { taskId, actions: { each: { actionType, loop: { loopType } } } });
  const twoSources = { loopType, items: lines, itemsFile: id };
  // @ts-expect-error a loop with two sources of items
  new TaskParameters("a", { taskId, actions: { each: { actionType, loop: twoSources } } });
}

export function wholeTasks(): void {
  new ExtractionTask("a", {
    from: { sourceTaskId: id, taskGroupId },
    actions: { each: { actionType, properties: { Wait: 3 }, loop: { loopType, items: ["a", id] } } },
    startUrls: { urls: ["https://a.test/"] },
  });
  new ExtractionTask("a", { from: { adoptTaskId: later }, startUrls: { file: "urls.txt" }, onDelete: "retain" });
  new ExtractionTask("a", { from: pulumi.output({ adoptTaskId: "task-1" }) });
  ExtractionTask.get("a", taskId, { actions: { open: { actionType, properties: { Url: "?" } } } });
  // @ts-expect-error no source
  new ExtractionTask("a", {});
  // @ts-expect-error an empty source
  new ExtractionTask("a", { from: {} });
  // @ts-expect-error no group
  new ExtractionTask("a", { from: { sourceTaskId } });
  // @ts-expect-error start URLs without URLs
  new ExtractionTask("a", { from: { adoptTaskId: id }, startUrls: {} });
  // @ts-expect-error a loop without items
  new ExtractionTask("a", { from: { adoptTaskId: id }, actions: { each: { actionType, loop: { loopType } } } });
}

export function runs(): void {
  const copy = new TaskCopy("copy", { adoptTaskId: taskId });
  const run = new CloudRun("a", { taskId: copy.id, rerunOn: [copy], onDelete: "stop" });
  for (const triggers of [
    1,
    "a",
    true,
    null,
    id,
    later,
    ["a", 1, [id]],
    { day: 1, of: [copy.id], deep: { a: { b: [later] } } },
  ]) {
    new CloudRun("a", { taskId, triggers });
  }
  new CloudRun("a", { taskId, triggers: { subtasks: run.subtasks, shop, all: [shop, { ...shop }] } });
  new CloudRun("a", { taskId, triggers: [shop, { urn: copy.urn }.urn, run.subtasks] });
  new CloudRun("a", { taskId, triggers: { ...shop } });
  // @ts-expect-error a resource
  new CloudRun("a", { taskId, triggers: copy });
  // @ts-expect-error a resource in a list
  new CloudRun("a", { taskId, triggers: [copy] });
  // @ts-expect-error a resource in a map
  new CloudRun("a", { taskId, triggers: { copy } });
  // @ts-expect-error a resource in a list in a map
  new CloudRun("a", { taskId, triggers: { of: [1, copy] } });
  // @ts-expect-error a date
  new CloudRun("a", { taskId, triggers: { day: new Date() } });
  // @ts-expect-error a Map
  new CloudRun("a", { taskId, triggers: [new Map([["a", 1]])] });
  // @ts-expect-error a resource that is not in a list
  new CloudRun("a", { taskId, rerunOn: copy });
}

export function exports_(): void {
  const rows = { taskId: id, path: "rows/{n}.ndjson" };
  new DataExport("a", { ...rows, scope: "batch", lotNo: id, triggers: [id] });
  new DataExport("a", { ...rows, scope: "batch", lotNo: "1", markExported: true, onDelete: "removeFile" });
  new DataExport("a", { ...rows, scope: "all", lotNo: undefined });
  new DataExport("a", { ...rows, scope: "notExported", maxRows: 5 });
  const args: webextract.DataExportArgs = { ...rows, scope: "batch", lotNo: later };
  new DataExport("a", args);
  for (const scope of ["all", "notExported"] as const) {
    new DataExport("a", { ...rows, scope });
  }
  // @ts-expect-error a run, which the scope does not read
  new DataExport("a", { ...rows, scope: "all", lotNo: id });
  // @ts-expect-error a run, which the scope does not read
  new DataExport("a", { ...rows, scope: "notExported", lotNo: "1" });
  // @ts-expect-error no run
  new DataExport("a", { ...rows, scope: "batch" });
  // @ts-expect-error no scope
  new DataExport("a", rows);
  // @ts-expect-error a resource in triggers
  new DataExport("a", { ...rows, scope: "all", triggers: [new CloudRun("run", { taskId })] });
}
