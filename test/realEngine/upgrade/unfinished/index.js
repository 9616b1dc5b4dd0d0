// Every resource that can be left with something to do, each beside others that are whole. `npm run record` loses an answer of each, and keeps
// a copy of this program with the state that was left: the copies never change, this file grows with the package.
const webextract = require("pulumi-webextract");

const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };
const copy = new webextract.TaskCopy("copy", { ...from, forceDestroy: true });

new webextract.TaskActionConfig("settings", {
  taskId: copy.id,
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" } } },
});
const items = ["https://shop.test/1", "https://shop.test/2"];
const append = { actionId: "each", loopType: "UrlList", items, mode: "append" };
new webextract.TaskLoopItems("loop", { taskId: copy.id, ...append });
new webextract.TaskStartUrls("urls", { taskId: copy.id, urls: ["https://shop.test/a"] });

const second = new webextract.TaskCopy("second", from);
new webextract.TaskLoopItems("secondLoop", { taskId: second.id, ...append });

const configured = new webextract.TaskCopy("configured", from);
new webextract.TaskParameters("parameters", {
  taskId: configured.id,
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://adopted.test/" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://adopted.test/1"] } },
  },
});

const adopted = new webextract.TaskCopy("adopted", { adoptTaskId: "existing-1" });
new webextract.CloudRun("run", { taskId: adopted.id, waitFor: "finished", pollSeconds: 0 });

const other = new webextract.TaskCopy("other", { ...from, forceDestroy: true });
const first = new webextract.CloudRun("first", { taskId: other.id, waitFor: "finished", pollSeconds: 0 });
new webextract.DataExport("marked", {
  taskId: other.id,
  scope: "all",
  path: "rows/{n}.ndjson",
  markExported: true,
  triggers: [first.id],
});

new webextract.ExtractionTask("whole", {
  from,
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: "https://whole.test/" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://whole.test/1"] } },
  },
  startUrls: { urls: ["https://whole.test/a"] },
});
