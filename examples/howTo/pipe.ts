import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const books = new ExtractionTask("books", { from: { sourceTaskId: "book-template", taskGroupId: "shops" } });

// #region pipe
const run = new CloudRun("books", { taskId: books.id, rerunOn: [books], waitFor: "finished" });
new DataExport("books", {
  taskId: books.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/books-{lotNo}.csv",
  format: "csv",
  pipe: ["psql", "--quiet", "-v", "ON_ERROR_STOP=1", "-v", "lot={lotNo}", "-f", "load.sql"],
  pipeTimeoutSeconds: 600,
});
// #endregion
