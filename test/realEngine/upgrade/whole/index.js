// Every resource in each form that its state can have. `npm run record` keeps a copy of this program with the state that it made: the copies
// never change, this file grows with the package.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const webextract = require("pulumi-webextract");

const config = new pulumi.Config();
const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };

const copy = new webextract.TaskCopy("copy", { ...from, forceDestroy: true });
const adopted = new webextract.TaskCopy("adopted", { adoptTaskId: "existing-1" });

const settings = new webextract.TaskActionConfig("settings", {
  taskId: copy.id,
  actions: {
    open: {
      actionType: "NavigateAction",
      properties: { Url: "https://shop.test/", Wait: config.requireSecret("wait") },
    },
  },
  onDelete: "restore",
});
const loop = new webextract.TaskLoopItems("loop", {
  taskId: copy.id,
  actionId: "each",
  loopType: "UrlList",
  items: ["https://shop.test/1", config.requireSecret("item")],
  onDelete: "restore",
});
const urls = new webextract.TaskStartUrls("urls", {
  taskId: copy.id,
  urls: ["https://shop.test/a"],
  profile: "uploads",
});
const run = new webextract.CloudRun("run", {
  taskId: copy.id,
  rerunOn: [settings, loop, urls],
  triggers: { day: 1, shelves: ["novels"] },
  waitFor: "finished",
  pollSeconds: 0,
});
new webextract.DataExport("rows", {
  taskId: copy.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/{lotNo}.ndjson",
  verifyFile: true,
  onDelete: "removeFile",
});
new webextract.DataExport("checked", {
  taskId: copy.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/checked-{lotNo}.ndjson.gz",
  compression: "gzip",
  checks: { minRows: 0, maxDrop: 0.5, fields: { title: { filled: 0, type: "integer" } }, onFail: "warn" },
  pipe: ["node", "-e", "process.stdin.resume()"],
});
new webextract.DataExport("marked", {
  taskId: copy.id,
  scope: "notExported",
  path: "rows/marked-{n}.csv",
  format: "csv",
  markExported: true,
});

const parameters = new webextract.TaskParameters("parameters", {
  taskId: adopted.id,
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://adopted.test/" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", itemsFile: "items.txt" } },
  },
  onDelete: "restore",
});
const fileOfUrls = new webextract.TaskStartUrls("fileOfUrls", { taskId: adopted.id, file: "urls.txt" });
new webextract.CloudRun("second", { taskId: adopted.id, rerunOn: [parameters, fileOfUrls], onDelete: "stop" });
// The ids of a run's subtasks are known only after it has begun.
const subTaskIds = JSON.parse(readFileSync("subtasks.json", "utf8"));
if (subTaskIds.length > 0) {
  new webextract.CloudSubtasks("subtasks", { taskId: copy.id, subTaskIds, desired: "started" });
}

const whole = new webextract.ExtractionTask("whole", {
  from,
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://whole.test/" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://whole.test/1"] } },
  },
  startUrls: { urls: ["https://whole.test/a", "https://whole.test/b"] },
});

exports.taskId = copy.id;
exports.lotNo = run.lotNo;
exports.whole = whole.taskId;
