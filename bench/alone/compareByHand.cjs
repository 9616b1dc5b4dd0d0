/** What a person would write in SQL for the same questions: `node compareByHand.cjs ndjson base.ndjson head.ndjson FOLDER`. Prints what differs as JSON. */
const { DuckDBInstance } = require("@duckdb/node-api");
const { join } = require("node:path");

const fields = ["sku", "title", "price", "url", "stock", "rating", "category", "scraped"];
const types = `{${fields.map((field) => `${field}: 'VARCHAR'`).join(", ")}}`;
const kinds = [
  "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?",
  "\\d{4}-\\d\\d-\\d\\d(?:[tT].*)?",
  "(?i)https?://[^\\s/?#]\\S*",
];

async function main([format, base, head, folder]) {
  const threads = String(Math.min(4, require("node:os").availableParallelism()));
  const options = { memory_limit: "400MB", threads, temp_directory: join(folder, "spilled") };
  const instance = await DuckDBInstance.create(join(folder, "rows.db"), options);
  const connection = await instance.connect();
  const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  await rows("PRAGMA disable_checkpoint_on_shutdown");
  for (const [side, file] of [
    ["base", base],
    ["head", head],
  ]) {
    const source =
      format === "csv"
        ? `read_csv('${file}', header = true, auto_detect = false, columns = ${types})`
        : `read_json('${file}', format = 'newline_delimited', columns = ${types})`;
    await rows(`CREATE TABLE ${side} AS SELECT * FROM ${source}`);
    for (const field of fields) {
      const isKind = kinds.map((kind, index) => `WHEN regexp_full_match(v, '${kind}') THEN ${index}`).join(" ");
      await rows(`
        WITH counted AS (SELECT ${field} AS v, count(*) AS n FROM ${side} WHERE trim(coalesce(${field}, '')) <> '' GROUP BY ALL),
        found AS (SELECT v, n, CASE ${isKind} END AS kind FROM counted)
        SELECT sum(n), count(*), ${kinds.map((_kind, index) => `sum(n) FILTER (kind = ${index})`).join(", ")},
          min(length(v)), max(length(v)), arg_max(v, n, 3) FROM found`);
    }
    await rows(`SELECT count(*), min(sku) FROM (SELECT sku FROM ${side} GROUP BY sku HAVING count(*) > 1)`);
  }
  const isBoth = "base.sku IS NOT NULL AND head.sku IS NOT NULL";
  const others = fields.filter((field) => field !== "sku");
  const changed = others.map((field) => `base.${field} IS DISTINCT FROM head.${field}`);
  const [found] = await rows(`
    SELECT count(*) FILTER (head.sku IS NULL) AS removed, count(*) FILTER (base.sku IS NULL) AS added,
      count(*) FILTER (${isBoth} AND (${changed.join(" OR ")})) AS changed,
      ${changed.map((each) => `count(*) FILTER (${isBoth} AND ${each})`).join(", ")}
    FROM base FULL JOIN head ON base.sku = head.sku`);
  console.log(JSON.stringify(found, (_name, value) => (/^\d+$/.test(value) ? Number(value) : value)));
  connection.closeSync();
  instance.closeSync();
}

main(process.argv.slice(2));
