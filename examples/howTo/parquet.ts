import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const books = new ExtractionTask("books", { from: { sourceTaskId: "book-template", taskGroupId: "shops" } });

// #region parquet
const run = new CloudRun("books", { taskId: books.id, rerunOn: [books], waitFor: "finished" });
new DataExport("books", {
  taskId: books.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/books-{lotNo}.parquet",
  format: "parquet",
  columns: { price: "double", pages: "int64", published: "date", seen: "timestamp" },
  compression: "snappy",
});
// #endregion
