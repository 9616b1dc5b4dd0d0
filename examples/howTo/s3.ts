import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const shop = new ExtractionTask("shop", { from: { sourceTaskId: "shop-template", taskGroupId: "shops" } });

// #region s3
const run = new CloudRun("shop", { taskId: shop.id, rerunOn: [shop], waitFor: "finished" });
const rows = new DataExport("shop", {
  taskId: shop.id,
  scope: "batch",
  lotNo: run.id,
  path: "s3://shop-rows/nightly/books-{lotNo}.ndjson",
});
// #endregion

export const object = rows.file;
