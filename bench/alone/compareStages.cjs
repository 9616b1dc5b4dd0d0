/** Loaded before the command line: prints when the rows of both sides were read and counted, and when the process ended, in seconds from its start. */
const { DuckDBConnection } = require("@duckdb/node-api");

const run = DuckDBConnection.prototype.runAndReadAll;
let read = 0;

DuckDBConnection.prototype.runAndReadAll = function (sql, ...rest) {
  // The first statement after the rows were read.
  if (/TEMP TABLE keys/.test(sql)) {
    read = performance.now();
  }
  return run.call(this, sql, ...rest);
};

process.on("exit", () => {
  process.stderr.write(`\n${JSON.stringify({ read: read / 1000, ended: performance.now() / 1000 })}`);
});
