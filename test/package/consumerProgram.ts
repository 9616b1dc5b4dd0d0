/**
 * A program as a user writes it: every resource, in TypeScript that the oldest compiler takes which the engine may run it with, and that means
 * the same as CommonJS and as an ECMAScript module.
 */
export const consumerProgram = `
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, TaskActionConfig, TaskCopy, TaskLoopItems, TaskStartUrls } from "pulumi-webextract";

const group: string = new pulumi.Config().get("group") || "group-1";

const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: group });
const config = new TaskActionConfig("config", {
  taskId: copy.id,
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" } } },
});
const loop = new TaskLoopItems("loop", {
  taskId: copy.id,
  actionId: "each",
  loopType: "UrlList",
  items: ["https://shop.test/1", pulumi.interpolate\`https://shop.test/\${group}\`],
});
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://shop.test/a"] });
const run = new CloudRun("run", { taskId: copy.id, rerunOn: [config, loop], waitFor: "finished", pollSeconds: 0 });
const rows = new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "out/rows.ndjson" });

export const taskId: pulumi.Output<string> = copy.taskId;
export const lotNo: pulumi.Output<string> = run.lotNo;
export const file: pulumi.Output<string> = rows.file;
export const rowCount: pulumi.Output<number> = rows.rowCount;
`;
