import { CloudRun, DataExport, ExtractionTask } from "pulumi-webextract";

const books = new ExtractionTask("books", { from: { sourceTaskId: "book-template", taskGroupId: "shops" } });

// #region pipe
const run = new CloudRun("books", { taskId: books.id, rerunOn: [books], waitFor: "finished" });
new DataExport("books", {
  taskId: books.id,
  scope: "batch",
  lotNo: run.id,
  path: "rows/books-{lotNo}.ndjson",
  checks: { fields: { sku: { filled: 1, unique: true } } },
  pipe: ["psql", "--quiet", "-v", "ON_ERROR_STOP=1", "-v", "lot={lotNo}", "-f", "load/postgresql.sql"],
  pipeTimeoutSeconds: 600,
});
// #endregion

const rows = { taskId: books.id, scope: "batch", lotNo: run.id } as const;

new DataExport("mariadb", {
  ...rows,
  path: "rows/mariadb-{lotNo}.ndjson",
  pipe: [
    ...["mariadb", "--local-infile=1", "--abort-source-on-error", "--init-command=SET @lot = '{lotNo}'"],
    ...["-e", "source load/mariadb.sql", "shop"],
  ],
});

new DataExport("sqlite", {
  ...rows,
  path: "rows/sqlite-{lotNo}.csv",
  format: "csv",
  // The header has these fields, also if no row has them.
  checks: { fields: { sku: { filled: 1, unique: true }, title: {}, price: {}, stock: { filled: 0 } } },
  pipe: ["sqlite3", "-bail", "shop.db", ".parameter set @lot \"'{lotNo}'\"", ".read load/sqlite.sql"],
});

new DataExport("duckdb", {
  ...rows,
  path: "rows/duckdb-{lotNo}.csv",
  format: "csv",
  checks: { fields: { sku: { filled: 1, unique: true }, title: {}, price: {}, stock: { filled: 0 } } },
  pipe: ["duckdb", "-bail", "shop.duckdb", "-c", "SET VARIABLE lot = '{lotNo}'", "-f", "load/duckdb.sql"],
});
