/** Exports the rows that were not exported yet, and marks them when they are safely in a file. */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

// Raise the number to extract and export again.
const round = new pulumi.Config().getNumber("round") ?? 1;

const shop = new ExtractionTask("shop", { from: { sourceTaskId: "shop-template", taskGroupId: "shops" } });

const run = new CloudRun("shop", { taskId: shop.id, triggers: [round], waitFor: "finished" });

const rows = new DataExport(
  "new-rows",
  {
    taskId: shop.id,
    scope: "notExported",
    // Each export has a file of its own: a file of marked rows is never overwritten.
    path: "rows/new-{n}.ndjson",
    markExported: true,
    triggers: [run.lotNo],
  },
  // `pulumi destroy` and a removed line keep the files in any case. Protected, the resource cannot be removed by accident either.
  { protect: true },
);

export const file = rows.file;
export const rowCount = rows.rowCount;
export const marked = rows.marked;
