import { readFileSync } from "node:fs";

const shown = 6;
const columns = ["sku", "title", "author", "price", "currency", "stock"];
const widest = 34;

/** Prints the first rows of an NDJSON file as a table. */
export function showRows(file: string): void {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const rows = lines.slice(0, shown).map((line) => {
    const row: Record<string, unknown> = JSON.parse(line);
    return Object.fromEntries(columns.map((name) => [name, shortened(row[name])]));
  });
  console.log(`\nThe first ${rows.length} of ${lines.length} rows, six of their fields:`);
  console.table(rows);
}

function shortened(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
}
