import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { writeXlsx } from "hucre/xlsx";
import { parquetWriteBuffer } from "hyparquet-writer";
import { setEnvironment, slowIt } from "../../test/environment";
import fc, { runs } from "../../test/fastCheck";
import { writeFormat } from "../../test/internals/resources";
import type { Compared } from "./comparing";
import { Comparing } from "./comparing";
import { csvRows, sideOf } from "./internals/compare";

/** Two rows in each format. */
const rows = [
  { sku: "1", name: 'Größe, "L"\n', price: "2.50" },
  { sku: "2", name: "x", price: "" },
];
const ndjson = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const csv = 'sku,name,price\n1,"Größe, ""L""\n",2.50\n2,x,\n';

/** Files of a folder that this process has open. None where the system does not show it. */
function openFiles(folder: string): string[] {
  const targetOf = (descriptor: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return "";
    }
  };
  const descriptors = process.platform === "linux" ? readdirSync("/proc/self/fd") : [];
  return descriptors.map(targetOf).filter((path) => path.startsWith(folder));
}

describe("webextract compare, reading files", () => {
  let files: Comparing;
  before(() => {
    files = new Comparing();
  });
  after(() => files.remove());

  /** Compares a file with the same rows, one on each line. */
  const withRows = (file: string): Promise<Compared> =>
    files.compare(files.write("rows.ndjson", ndjson), file, { key: ["sku"] });
  const assertSame = async (file: string): Promise<void> => {
    const { json } = await withRows(file);
    assert.deepEqual([json.head.rows, json.added, json.removed, json.changed, json.unchanged], [2, 0, 0, 0, 2], file);
    assert.deepEqual(json.fields.map(({ name }: { name: string }) => name).sort(), ["name", "price", "sku"], file);
  };
  const failure = (file: string): Promise<string> => files.failure(files.write("rows.ndjson", ndjson), file);
  const fieldsOf = async (file: string): Promise<string[]> =>
    (await files.compare(file, file)).json.fields.map(({ name }: { name: string }) => name);

  it("reads the same rows from each format, with and without an end of the last line, and with a byte order mark", async () => {
    const contents: Record<string, string> = {
      "end.ndjson": ndjson.trimEnd(),
      "mark.ndjson": `\ufeff${ndjson}`,
      "windows.ndjson": `\r\n${ndjson.replaceAll("\n", "\r\n")}\n \t\n`,
      "list.json": JSON.stringify(rows),
      "pretty.json": `\ufeff \n${JSON.stringify(rows, undefined, 2)}\n\n`,
      "a.csv": csv,
      "end.csv": csv.trimEnd(),
      "mark.csv": `\ufeff${csv}`,
      "semicolon.csv": csv.replaceAll(/,(?! )/g, ";"),
      "tab.csv": csv.replaceAll(/,(?! )/g, "\t"),
      "bar.csv": csv.replaceAll(/,(?! )/g, "|"),
      "mixed.csv": csv.replace("price\n", "price\r\n"),
      "blank.csv": `\n\r\n${csv}\n\n`,
      "quoted.csv": '"sku","name","price"\n"1","Größe, ""L""\n","2.50"\n"2","x",""\n',
      "windows.csv": csv.replace("price\n", "price\r\n").replace("2.50\n", "2.50\r\n").replace("x,\n", "x,\r\n"),
      "mac.csv": csv.replace("price\n", "price\r").replace("2.50\n", "2.50\r").replace("x,\n", "x,\r"),
    };
    for (const [name, content] of Object.entries(contents)) {
      await assertSame(files.write(name, content));
    }
    for (const name of ["mark.ndjson", "list.json", "quoted.csv"]) {
      await assertSame(files.write(`${name}.gz`, gzipSync(contents[name] ?? "")));
    }
    const zstd = await Zstd.load();
    await assertSame(files.write("Z.NDJSON.ZST", zstd.compress(Buffer.from(ndjson))));
  });

  slowIt("reads rows that are cut at any byte", async () => {
    const long = Array.from({ length: 3_000 }, (_, index) => ({
      sku: `${index}`,
      name: `${'é\\"☃'.repeat(index % 90)}`,
    }));
    const asCsv = long.map(({ sku, name }) => `${sku},"${name.replaceAll('"', '""')}"\r\n`).join("");
    const base = files.rows("long.ndjson", long);
    for (const file of [
      files.write("long.json", JSON.stringify(long)),
      files.write("long.csv", `sku,name\r\n${asCsv}`),
      files.write("long.csv.gz", gzipSync(`sku,name\r\n${asCsv}`)),
    ]) {
      const { json } = await files.compare(base, file, { key: ["sku"] });
      assert.deepEqual([json.unchanged, json.changed, json.added], [3_000, 0, 0], file);
    }
  });

  it("reads Parquet by the values of its types, with names that differ only in case, and nothing but this file", async () => {
    const folder = files.path("x=1 [ab]*");
    mkdirSync(folder, { recursive: true });
    const instance = await DuckDBInstance.create(":memory:");
    const duckdb = await instance.connect();
    const write = (name: string, select: string): Promise<unknown> =>
      duckdb.run(
        `COPY (${select}) TO '${folder.replaceAll("'", "''")}/${name.replaceAll("'", "''")}' (FORMAT parquet)`,
      );
    await write(
      "r[1]?'s.parquet",
      `SELECT 1.10::DECIMAL(5,2) AS price, '2' AS sku, DATE '2026-01-02' AS day, TIMESTAMPTZ '2026-01-02 03:00:00+02' AS seen,
       9007199254740993 AS big, true AS "on", '' AS empty, NULL::VARCHAR AS nothing, [1, 2] AS list, {'a': 'x'} AS map, 'q' AS "a""b; DROP TABLE base"`,
    );
    await write("r1.parquet", "SELECT 'other' AS price FROM range(5)");
    duckdb.closeSync();
    const text = files.rows("typed.ndjson", [
      {
        ...{ price: "1.10", sku: "2", day: "2026-01-02", seen: "2026-01-02 01:00:00+00" },
        ...{ big: "9007199254740993", on: "true", empty: null, nothing: "", list: [1, 2], map: { a: "x" } },
        'a"b; DROP TABLE base': "q",
      },
    ]);
    const { json } = await files.compare(text, `${folder}/r[1]?'s.parquet`, { key: ["sku"] });
    assert.deepEqual([json.head.rows, json.unchanged, json.changed], [1, 1, 0]);
    assert.ok(json.fields.every(({ only }: { only?: string }) => only === undefined));
    const strange = ["a\0b", "a", 'p0"', "P0"].map((name, index) => ({ name, data: [`${index}`] }));
    const withNul = files.write("nul.parquet", Buffer.from(parquetWriteBuffer({ columnData: strange })));
    const same = files.rows("nul.ndjson", [{ a: "1", "a\0b": "0", 'p0"': "2", P0: "3" }]);
    assert.equal((await files.compare(same, withNul, { key: ["a\0b"] })).json.unchanged, 1);
    const columnData = ["Name", "name", "NAME", "name_1"].map((name, index) => ({ name, data: [`${index}`] }));
    const bytes = Buffer.from(parquetWriteBuffer({ columnData }));
    const cases = files.rows("cases.ndjson", [{ NAME: "2", Name: "0", name_1: "3", name: "1" }]);
    for (const file of [files.write("cases.parquet", bytes), files.write("cases.parquet.gz", gzipSync(bytes))]) {
      const found = await files.compare(cases, file, { key: ["Name"] });
      assert.deepEqual([found.json.unchanged, found.json.fields.length], [1, 4]);
    }
  });

  it("refuses a Parquet file with two columns of one name, and shows where long values differ", async () => {
    const column = (data: string[]) => ({ name: "v", data, type: "STRING" as const });
    const twice = Buffer.from(parquetWriteBuffer({ columnData: [column(["a"]), column(["b"])] }));
    assert.match(await failure(files.write("twice.parquet", twice)), /it has two columns of one name$/);
    const long = (end: string): string => files.rows(`${end}.ndjson`, [{ k: "1", v: `${"x".repeat(500)}${end}` }]);
    const { text } = await files.compare(long("old"), long("new"), { key: ["k"] });
    assert.match(text, /…x{20}old +…x{20}new/);
  });

  it("says how to give several fields of a key, and one that has another case in one file", async () => {
    const [lower, upper] = [
      files.rows("lower.ndjson", [{ sku: 1, price: 2 }]),
      files.rows("upper.ndjson", [{ Sku: 1 }]),
    ];
    const both = await files.failure(lower, lower, { key: ["sku,price"] });
    assert.equal(both, '--key takes one field at a time, and got "sku,price": use --key sku --key price.');
    const other = await files.failure(lower, upper, { key: ["sku"] });
    assert.match(
      other,
      /^--key names the field "sku", which "\S+" does not have; did you mean "Sku"\? A key must be in/,
    );
    const hidden = await files.failure(lower, upper, { key: ["sku"], values: false });
    assert.match(hidden, /does not have\. A key/);
    const neither = await files.failure(upper, upper, { key: ["sku"] });
    assert.match(neither, /which is no field of the rows; did you mean "Sku"\?$/);
  });

  it("reads the first sheet of a workbook that another program has written, and refuses what has no rows", async () => {
    const sheet = (...cells: (string | number | boolean | Date | null)[][]) => ({
      name: String(cells[0]),
      rows: cells,
    });
    const book = async (name: string, ...sheets: ReturnType<typeof sheet>[]): Promise<string> =>
      files.write(name, await writeXlsx({ sheets }));
    const header = ["k", "n", "day", "at", "on", "list"];
    const row = [1, 12.5, new Date("2026-11-21"), new Date("2026-11-21T08:30:00.500Z"), true, "[1, 2]"];
    const rows = await book("b.xlsx", sheet(header, row, [2, null, null, "x"]), sheet(["other"]));
    const same = files.rows("same.ndjson", [
      { k: "1", n: "12.5", day: "2026-11-21", at: "2026-11-21 08:30:00.5", on: true, list: [1, 2] },
      { k: "2", at: "x" },
    ]);
    const { json } = await files.compare(same, rows, { key: ["k"] });
    assert.deepEqual([json.unchanged, json.changed, json.added, json.removed], [2, 0, 0, 0]);
    // Programs and people leave rows that have only a format, at the end often hundreds.
    const style = { style: { numFmt: "@" } };
    const places = [2, 4, 5].map((place) => [`${place},0`, style] as const);
    const formatted = { ...sheet(["k"], [1], [null], [2], [null], [null]), cells: new Map(places) };
    const filled = files.rows("filled.ndjson", [{ k: "1" }, {}, { k: "2" }]);
    const rowsIn = async (file: string): Promise<unknown> => (await files.compare(filled, file)).json.head.rows;
    assert.equal(await rowsIn(await book("formatted.xlsx", formatted)), 3);
    await writeFormat({ format: "xlsx" }, files.write("end.ndjson", '{"k":1}\n{}\n'), files.path("end.xlsx"), files);
    assert.equal(await rowsIn(files.path("end.xlsx")), 2);
    assert.match(await failure(await book("twice.xlsx", sheet(["a", "a"], [1, 2]))), /two columns with the name "a"/);
    assert.match(
      await failure(await book("wide.xlsx", sheet(["a"], [1, "secret"]))),
      /row 2 has a value behind the last/,
    );
    assert.match(
      await failure(files.write("no.xlsx", "secret")),
      /"[^"]*no\.xlsx" cannot be read as xlsx: (?!.*secret)/,
    );
  });

  it("keeps names apart that differ only in case, and fields that come late or in one row only", async () => {
    const sparse = Array.from({ length: 5_000 }, (_, index) => ({
      id: `${index}`,
      ...(index > 4_800 && { [`f${index}`]: "x" }),
    }));
    const file = files.rows("sparse.ndjson", [
      { Name: "1", name: "2", "": "3", constructor: "4", __proto__x: "5" },
      ...sparse,
    ]);
    const names = await fieldsOf(file);
    assert.equal(names.length, 5 + 1 + 199);
    assert.deepEqual(
      names
        .slice(0, 3)
        .concat("f4999")
        .filter((name) => !names.includes(name)),
      [],
    );
    for (const name of ["Name", "name", "", "constructor"]) assert.ok(names.includes(name), name);
  });

  it("takes a nested value as the text of its JSON, and a number as its digits", async () => {
    const base = files.rows("base.ndjson", [
      '{"k":1,"v":{"a": [1.0]},"n":12345678901234567890,"p":1.10}',
      '{"k":2,"v":["caf\\u00e9 \\/ \\ud83d\\ude00"],"n":1e3,"p":0.10000000000000001}',
    ]);
    const head = files.rows("head.ndjson", [
      '{"k":"1","v":"{\\"a\\":[1.0]}","n":"12345678901234567890","p":"1.10"}',
      '{"k":"2","v":"[\\"café / 😀\\"]","n":"1e3","p":"0.10000000000000001"}',
    ]);
    assert.equal((await files.compare(base, head, { key: ["k"] })).json.unchanged, 2);
    const other = files.rows("other.ndjson", [
      '{"k":1,"v":{"a":[1.00]},"n":12345678901234567890,"p":1.1}',
      '{"k":2,"v":["café / 😁"],"n":1000,"p":0.1}',
    ]);
    const { json } = await files.compare(base, other, { key: ["k"] });
    const changes = json.fields.map(({ name, changed }: { name: string; changed: number }) => [name, changed]);
    assert.deepEqual(changes.sort(), [
      ["k", 0],
      ["n", 1],
      ["p", 2],
      ["v", 2],
    ]);
  });

  slowIt("finds one run unchanged in any two of the formats of an export", async function () {
    this.timeout(300_000);
    const text = fc.string({
      unit: fc.constantFrom("a", "é", "😀", '"', ",", "\n", "\\", "{", "[", "]", "}", ":", " "),
    });
    const numbers = "1.10 12.50 1e3 1E-7 -0 -0.0 0.1234567890123456789 12345678901234567890";
    const number = fc.constantFrom(...numbers.split(" "));
    const string = text.map((each) => JSON.stringify(each));
    const escaped = fc.constantFrom(
      '"\\u00e9"',
      '"\\/"',
      '"\\ud83d\\ude00"',
      '"\\u0000"',
      '"\\ud800"',
      '"[1, 2]"',
      '"{ \\"a\\" : 1 }"',
    );
    const scalar = fc.oneof(number, string, escaped, fc.constantFrom("true", "false", "null"));
    const space = fc.constantFrom("", " ");
    const nested = fc.oneof(
      fc.tuple(scalar, scalar, space).map(([one, other, gap]) => `[${gap}${one},${gap}${other}]`),
      fc.tuple(string, scalar, space).map(([name, one, gap]) => `{${name}:${gap}{"a"${gap}: [${one}]}}`),
    );
    const row = fc.dictionary(fc.constantFrom("v", "w", "é", ""), fc.oneof(scalar, nested));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const lines = rows.map((cells, index) => {
          const members = Object.entries(cells).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
          return `{${[`"k":${index}`, ...members].join(", ")}}\n`;
        });
        const from = files.write("run.ndjson", lines.join(""));
        const named: string[] = [from];
        for (const format of ["json", "csv", "parquet", "xlsx"] as const) {
          named.push(files.path(`run.${format}`));
          await writeFormat({ format }, from, files.path(`run.${format}`), { folder: files.folder });
        }
        for (const other of named) {
          const { json } = await files.compare(from, other, { key: ["k"] });
          assert.deepEqual([json.unchanged, json.changed, json.added], [rows.length, 0, 0], other);
        }
      }),
      runs(6),
    );
  });

  it("reads any cells of a CSV, in pieces of any size", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "é", "😀", '"', ",", ";", "§", "\\", "\n", "\r", " "),
      maxLength: 6,
    });
    const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
      fc.record({
        cells: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
        end: fc.constantFrom("\n", "\r\n", "\r"),
        delimiter: fc.constantFrom(",", ";", "^", "§"),
        size: fc.integer({ min: 1, max: 20 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, async ({ cells, end, delimiter, size }) => {
        const names = (cells[0] ?? []).map((_cell, index) => `n${index}`);
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const written = (text: string, index: number): string =>
          index % 2 === 0 || /[",;^§\r\n]/.test(text) || text === "" ? quoted(text) : text;
        const lines = [names, ...cells].map((each) => each.map(written).join(delimiter));
        const whole = `sep=${delimiter}${end}${lines.join(end)}${size % 2 === 0 ? end : ""}`;
        const header: string[] = [];
        async function* pieces(): AsyncGenerator<string> {
          // A decoder returns whole characters.
          const characters = [...whole];
          for (let at = 0; at < characters.length; at += size) {
            yield characters.slice(at, at + size).join("");
          }
        }
        let found = "";
        for await (const rows of csvRows(pieces(), header)) {
          found += Buffer.from(rows);
        }
        assert.deepEqual(header, names);
        const expected = cells.map((each) =>
          Object.fromEntries(each.flatMap((text, index) => (text === "" ? [] : [[names[index], text]]))),
        );
        assert.deepEqual(
          found
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
          expected,
        );
      }),
    );
  });

  it("reads the delimiter in the first line of a CSV as Excel does, rows on lines in .jsonl and .json, and names what else begins so", async () => {
    const semicolons = csv.replaceAll(/,(?! )/g, ";");
    for (const [name, content] of [
      ["sep.csv", `sep=;\n${semicolons}`],
      ["SEP.csv", `\ufeffSEP=;\r\n${semicolons}`],
      ["sepTab.csv", `sep=\t\r${csv.replaceAll(/,(?! )/g, "\t")}`],
      ["sepOther.csv", `sep=^\n${csv.replaceAll(/,(?! )/g, "^")}`],
      ["rows.jsonl", ndjson],
      ["lines.json", ndjson],
      ["linesWithMark.json", `\ufeff\n ${ndjson}`],
    ] as const) {
      await assertSame(files.write(name, content));
    }
    await assertSame(files.write("rows.jsonl.gz", gzipSync(ndjson)));
    const [data] = await fieldsOf(files.write("noSep.csv", "sep=\n1\n"));
    assert.equal(data, "sep=");
    assert.match(
      await failure(files.write("object.json", JSON.stringify({ data: rows }, undefined, 2))),
      /as json: .*\. It begins with "\{", so each of its lines must be a row\b/,
    );
  });

  it("reads bytes of Parquet that are not marked as text where they are UTF-8, and says so once", async () => {
    const [valid, invalid] = [Buffer.from("café"), Buffer.from([0xff, 0x41])];
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: "sku", data: ["1", "2"], type: "STRING" },
        { name: "old", data: [valid, invalid], type: "BYTE_ARRAY" },
      ],
    });
    const file = files.write("old.parquet", Buffer.from(bytes));
    const same = files.rows("old.ndjson", [
      { sku: "1", old: "café" },
      { sku: "2", old: "\\xFFA" },
    ]);
    const { json, text } = await files.compare(same, file, { key: ["sku"] });
    assert.deepEqual([json.unchanged, json.changed], [2, 0]);
    const note = `"${file}": 1 column of bytes is not marked as text: "old". What is valid UTF-8 was read as text.`;
    assert.deepEqual(json.notes, [note]);
    assert.equal(text.split(note).length, 2);
  });

  it("reads a blank line of a CSV as no row, and a quoted empty cell as one, as exports write it", async () => {
    const { json } = await files.compare(files.write("b.csv", 'a\n1\n\n""\n\n'), files.write("h.csv", "a\n1\n"));
    assert.deepEqual([json.base.rows, json.head.rows], [2, 1]);
  });

  it("reads half of a surrogate pair as U+FFFD, as other formats have it", async () => {
    const values = ["\\ud800", "\\ud83d\\ude00", "\\\\ud800", "\\udc00\\ud800,\\ud83d\\ude00"];
    const base = files.rows(
      "half.ndjson",
      values.map((v, k) => `{"k":"${k}","v":"${v}"}`),
    );
    const head = files.write("half.csv", 'k,v\n0,\ufffd\n1,😀\n2,\\ud800\n3,"\ufffd\ufffd,😀"\n');
    assert.equal((await files.compare(base, head, { key: ["k"] })).json.unchanged, 4);
  });

  it("takes an empty file as a side without rows", async () => {
    for (const [name, content] of [
      ["e.ndjson", ""],
      ["e.json", ""],
      ["e2.json", " [ ] "],
      ["e.csv", ""],
      ["h.csv", "sku,name"],
    ] as const) {
      const { json } = await files.compare(files.write(name, content), files.write("rows.ndjson", ndjson));
      assert.equal(json.base.rows, 0, name);
    }
  });

  it("refuses rows that are not valid, and shows no value of them", async () => {
    const cases: Record<string, [content: string | Buffer, says: RegExp]> = {
      "cut.ndjson": ['{"a":"1"}\n{"a":"secret', /cannot be read as ndjson: DuckDB failed: Malformed JSON near row 2: /],
      "one.ndjson": ["x", /Malformed JSON near row 1:/],
      "list.ndjson": ['\n["secret"]\n', /JSON transform error near row 1: Expected OBJECT, but got ARRAY$/],
      "null.ndjson": ["null\n", /: row 1 is null$/],
      "text.ndjson": ["secret", /Malformed JSON near row 1:/],
      "several.ndjson": ['{"a":"1"}{"a":"2"}\n', /Malformed JSON near row 1:/],
      "twice.ndjson": ['{"a":"1"}\n{"a":"1","\\u0061":"2"}', /: row 2 has the field "a" twice$/],
      "cut.json": ['[{"a":"1"},{"a":"2"}', /cannot be read as json: it is cut off, or no list of rows\.$/],
      "cutAtLine.json": ['[{"a":"1"},\n{"a":"2"},\n', /it is cut off, or no list of rows\.$/],
      "comma.json": ['[{"a":"1"},]', /Malformed JSON near row 2:/],
      "after.json": ['[{"a":"1"}] x', /it is cut off, or no list of rows\.$/],
      "afterwards.json": ['[{"a":"1"}] []', /Malformed JSON near row \d:/],
      "element.json": ['[{"a":"1"}, 2]', /near row 2: Expected OBJECT, but got UBIGINT$/],
      "broken.json": ['[{"a":"1"}, {"a" 2}]', /Malformed JSON near row 2:/],
      "text.json": ["secret", /it is cut off, or no list of rows\.$/],
      "ragged.csv": ["a,b\n1,2\n\n3\n4,5\n", /as csv: Invalid Record Length: expect 2, got 1 on line 4\.$/],
      "long.csv": ["a;b\n1;2;3\n", /Invalid Record Length: expect 2, got 3 on line 2\.$/],
      "multi.csv": ['a,b\n"x\ny",2\n3\n', /expect 2, got 1 on line 4\.$/],
      "quote.csv": ['a,b\n1,"secret\n', /Quote Not Closed: .* at line 2\.$/],
      "twice.csv": ["a,b,a\n1,2,3\n", /: row 1 has the field "a" twice$/],
      "opening.csv": ['a,b\n1,2\n1,secret"2"\n', /as csv: a quotation mark is out of place on line 3\.$/],
      "closing.csv": ['a,b\n1,"2"secret\n', /as csv: a quotation mark is out of place on line 2\.$/],
      "latin.csv": [Buffer.from("a\nGr\u00fc\u00dfe\n", "latin1"), /not valid for encoding utf-8\.$/],
      "half.ndjson": [Buffer.from('{"a":"\u00e9').subarray(0, -1), /not valid for encoding utf-8\.$/],
      "utf16.csv": [Buffer.from("\ufeffa,b\n", "utf16le"), /not valid for encoding utf-8\.$/],
      "plain.ndjson.gz": ["secret", /as ndjson: incorrect header check\.$/],
      "cut.csv.gz": [gzipSync("a\n1\n".repeat(100)).subarray(0, -9), /as csv: unexpected end of file\.$/],
      "empty.csv.zst": ["", /as csv: it is empty, and not zstd\.$/],
      "empty.ndjson.gz": ["", /as ndjson: unexpected end of file\.$/],
      "plain.csv.zst": ["secret", /as csv: invalid zstd data\.$/],
      "cut.csv.zst": [
        (await Zstd.load()).compress(Buffer.from("a\n1\n")).slice(0, -3) as Buffer,
        /as csv: unexpected EOF\.$/,
      ],
      "text.parquet": ["secret", /^".*text\.parquet" cannot be read as parquet: /],
    };
    for (const [name, [content, says]] of Object.entries(cases)) {
      const message = await failure(files.write(name, content));
      assert.match(message, says, name);
      assert.doesNotMatch(message.replaceAll(files.folder, ""), /secret/, name);
      assert.deepEqual(openFiles(files.folder), []);
    }
  });

  it("refuses what is no file, and a name that says nothing", async () => {
    mkdirSync(files.path("folder.csv"), { recursive: true });
    execFileSync("mkfifo", [files.path("fifo.csv")]);
    symlinkSync("/dev/zero", files.path("zero.ndjson"));
    for (const name of ["folder.csv", "fifo.csv", "zero.ndjson", "folder.csv/../fifo.csv"]) {
      assert.match(
        await failure(files.path(name)),
        /cannot be read: it is not a file\. No result was written\.$/,
        name,
      );
    }
    assert.match(await failure("none.parquet"), /^"none\.parquet" cannot be read: ENOENT\. No result was written\.$/);
    for (const given of ["rows.txt", "task", ":1", "task:", "s3://bucket/rows"]) {
      assert.throws(() => sideOf(given), { exit: "usage" }, given);
    }
    assert.deepEqual(sideOf("a:b:1"), { kind: "batch", name: "a:b:1", taskId: "a:b", lotNo: "1" });
    assert.equal(sideOf("C:\\rows.NDJSON.gz").kind, "file");
  });

  it("refuses a file that is changed while it is read", async () => {
    const file = files.rows(
      "growing.ndjson",
      Array.from({ length: 200_000 }, (_, index) => ({ index: `${index}` })),
    );
    const growing = setInterval(() => appendFileSync(file, '{"index":"x"}\n'), 5);
    try {
      assert.match(await failure(file), /was changed while it was read\. No result was written\./);
    } finally {
      clearInterval(growing);
    }
    utimesSync(file, 1, 1);
    assert.equal((await files.compare(file, file)).json.fields.length, 1);
  });

  it("leaves no folder with rows, also after a failure and an interruption", async () => {
    const file = files.write("rows.ndjson", ndjson);
    const bad = files.write("bad.ndjson", "x");
    const interrupted = new Comparing();
    const large = interrupted.rows(
      "large.ndjson",
      Array.from({ length: 100_000 }, (_, index) => ({ index })),
    );
    // Other commands of the machine use the usual folder.
    const own = mkdtempSync(join(tmpdir(), "webextract-test-"));
    const restore = setEnvironment({ TMPDIR: own });
    try {
      // Of a killed command, and of one that runs.
      const [old, running] = [join(own, "webextract-compare-old"), join(own, "webextract-compare-running")];
      for (const folder of [old, running]) {
        mkdirSync(folder);
        writeFileSync(join(folder, "rows.db"), "");
        utimesSync(folder, 1, 1);
      }
      utimesSync(join(old, "rows.db"), 1, 1);
      await files.compare(file, file);
      assert.deepEqual(readdirSync(own), ["webextract-compare-running"]);
      rmSync(running, { recursive: true });
      await files.failure(file, bad);
      setTimeout(() => interrupted.interruption.abort(), 60);
      assert.match(await interrupted.failure(large, large), /^Interrupted\. No result was written\.$/);
      assert.deepEqual(readdirSync(own), []);
    } finally {
      restore();
      interrupted.remove();
      rmSync(own, { recursive: true });
    }
  });
});
