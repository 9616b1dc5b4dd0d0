import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "../../fastCheck";
import { hostileStrings } from "../../hostile";
import { writeFormat } from "../../internals/resources";

/** A value as JSON, and the text of its cell. */
interface Cell {
  json: string;
  text: string;
}

const space = fc.constantFrom("", "", " ", "\t ");
const string = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "é", "☃", "\u{1f4d6}", '"', ",", "\n", "\r", "\\", "{", "}", "[", "]", ":", " "),
  }),
  fc.string({ unit: "grapheme" }),
);
const asJson = (escapesAll: boolean) => (text: string) =>
  escapesAll
    ? JSON.stringify(text).replace(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : JSON.stringify(text);
const value: fc.Arbitrary<Cell> = fc.oneof(
  fc.tuple(string, fc.boolean()).map(([text, escapesAll]) => ({ json: asJson(escapesAll)(text), text })),
  fc
    .constantFrom("1.10", "-0.0", "12345678901234567890", "1E+20", "true", "false")
    .map((json) => ({ json, text: json })),
  fc.constant({ json: "null", text: "" }),
  fc
    .tuple(fc.array(fc.oneof(string, fc.integer(), fc.record({ n: string })), { maxLength: 3 }), space)
    .map(([items, between]) => `[${items.map((item) => JSON.stringify(item)).join(`,${between}`)}]`)
    .map((json) => ({ json, text: json })),
);
const field = fc.oneof(fc.constantFrom("a", "b", "c", "1", "__proto__", ""), string);
const row = fc.uniqueArray(fc.tuple(field, value, space), { maxLength: 5, selector: ([name]) => name });

describe("CSV", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-csv-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function csvOf(lines: string, args: object = {}): Promise<string> {
    const [from, to] = [join(folder, "rows.ndjson"), join(folder, "rows.csv")];
    writeFileSync(from, lines);
    rmSync(to, { force: true });
    await writeFormat({ format: "csv", ...args }, from, to, { folder });
    return readFileSync(to, "utf8");
  }

  it("has a column for each field of each row, and each value as it was sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (rows) => {
        const lines = rows.map((members) => {
          const parts = members.map(
            ([name, { json }, gap]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${json}${gap}`,
          );
          return `{${parts.join(",")}}\n`;
        });
        const columns = [...new Set(rows.flat().map(([name]) => name))];
        const cells = rows.map((members) => {
          const texts = new Map(members.map(([name, { text }]) => [name, text]));
          return columns.map((name) => texts.get(name) ?? "");
        });
        const expected = rows.length === 0 ? [] : [columns, ...cells];
        const csv = expected.map((record) => `${record.map(quoted).join(",") || '""'}\n`).join("");
        const written = await csvOf(lines.join(""));
        assert.equal(written, csv);
        assert.equal(recordsOf(written).length, rows.length === 0 ? 0 : rows.length + 1, "as a usual reader counts");
      }),
    );
  });

  it("takes the last value of a field that a row has twice", async () => {
    assert.equal(await csvOf('{"a":1,"b":2,"a":3}\n'), "a,b\n3,2\n");
  });

  it("has the columns of fields that come first in a late row of a large file", async () => {
    const early = Array.from({ length: 10_000 }, (_, index) => `{"n":${index},"text":"${"x".repeat(50)}"}`);
    const csv = await csvOf(`${[...early, '{"late":"ü","n":1}', '{"later":2}', ""].join("\n")}`);
    const records = csv.split("\n");
    assert.equal(records[0], "n,text,late,later");
    assert.equal(records[1], `0,${"x".repeat(50)},,`);
    assert.deepEqual(records.slice(10_001), ["1,,ü,", ",,,2", ""]);
  });

  it("has a record for each row of one field, also where its value is empty", async () => {
    assert.equal(await csvOf('{"a":""}\n{"a":null}\n{}\n{"a":"x"}\n'), 'a\n""\n""\n""\nx\n');
    assert.equal(await csvOf("{}\n{}\n"), '""\n""\n""\n');
  });

  it("has the fields of the checks as columns, also without a row", async () => {
    const checks = { fields: { title: {}, id: {} } };
    assert.equal(await csvOf("", { checks }), "id,title\n");
    assert.equal(await csvOf("{}\n", { checks }), "id,title\n,\n");
    assert.equal(await csvOf('{"title":"x"}\n', { checks }), "title,id\nx,\n");
    assert.equal(await csvOf(""), "");
  });

  it("keeps formulas unless they are to be escaped, and never touches a number", async () => {
    const numbers = ["-5", "+5", "-0.5", "-.5", "+1.", "-1e10", "12", "1E+5", "-5\n"];
    const formulas = [
      "=1+1",
      "+1+1",
      "-1-1",
      "@SUM(A1)",
      "\t=1",
      "\r=1",
      "\n=1",
      "＝1+1",
      "＋1+1",
      "－1-1",
      "＠SUM(A1)",
      "-",
      "=",
      "+49 30 1",
      "-2-",
      '=HYPERLINK("x","y")',
    ];
    const texts = ["", "a=b", " =1", "'=1", "1-1", "[-1]"];
    const all = [...numbers, ...formulas, ...texts, ...hostileStrings.map(({ text }) => text)];
    const lines = all.map((text) => `${JSON.stringify({ "=f": text })}\n`).join("");
    const written = async (csv?: object): Promise<string[]> =>
      recordsOf(await csvOf(lines, { csv })).map(([cell = ""]) => cell);
    const kept = all.map((text) => Buffer.from(text).toString());
    assert.deepEqual(await written(), ["=f", ...kept]);
    assert.deepEqual(await written({ for: "programs" }), ["=f", ...kept]);
    const [header, ...cells] = await written({ for: "spreadsheets" });
    assert.equal(header, "\ufeff'=f");
    for (const [index, text] of kept.entries()) {
      const isKept = !/(?:^|[,;\t|\r\n][ "]*)[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) || numbers.includes(text);
      assert.equal(cells[index]?.replaceAll("'", ""), text.replaceAll("'", ""));
      assert.equal(cells[index] === text, isKept, text);
    }
  });

  it("has no formula for spreadsheets, whatever they take for the end of a cell", async () => {
    const begins = ["a", "", "1,5", '"', "-2"];
    const ends = ["=1+1", " =1+1", '"=1+1"', "+49 30", "-x", "@SUM(A1)", "－1-1"];
    const separators = [",", ";", "\t", "|", "\n"];
    const values = begins.flatMap((begin) =>
      separators.flatMap((separator) => ends.map((end) => `${begin}${separator}${end}`)),
    );
    const lines = values.map((value) => `${JSON.stringify({ a: "x", b: value, c: value })}\n`).join("");
    for (const delimiter of [",", ";", "\t"]) {
      const csv = await csvOf(lines, { csv: { for: "spreadsheets", delimiter } });
      for (const separator of separators) {
        // A reader that knows no quotation marks in the middle of a cell.
        const parts = csv.split(/\r?\n/).flatMap((line) => line.split(separator));
        const formulas = parts.filter((part) => /^[ "]*[=+\-@－](?!2)/.test(part));
        assert.deepEqual(formulas, []);
      }
    }
    const numbers = await csvOf('{"a":"1;-5","b":"x\\t+4.5,3"}\n', { csv: { for: "spreadsheets" } });
    assert.equal(numbers, '\ufeffa,b\r\n"1;-5","x\t+4.5,3"\r\n');
  });

  it("has a byte order mark and CR LF for spreadsheets, and keeps the line breaks of cells", async () => {
    const lines = '{"name":"Größe","n":"1\\r2\\n3\\r\\n4"}\n{"name":"a;b,c\\td"}\n';
    const forPeople = (delimiter?: string) => csvOf(lines, { csv: { for: "spreadsheets", delimiter } });
    assert.equal(await forPeople(), '\ufeffname,n\r\nGröße,"1\r2\n3\r\n4"\r\n"a;b,c\td",\r\n');
    assert.equal(await forPeople(";"), '\ufeffname;n\r\nGröße;"1\r2\n3\r\n4"\r\n"a;b,c\td";\r\n');
    assert.equal(await forPeople("\t"), '\ufeffname\tn\r\nGröße\t"1\r2\n3\r\n4"\r\n"a;b,c\td"\t\r\n');
    assert.equal(await csvOf('{"a":";","b":","}\n', { csv: { for: "programs", delimiter: ";" } }), 'a;b\n";";,\n');
    assert.equal(await csvOf("", { csv: { for: "spreadsheets" } }), "");
  });

  it("refuses rows that somebody cut off", async () => {
    for (const cutOff of ['{"a', '{"a":"x', '{"a":[1,', '{"a":{"b":1', '{"a":"\\']) {
      await assert.rejects(csvOf(`${cutOff}\n`), /not complete JSON/, cutOff);
    }
  });
});

/** As usual readers read it: blank lines are no records. */
function recordsOf(csv: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const [, quotedCell, cell = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n)/g)) {
    const isBlank = cells.length === 0 && quotedCell === undefined && cell === "" && end !== ",";
    cells.push(quotedCell?.replaceAll('""', '"') ?? cell);
    if (end !== ",") {
      records.push(...(isBlank ? [] : [cells]));
      cells = [];
    }
  }
  return records;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
