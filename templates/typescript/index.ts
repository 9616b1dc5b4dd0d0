import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const config = new pulumi.Config();
const site = config.require("siteUrl");

// A copy of a template task, with its own list of pages. Ids and types of actions are those of the template task.
const products = new ExtractionTask("products", {
  from: {
    sourceTaskId: config.require("sourceTaskId"),
    taskGroupId: config.require("taskGroupId"),
  },
  actions: {
    // Services document what can be changed: this list, `Url` of a NavigateAction, and `TextToSet` of an EnterTextAction.
    shelves: {
      actionType: "LoopAction",
      loop: { loopType: "UrlList", items: ["novels"].map((shelf) => `${site}/shelves/${shelf}/`) },
    },
  },
});

// The first `pulumi up` starts a run. A later one starts a run only if the task has changed.
const run = new CloudRun("run", {
  taskId: products.id,
  rerunOn: [products],
  waitFor: "finished",
});

// Each run has its own file.
const rows = new DataExport("rows", {
  taskId: products.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/products-{lotNo}.ndjson",
});

export const taskId = products.taskId;
export const file = rows.file;
export const rowCount = rows.rowCount;
