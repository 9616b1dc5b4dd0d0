import { all } from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const shop = new ExtractionTask("shop", { from: { sourceTaskId: "shop-template", taskGroupId: "shops" } });

// #region checks
const run = new CloudRun("shop", { taskId: shop.id, rerunOn: [shop], waitFor: "finished" });
const rows = new DataExport("shop", {
  taskId: shop.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/shop.ndjson",
  checks: {
    minRows: 100,
    // At most a fifth fewer rows than in the last export that passed.
    maxDrop: 0.2,
    fields: {
      title: { filled: 1 },
      price: { filled: 0.95, type: "number" },
      link: { type: "url", unique: true },
    },
  },
});
// #endregion

// #region figures
export const figures = all([rows.rowCount, rows.checked]).apply(([rowCount, checked]) => ({
  rowCount,
  failed: checked?.failed.join(", "),
  pricesFilled: checked?.fields?.price?.filled,
}));
// #endregion

// #region schema
new DataExport("shop-all", {
  taskId: shop.id,
  scope: "all",
  path: "rows/shop-all.ndjson",
  checks: { schema: "row.schema.json", onFail: "warn" },
});
// #endregion
