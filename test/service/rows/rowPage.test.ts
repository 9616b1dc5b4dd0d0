import assert from "node:assert/strict";
import type { RowPage } from "../../../src/service";
import fc, { runs } from "../../fastCheck";
import { parseJson, readPage } from "../../internals/service";

function pageOf(body: string | Buffer): RowPage {
  return readPage("getData", Buffer.from(body));
}

/** A page that contains these rows. `numbersFirst` puts the numbers before the rows. */
function around(rows: string, numbersFirst = false): string {
  const numbers = '"total":1,"restTotal":0,"offset":0';
  return numbersFirst
    ? `{"requestId":"q","data":{${numbers},"data":${rows}}}`
    : `{"data":{"data":${rows},${numbers}},"requestId":"q"}`;
}

const space = fc.constantFrom("", " ", "\n", "\r\n  ", "\t");
const jsonObject = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

describe("the rows of a page", () => {
  it("can be nested 1,000 levels deep, and the error for deeper rows says so", () => {
    const nested = (levels: number) => around(`[${'{"a":'.repeat(levels)}1${"}".repeat(levels)}]`);
    assert.equal(pageOf(nested(1000)).count, 1);
    assert.throws(() => pageOf(nested(1001)), { name: "ContractBreach", message: /deeper than 1000 levels/ });
  });

  it("equal the rows of JSON.parse, and keep the bytes of the response", () => {
    fc.assert(
      fc.property(
        fc.array(jsonObject),
        fc.constantFrom(undefined, 1, "\t"),
        space,
        fc.boolean(),
        (rows, indent, gap, numbersFirst) => {
          const sent = rows.map((row) => JSON.stringify(row, undefined, indent));
          const body = around(`[${gap}${sent.join(`${gap},${gap}`)}${gap}]`, numbersFirst);
          const page = pageOf(body);
          assert.deepEqual(
            page.texts(),
            sent.map((row) => row.replaceAll("\n", " ")),
          );
          const lines = page.ndjson().toString("utf8");
          assert.equal(lines.split("\n").length, rows.length + 1);
          const parsed = lines
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line));
          assert.deepEqual(parsed, JSON.parse(JSON.stringify(rows)));
          assert.deepEqual(
            page.objects(),
            sent.map((row) => parseJson(Buffer.from(row))),
          );
        },
      ),
      runs(300),
    );
  });

  it("keep long integers, trailing zeros, the order of keys, and duplicate keys", () => {
    const row = '{"z":12345678901234567890,"price":1.10,"a":1e2,"a":-0.0,"t":"\\u00e9\\n\\""}';
    const page = pageOf(around(`[${row},${row}]`));
    assert.deepEqual(page.texts(), [row, row]);
    assert.equal(page.ndjson().toString("utf8"), `${row}\n${row}\n`);
    assert.equal(page.objects()[0]?.z, "12345678901234567890");
  });

  it("are parsed with each number that a double holds as a number, and each longer integer as its digits", () => {
    const parsed = (number: string) => pageOf(around(`[{"n":${number},"text":"9007199254740993"}]`)).objects();
    for (const [sent, n] of [
      ["9007199254740991", 9007199254740991],
      ["-9007199254740991", -9007199254740991],
      ["9007199254740993", "9007199254740993"],
      ["-9007199254740993", "-9007199254740993"],
      ["0.1234567890123456", 0.1234567890123456],
    ] as const) {
      assert.deepEqual(parsed(sent), [{ n, text: "9007199254740993" }]);
    }
  });

  it("are refused if JSON.parse refuses them", () => {
    const broken = fc
      .tuple(
        fc.array(jsonObject, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.constantFrom("", "}", "]", ",", '"', "0", "x", "\\", "{", ":", "\u0001"),
      )
      .map(([rows, place, insert]) => {
        const text = JSON.stringify(rows);
        const at = 1 + (place % (text.length - 1));
        // Replaces one character by another, or removes it.
        return text.slice(0, at) + insert + text.slice(at + 1);
      });
    fc.assert(
      fc.property(broken, (rows) => {
        const body = around(rows);
        let parsed: { data?: { data?: unknown } } | undefined;
        try {
          parsed = JSON.parse(body);
        } catch {
          assert.throws(() => pageOf(body), { name: "ContractBreach" });
          return;
        }
        const list = parsed?.data?.data;
        if (
          Array.isArray(list) &&
          list.every((row) => typeof row === "object" && row !== null && !Array.isArray(row))
        ) {
          assert.deepEqual(pageOf(body).count, list.length);
        } else {
          assert.throws(() => pageOf(body), { name: "ContractBreach" });
        }
      }),
      runs(2000),
    );
  });

  for (const [what, body] of [
    ["a row that is a number", around("[{},7]")],
    ["a row that is a list", around("[[]]")],
    ["a row that is null", around("[null]")],
    ["an end inside a row", '{"data":{"data":[{"a":1},{"a"'],
    ["an end after a row", '{"data":{"data":[{"a":1}'],
    ["no data", '{"requestId":"q"}'],
    ["rows that are not a list", around('{"0":{}}')],
    ["two lists of rows", '{"data":{"data":[],"data":[{}],"total":1,"restTotal":0,"offset":0},"requestId":"q"}'],
    ["a number with a leading zero", around('[{"a":01}]')],
    ["an extra comma", around("[{},]")],
    ["no JSON", "<html>"],
    ["no bytes", ""],
    ["bytes that are not UTF-8", Buffer.from(around('[{"a":"\u00ff"}]'), "latin1")],
    ["5,000 levels of nesting", around(`[{"a":${"[".repeat(5000)}${"]".repeat(5000)}}]`)],
  ] as const) {
    it(`are refused from a response with ${what}`, () => {
      assert.throws(() => pageOf(body), { name: "ContractBreach" });
    });
  }

  it("can be an empty list", () => {
    const page = pageOf(around("[ ]"));
    assert.deepEqual([page.count, page.texts(), page.ndjson().length], [0, [], 0]);
  });

  it("are found after a byte order mark", () => {
    assert.equal(pageOf(`\uFEFF${around("[{}]")}`).count, 1);
  });
});
