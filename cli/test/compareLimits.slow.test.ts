import assert from "node:assert/strict";
import { parquetWriteBuffer } from "hyparquet-writer";
import { Comparing } from "./comparing";

/** The largest rows that webextract compare takes. */
describe("webextract compare, of the largest rows", () => {
  let files: Comparing;
  before(() => {
    files = new Comparing();
  });
  after(() => files.remove());

  const failure = (file: string): Promise<string> => files.failure(files.rows("rows.ndjson", [{ sku: "1" }]), file);

  it("reads 2,000 columns of a Parquet file with few values", async () => {
    const columnData = Array.from({ length: 2_000 }, (_, column) => ({
      name: column === 0 ? "sku" : `c${column}`,
      data: Array.from({ length: 50 }, (_row, row) =>
        column === 0 || column % 50 === row ? `${column}.${row}` : null,
      ),
      type: "STRING" as const,
    }));
    const file = files.write("wide.parquet", Buffer.from(parquetWriteBuffer({ columnData })));
    const lines = Array.from({ length: 50 }, (_, row) =>
      Object.fromEntries(columnData.flatMap(({ name, data }) => (data[row] === null ? [] : [[name, data[row]]]))),
    );
    const { json } = await files.compare(files.rows("wide.ndjson", lines), file, { key: ["sku"] });
    assert.deepEqual([json.unchanged, json.changed, json.fields.length], [50, 0, 2_000]);
  });

  it("reads 5,000 columns and a value of 10 MB", async function () {
    this.timeout(300_000);
    const names = Array.from({ length: 5_000 }, (_, index) => `c${index}`);
    const row = (key: string, value: string): string => `${key}${`,${value}`.repeat(4_999)}\n`;
    const wide = (other: string, value: string): string => `${names.join(",")}\n${row("1", value)}${row(other, "1")}`;
    const same = await files.compare(
      files.write("b.csv", wide("2", "1")),
      files.write("h.csv", wide("3", "2").replaceAll(",", ";")),
      { key: ["c0"], markdown: true },
    );
    assert.deepEqual([same.json.fields.length, same.json.added, same.json.removed], [5_000, 1, 1]);
    assert.deepEqual([same.json.changed, same.json.fields[0].changed, same.json.fields.at(-1).name], [1, 1, "c0"]);
    assert.ok(same.text.length <= 60_000, `${same.text.length} characters`);
    assert.match(same.text, /^\| … and \d+ more fields \| \| \| \|$/m);
    const long = (end: string): string => "x".repeat(10_000_000) + end;
    const [base, head] = [
      files.rows("l.ndjson", [{ k: "1", v: long("a") }]),
      files.write("l.json", JSON.stringify([{ k: "1", v: long("b") }])),
    ];
    const found = await files.compare(base, head, { key: ["k"], markdown: true });
    assert.equal(found.json.changed, 1);
    assert.ok(found.text.length < 2_000);
  });

  it("says what to do about more long values than it can hold", async function () {
    this.timeout(300_000);
    const rows = Array.from({ length: 20 }, (_, index) => ({ k: `${index}`, v: `${"x".repeat(10_000_000)}${index}` }));
    const file = files.rows("heavy.ndjson", rows);
    assert.match(
      await failure(file),
      /Out of Memory.*Many values are too long.* Leave their field out of the files\.$/,
    );
  });

  it("refuses more than 5,000 fields, and a row of more than 32 MiB in any number of cells", async function () {
    this.timeout(120_000);
    const names = Array.from({ length: 5_001 }, (_, index) => `c${index}`);
    const file = files.write("wide.csv", names.join(","));
    assert.match(await failure(file), /has more than 5000 fields\. So many cannot be compared\.$/);
    const cell = "x".repeat(17 * 1024 * 1024);
    assert.match(await failure(files.write("long.csv", `a,b\n${cell},${cell}`)), /as csv: Max Record Size: .*33554432/);
    assert.match(await failure(files.write("long.json", `[{"a":"${cell}${cell}"}]`)), /a row has more than 33554432/);
    assert.match(
      await failure(files.write("long.ndjson", `{${`"a":"${cell}",`.repeat(5)}`)),
      /DuckDB failed: .*33554432/,
    );
  });
});
