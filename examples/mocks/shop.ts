import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const list = new pulumi.Config().get("list") ?? "new";

export const products = new ExtractionTask("products", {
  from: { sourceTaskId: "shop-template", taskGroupId: "shops" },
  actions: {
    open: { actionType: "NavigateAction", properties: { Url: `https://shop.example.com/${list}/` } },
  },
});

export const run = new CloudRun("run", { taskId: products.id, rerunOn: [products], waitFor: "finished" });

export const rows = new DataExport("rows", {
  taskId: products.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/{lotNo}.ndjson",
});
