/** The tasks of a bookshop, in production and in the stack in which pull requests are tried. */
import * as pulumi from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const config = new pulumi.Config();
const site = config.require("siteUrl");
const stack = pulumi.getStack();

// #region limits
// The trial's configuration names fewer shelves, and its task group.
const shelves = config.getObject<string[]>("shelves") ?? ["novels", "nature", "kids"];
const from = { sourceTaskId: config.require("sourceTaskId"), taskGroupId: config.require("taskGroupId") };
// #endregion

const tasks = {
  books: shelves.map((shelf) => `${site}/shelves/${shelf}/`),
  picks: [`${site}/shelves/staff-picks/`],
};

export const files: pulumi.Output<string>[] = [];

for (const [name, urls] of Object.entries(tasks)) {
  const task = new ExtractionTask(name, {
    from,
    // What to extract from the pages: these action types and properties are the emulator's own.
    actions: {
      list: {
        actionType: "ExtractDataAction",
        properties: {
          RowSelector: "li.book",
          "Field.sku": "@data-sku",
          "Field.title": ".title",
          "Field.price": ".price .amount",
        },
      },
      pages: { actionType: "PaginationAction", properties: { MaxPages: "2" } },
    },
    startUrls: { urls },
  });

  const run = new CloudRun(name, { taskId: task.id, rerunOn: [task], waitFor: "finished" });

  // The name of the stack keeps the files apart. Reviews use the field that is unique as the key.
  const rows = new DataExport(name, {
    taskId: task.id,
    scope: "batch",
    lotNo: run.id,
    path: `rows/${stack}/${name}-{lotNo}.ndjson`,
    checks: { fields: { sku: { filled: 1, unique: true } } },
  });
  files.push(rows.file);
}
