import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const pages = new pulumi.Config().getNumber("pages") ?? 2;

export const products = new ExtractionTask("products", {
  from: { sourceTaskId: "shop-template", taskGroupId: "shops" },
  actions: {
    pages: { actionType: "PaginationAction", properties: { MaxPages: String(pages) } },
  },
});

export const run = new CloudRun("run", { taskId: products.id, rerunOn: [products], waitFor: "finished" });

export const rows = new DataExport("rows", {
  taskId: products.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/{lotNo}.ndjson",
});
