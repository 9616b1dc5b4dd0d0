import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { writeXlsx } from "hucre/xlsx";
import { ZipFile } from "yazl";
import { allTests } from "../../test/eachTest";
import { CliWorld } from "./webextract";

const exports = {
  "rows.ndjson": "--format ndjson",
  "rows.jsonl.gz": "--format ndjson --compression gzip",
  "rows.json": "--format json",
  "rows.json.zst": "--format json --compression zstd",
  "rows.csv": "--format csv",
  "rows.csv.gz": "--format csv --compression gzip",
  "sheet.csv": "--format csv --csv spreadsheets",
  "tabs.csv.zst": "--format csv --csv spreadsheets:tab --compression zstd",
  "rows.parquet": "--format parquet",
  "rows.xlsx": "--format xlsx",
};

describe("webextract rows of a file", () => {
  const world = allTests(() => CliWorld.create());
  before(async () => {
    await world.finishedRun();
    world.emulator.change.insertRows("shop-1", [
      String.raw`{"number":"007","price":1.10,"nested":{"a":[2.50,null]},"title":"a;b, \"ü\"\tc"}`,
    ]);
  });

  const shown = async (source: string): Promise<string> => {
    const { code, stdout, stderr } = await world.run(`rows ${source} -n 100`);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  for (const [file, flags] of Object.entries(exports)) {
    it(`shows the rows of an export: ${flags}`, async () => {
      const written = await world.run(`export shop-1 --out ${file} ${flags}`);
      assert.equal(written.code, 0, written.stderr);
      const expected = await shown("shop-1");
      assert.match(expected, /\n007 .* 1\.10 .*\n\n26 of 26 rows\.\n$/);
      assert.equal(await shown(file), expected);
    });
  }

  it("makes no request and marks nothing", async () => {
    await world.run("export shop-1 --out quiet.ndjson");
    world.emulator.clearRequests();
    const { stdout } = await world.run("rows quiet.ndjson -n 2 --offset 24 --columns price,number --json");
    assert.deepEqual(JSON.parse(stdout), {
      ...{ file: "quiet.ndjson", offset: 24, total: 26 },
      rows: [
        { price: "168.88", number: "00000025" },
        { price: "1.10", number: "007" },
      ],
    });
    assert.deepEqual(world.operations(), []);
  });

  it("shows the columns of a CSV in their order, also those that no row has", async () => {
    writeFileSync(world.path("empty.csv"), "sku,price,late\r\n007,,\r\n008,1.10,\r\n");
    const { stdout } = await world.run("rows empty.csv");
    assert.equal(stdout, "sku  price  late\n007\n008  1.10\n\n2 of 2 rows.\n");
    const ended = await world.run("rows empty.csv --columns lat");
    assert.match(ended.stderr, /no field "lat"; did you mean "late"\? The fields are sku, price, late\./);
    const beyond = await world.run("rows empty.csv --offset 2");
    assert.equal(beyond.stdout, "No rows: the file has 2 rows, and the first one asked for is row 3.\n");
  });

  it("writes a page of the first rows", async () => {
    writeFileSync(world.path("page.ndjson"), `{"sku":"007"}\n{"sku":""}\n`);
    const { code, stdout } = await world.run("rows page.ndjson --html page.html -n 1");
    assert.deepEqual([code, stdout], [0, "sku\n007\n\n1 of 2 rows.\n"]);
    const page = readFileSync(world.path("page.html"), "utf8");
    assert.match(page, /File page\.ndjson.*2 of 2 rows, 1 field/s);
  });

  it("reads files with other usual endings, and names a file whose ending says nothing", async () => {
    writeFileSync(world.path("items.jl"), '{"a":1.10}\n{"a":null,"b":"2"}\n');
    assert.equal(await shown("items.jl"), "a     b\n1.10\n      2\n\n2 of 2 rows.\n");
    writeFileSync(world.path("items.tsv"), "a,b\tc\n1,2\t3\n");
    assert.equal(await shown("items.tsv"), "a,b  c\n1,2  3\n\n1 of 1 rows.\n");
    writeFileSync(world.path("items.txt"), "a,b\n");
    for (const line of ["rows items.txt", "compare items.txt items.jl", "compare --history items.txt items.jl"]) {
      const { code, stderr } = await world.run(line);
      assert.equal(code, 2);
      assert.match(stderr, /^error: "items\.txt" is a file, and its ending names no format of rows\. Known are /, line);
    }
    assert.deepEqual(world.operations(), []);
  });

  it("takes a name without an ending for a task, also if a file or a folder has it", async () => {
    writeFileSync(world.path("shop-1"), "x");
    mkdirSync(world.path("out.d/deep"), { recursive: true });
    writeFileSync(world.path("out.d/rows"), "x");
    assert.equal((await world.run("rows shop-1")).code, 0);
    assert.match((await world.run("rows out.d")).stderr, /task/);
    assert.match(
      (await world.run("rows out.d/rows")).stderr,
      /"out\.d\/rows" is a file, and its ending names no format/,
    );
    world.operations();
  });

  it("needs neither DuckDB nor a stack for text", async () => {
    writeFileSync(world.path("plain.json"), '[{"a":1},\n{"a":2}]');
    const elsewhere = await CliWorld.create();
    const inFolder = (line: string) => elsewhere.run(line, { PATH: "" });
    for (const name of ["plain.json", "items.jl", "items.tsv"]) {
      cpSync(world.path(name), elsewhere.path(name));
      mkdirSync(elsewhere.path("node_modules/@duckdb/node-api"), { recursive: true });
      writeFileSync(elsewhere.path("node_modules/@duckdb/node-api/index.js"), "throw new Error('loaded')");
      const { code, stderr } = await inFolder(`rows ${name}`);
      assert.deepEqual([code, stderr], [0, ""], name);
    }
    assert.match((await inFolder("compare items.jl items.jl")).stderr, /@duckdb\/node-api cannot be loaded \(loaded\)/);
    await elsewhere.remove();
  });

  it("refuses a row that is no row, and one with a field twice", async () => {
    for (const [name, content, words] of [
      ["twice.ndjson", '{"a":1}\n{"a":1,"a":2}\n', 'row 2 has the field "a" twice'],
      ["null.json", '[{"a":1},null]', "row 2 is not an object"],
      ["text.jl", '{"a":1}\nx\n', "row 2 is not an object on a line of its own"],
      ["commas.json", '[{"a":1},,{"a":2}]', "before row 2 there must be one comma"],
      ["noComma.json", '[{"a":1} {"a":2}]', "before row 2 there must be one comma"],
      ["lists.json", '[{"a":1}]]', "it is no list of rows"],
      ["oneLine.ndjson", '{"a":1}{"a":2}\n', "row 2 is not an object on a line of its own"],
      ["lines.json", '{"a":1}\n{\n"a":2}\n', "row 2 is not an object on a line of its own"],
    ] as const) {
      writeFileSync(world.path(name), content);
      const { code, stderr } = await world.run(`rows ${name}`);
      assert.equal(code, 1);
      assert.ok(stderr.includes(`cannot be read as ${name.endsWith(".json") ? "json" : "ndjson"}: ${words}.`), stderr);
    }
  });

  it("says where the rows are in the response of a service", async () => {
    const content = { requestId: "q", data: { total: 2, "the rows": [{ a: 1 }, { a: 2 }] } };
    const advice = `Its field "data.the rows" is a list of objects. If they are the rows, write them to a file (jq -c '.data["the rows"][]'`;
    for (const [name, space, code] of [
      ["one.json", 0, 0],
      ["lines.json", 1, 1],
    ] as const) {
      writeFileSync(world.path(name), JSON.stringify(content, undefined, space));
      const rows = await world.run(`rows ${name}`);
      const compared = await world.run(`compare ${name} items.jl`);
      assert.deepEqual([rows.code, compared.code], [code, code]);
      for (const { stdout, stderr } of [rows, compared]) assert.ok((stdout + stderr).includes(advice), stdout + stderr);
    }
    const nested = await world.run("rows items.jl");
    assert.equal(nested.stderr, "");
  });

  it("reads the visible sheet of a workbook or the named one, with the digits of the file", async () => {
    const cells = (sheet: string, ...values: unknown[]) => ({
      name: sheet,
      rows: [["sku", "id"], ...values.map((id, index) => [`A${index}`, id])] as string[][],
    });
    const hidden = { ...cells("old & hidden", "x"), hidden: true };
    const book = await writeXlsx({ sheets: [hidden, cells("now", 12.5), cells("later", "1", "2")] });
    writeFileSync(world.path("sheets.xlsx"), book);
    const first = await world.run("rows sheets.xlsx");
    assert.equal(first.stdout, "sku  id\nA0   12.5\n\n1 of 1 rows.\n");
    assert.match(
      first.stderr,
      /only sheet "now" was read, not "old & hidden" \(hidden\), "later"\. --sheet NAME reads another one\.$/m,
    );
    const later = await world.run(["rows", "sheets.xlsx", "--sheet", "old & hidden"]);
    assert.deepEqual([later.stdout, later.stderr], ["sku  id\nA0   x\n\n1 of 1 rows.\n", ""]);
    const compared = await world.run("compare sheets.xlsx sheets.xlsx --sheet later --json");
    assert.equal(compared.json().head.rows, 2);
    const missing = await world.run("rows sheets.xlsx --sheet no");
    assert.match(missing.stderr, /it has no sheet "no"\. Its sheets: "old & hidden" \(hidden\), "now", "later"\n$/);
    const other = await world.run("rows items.jl --sheet no");
    assert.match(other.stderr, /--sheet is for \.xlsx files, and none is named/);
  });

  it("compares the digits that a workbook has, and refuses ids that it has rounded", async () => {
    const workbook = async (name: string, ...cells: string[]): Promise<void> =>
      writeFileSync(world.path(name), await bookOf(cells));
    await workbook("old.xlsx", "<v>639308323497897245</v>", "<v>9007199254740993</v>", "<v>1.10</v>", "<v>1.2E+20</v>");
    await workbook("new.xlsx", "<v>639308323497897246</v>", "<v>9007199254740993</v>", "<v>1.1</v>", "<v>1.2E+20</v>");
    assert.match(
      (await world.run("rows old.xlsx")).stdout,
      /^639308323497897245\n9007199254740993\n1\.1\n120000000000000000000\n/m,
    );
    assert.match(
      (await world.run("compare old.xlsx new.xlsx --key id")).stdout,
      /^Rows: 1 added, 1 removed, 0 changed, 3 /m,
    );
    await workbook("rounded.xlsx", "<v>1</v>", "<v>6.393083234978972e+17</v>");
    const rounded = await world.run("rows rounded.xlsx");
    assert.equal(rounded.code, 1);
    assert.match(
      rounded.stderr,
      /cell A3 has an integer of more than 15 digits that is not exact\. Write such ids as text/,
    );
    await workbook("formula.xlsx", "<v>1</v>", "<f>A2+1</f>", "<f>A3+1</f><v></v>", "<f>A2</f><v>1</v>");
    const formula = await world.run("rows formula.xlsx");
    assert.match(
      formula.stderr,
      /2 cells have formulas without a stored value and were read as empty, first A3\. Open /,
    );
  });

  it("refuses options that are for tasks", async () => {
    writeFileSync(world.path("local.csv"), "a\n1\n");
    for (const flag of ["--lot-no 1", "--stack dev", "--profile one", "--base-url http://127.0.0.1:1"]) {
      const { code, stderr } = await world.run(`rows local.csv ${flag}`);
      const [option] = flag.split(" ");
      const words = `error: ${option} is for tasks, and "local.csv" is a file. Leave it out. No rows were read.\n`;
      assert.deepEqual([code, stderr], [2, words]);
    }
  });

  it("takes no object in S3 for a task", async () => {
    const { code, stderr } = await world.run("rows s3://bucket/rows.log");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: "s3:\/\/bucket\/rows\.log" has no known ending\. Known are \.ndjson, .+ No rows were read\.\n$/,
    );
  });

  it("refuses a broken file with one error, and writes no page", async () => {
    for (const name of ["rows.ndjson", "rows.json", "rows.jsonl.gz", "rows.json.zst", "rows.parquet", "rows.xlsx"]) {
      const broken = `broken-${name}`;
      const content = readFileSync(world.path(name));
      writeFileSync(world.path(broken), content);
      truncateSync(world.path(broken), content.length - 20);
      const { code, stdout, stderr } = await world.run(`rows ${broken} --html broken.html`);
      assert.deepEqual([code, stdout, existsSync(world.path("broken.html"))], [1, "", false], name);
      assert.match(stderr, /^error: "broken-\S+" cannot be read as (?:ndjson|json|parquet|xlsx): .+\n$/, stderr);
    }
    const missing = await world.run("rows none.csv");
    assert.deepEqual(
      [missing.code, missing.stderr],
      [2, 'error: "none.csv" cannot be read: ENOENT. No result was written.\n'],
    );
  });
});

/** A workbook with one column of these cells, as another program writes it. */
async function bookOf(cells: readonly string[]): Promise<Buffer> {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relation = (type: string, target: string): string =>
    `<Relationships><Relationship Target="${target}" Type="${office}/${type}" Id="r1"/></Relationships>`;
  const rows = cells.map((cell, index) => `<row r="${index + 2}"><c r="A${index + 2}">${cell}</c></row>`);
  const zip = new ZipFile();
  for (const [name, content] of Object.entries({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relation("officeDocument", "xl/workbook.xml"),
    "xl/workbook.xml": `<x:workbook xmlns:x="x" xmlns:r="r"><x:sheets><x:sheet name="one" sheetId="1" r:id="r1"/></x:sheets></x:workbook>`,
    "xl/_rels/workbook.xml.rels": relation("worksheet", "/xl/worksheets/sheet1.xml"),
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row>${rows.join("")}</sheetData></worksheet>`,
  })) {
    zip.addBuffer(Buffer.from(content), name);
  }
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
