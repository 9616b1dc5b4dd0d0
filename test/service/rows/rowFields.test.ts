import assert from "node:assert/strict";
import fc from "../../fastCheck";
import { parseJson, RowFields, readRawPage, ScannedPage } from "../../internals/service";

/** Names and values with all that a reader of bytes can take for something else. */
const names = ["a", "price", "größe", "👍", 'a"b', "a\\b", "a\b", "\\", '":"', "", "__proto__", 'a":"x'];
const wanted = names.filter((name) => name !== "price");
const value = fc.oneof(
  fc.constantFrom('"', '\\"', "\\", "}", "👍", "\u0000", "a,b", " ", "ä", null, true, 1.5, -0, 1e300, {}, []),
  fc.string({ unit: "grapheme" }),
  fc.jsonValue({ maxDepth: 2 }),
);
const space = fc.constantFrom("", "", "", " ", "\t", "\r\n");
const escaped = (text: string): string =>
  `"${[...text].map((each) => (each.length > 1 ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("")}"`;
const member = fc
  .tuple(fc.constantFrom(...names), value, fc.boolean(), fc.array(space, { minLength: 4, maxLength: 4 }))
  .map(([name, each, isEscaped, [a, b, c, d]]) => {
    const key = isEscaped ? escaped(name) : JSON.stringify(name);
    return `${a}${key}${b}:${c}${JSON.stringify(each)}${d}`;
  });
const row = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(",")}}`);
/** Most rows of a page have the same members. */
const page = fc.oneof(
  fc.array(row),
  fc.tuple(row, row, fc.array(fc.boolean())).map(([one, other, which]) => which.map((isOne) => (isOne ? one : other))),
);

function columns(fields: RowFields, rows: readonly string[], gap = ""): unknown[][] {
  const list = `[${gap}${rows.join(`${gap},${gap}`)}${gap}]`;
  const body = Buffer.from(`{"data":{"data":${list},"total":1,"restTotal":0,"offset":0},"requestId":"q"}`);
  const read = readRawPage("getData", body, { fields });
  return new ScannedPage(read.rows, { offset: 0, nextOffset: 0, total: 1 }).columns();
}

function parsed(rows: readonly string[]): Map<string, unknown>[] {
  return rows.map((each) => new Map(Object.entries(parseJson(Buffer.from(each)) as object)));
}

describe("the wanted fields of rows", () => {
  it("have the values that a parser of whole rows finds", () => {
    fc.assert(
      fc.property(fc.array(page), space, (pages, gap) => {
        const fields = new RowFields(wanted);
        for (const rows of pages) {
          const expected = parsed(rows);
          assert.deepEqual(
            columns(fields, rows, gap),
            wanted.map((name) => expected.map((each) => each.get(name))),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it("have them in a page of any size", () => {
    const lengths = fc.array(fc.oneof(fc.nat(50), fc.integer({ min: 30_000, max: 70_000 })), { maxLength: 20 });
    fc.assert(
      fc.property(lengths, fc.nat(3000), (all, more) => {
        const rows = [...all, ...Array.from({ length: more }, () => 1)].map(
          (length, index) => `{"n":"${index}","text":"${"x".repeat(length)}","a":"a ${index}"}`,
        );
        assert.deepEqual(columns(new RowFields(["a", "n"]), rows), [
          rows.map((_, index) => `a ${index}`),
          rows.map((_, index) => String(index)),
        ]);
      }),
      { numRuns: 30 },
    );
  });

  it("keep the digits of integers that a double cannot hold", () => {
    const rows = ['{"n":12345678901234567890}', '{"n":12345}', '{"n":[12345678901234567890]}'];
    assert.deepEqual(columns(new RowFields(["n"]), rows), [["12345678901234567890", 12345, ["12345678901234567890"]]]);
  });

  it("have the last value if the row has a name twice", () => {
    const rows = ['{"a":"1","b":"2","a":"3"}', '{"a":"4","b":"5","\\u0061":null}'];
    assert.deepEqual(columns(new RowFields(["a"]), rows), [["3", null]]);
  });

  it("take the name of no other field for their own: neither a longer one nor one with an escape", () => {
    const fields = new RowFields(["a", "a\\b"]);
    const rows = ['{"a":"1","a\\\\b":"2"}', '{"ab":"3","a\\b":"4"}', '{"\\u0061":"5","a\\\\b":"6"}'];
    assert.deepEqual(columns(fields, rows), [
      ["1", undefined, "5"],
      ["2", undefined, "6"],
    ]);
    assert.deepEqual(fields.names.sort(), ["a", "a\\b", "a\b", "ab"].sort());
  });

  it("are found among any number of names, of which only the first are remembered", () => {
    const fields = new RowFields(["a"]);
    const rows = Array.from({ length: 1000 }, (_, index) => `{"n${index}":"${index}","a":"a ${index}"}`);
    assert.deepEqual(columns(fields, rows), [rows.map((_, index) => `a ${index}`)]);
    assert.equal(fields.names.length, 200);
    assert.equal(fields.names.at(-1), "n198");
  });

  it("can lie in a row of 1,000 levels, the most that can be read", () => {
    const nested = (levels: number) => [`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`];
    assert.equal(columns(new RowFields(["a"]), nested(1000))[0]?.length, 1);
    assert.throws(() => columns(new RowFields(["a"]), nested(1001)), /deeper than 1000 levels/);
  });

  it("are refused if the row is not complete JSON", () => {
    const bad = fc.tuple(row, fc.nat(), fc.constantFrom("", "}", ",", '"', "0", "x", "\\", "{", ":", "\u0001"));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 2 }), bad, (before, [last, place, insert]) => {
        const at = place % last.length;
        // Replaces one character by another, or removes it.
        const text = last.slice(0, at) + insert + last.slice(at + 1);
        const rows = [...before, text];
        let list: unknown[];
        try {
          list = JSON.parse(`[${rows.join(",")}]`);
        } catch {
          assert.throws(() => columns(new RowFields(wanted), rows), { name: "ContractBreach" });
          return;
        }
        if (list.every((each) => typeof each === "object" && each !== null && !Array.isArray(each))) {
          assert.equal(columns(new RowFields(wanted), rows)[0]?.length, list.length);
        } else {
          assert.throws(() => columns(new RowFields(wanted), rows), { name: "ContractBreach" });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
