import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const config = new pulumi.Config();
const site = config.require("siteUrl");

// A copy of a template task, with its own settings. Action ids, types and properties are those of the template task.
const products = new ExtractionTask("products", {
  from: {
    sourceTaskId: config.require("sourceTaskId"),
    taskGroupId: config.require("taskGroupId"),
  },
  actions: {
    list: {
      actionType: "ExtractDataAction",
      properties: { RowSelector: "li.book", "Field.sku": "@data-sku", "Field.title": "h2", "Field.price": ".price" },
    },
    pages: { actionType: "PaginationAction", properties: { MaxPages: "2" } },
  },
  startUrls: { urls: [`${site}/shelves/novels/`, `${site}/shelves/nature/`] },
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
