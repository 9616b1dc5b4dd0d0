/** Extracts a shop each night: a run for each run label, whose rows are checked, written to a file, and marked. */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

// A folder, or a bucket and a prefix such as s3://shop-rows/nightly.
const folder = new pulumi.Config().get("rows") ?? "rows";

const shop = new ExtractionTask("shop", {
  from: { sourceTaskId: "shop-template", taskGroupId: "shops" },
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.example.com/new/" } } },
});

// `WEBEXTRACT_RUN_LABEL=2026-11-21 pulumi up` starts one run. The same label again starts nothing.
const run = new CloudRun("shop", { taskId: shop.id, rerunOn: [shop], waitFor: "finished" });

const rows = new DataExport("shop", {
  taskId: shop.id,
  scope: "batch",
  lotNo: run.id,
  path: `${folder}/shop-{lotNo}.ndjson`,
  // Rows that do not pass are kept apart, and are not marked. The next up tries again.
  checks: { minRows: 10, maxDrop: 0.5, fields: { title: { filled: 0.95 }, url: { type: "url", unique: true } } },
  markExported: true,
});

export const label = run.runLabel;
export const file = rows.file;
export const checked = rows.checked;
