import assert from "node:assert/strict";
import fc from "../../../fastCheck";
import { FieldReader } from "../../../internals/resources";
import { parseJson } from "../../../internals/service";

/** Names and values with all that a reader of bytes can take for something else. */
const names = ["a", "price", "größe", "👍", 'a"b', "a\\b", "a\b", "\\", '":"', "", "__proto__", 'a":"x'];
const value = fc.oneof(
  fc.constantFrom('"', '\\"', "\\", "}", "👍", "\u0000", "a,b", " ", "ä", null, true, 1.5, -0, 1e300),
  fc.string({ unit: "grapheme" }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** White space between the parts. Lines end only after a row. */
const space = fc.constantFrom("", "", "", " ", "\t");
const escaped = (text: string): string =>
  `"${[...text].map((each) => (each.length > 1 ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("")}"`;
const member = fc
  .tuple(fc.constantFrom(...names), value, fc.boolean(), fc.array(space, { minLength: 4, maxLength: 4 }))
  .map(([name, each, isEscaped, [a, b, c, d]]) => {
    const key = isEscaped ? escaped(name) : JSON.stringify(name);
    return `${a}${key}${b}:${c}${JSON.stringify(each)}${d}`;
  });
const row = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(",")}}`);

function read(reader: FieldReader, rows: readonly string[]): unknown[][] {
  return reader.read(Buffer.from(rows.map((each) => `${each}\n`).join("")), rows.length);
}

describe("a reader of fields", () => {
  it("finds the values that a parser of whole rows finds", () => {
    fc.assert(
      fc.property(fc.array(fc.array(row)), (pages) => {
        const reader = new FieldReader(names);
        for (const rows of pages) {
          const parsed = rows.map((each) => new Map(Object.entries(parseJson(Buffer.from(each)) as object)));
          assert.deepEqual(
            read(reader, rows),
            names.map((name) => parsed.map((each) => each.get(name))),
          );
        }
      }),
    );
  });

  it("keeps the digits of integers that a double cannot hold", () => {
    const reader = new FieldReader(["n"]);
    assert.deepEqual(read(reader, ['{"n":12345678901234567890}', '{"n":12345}', '{"n":[12345678901234567890]}']), [
      ["12345678901234567890", 12345, ["12345678901234567890"]],
    ]);
  });

  it("takes the name of no other field for its own: neither a longer one nor one with an escape", () => {
    const reader = new FieldReader(["a", "a\\b"]);
    const rows = ['{"a":"1","a\\\\b":"2"}', '{"ab":"3","a\\b":"4"}', '{"\\u0061":"5","a\\\\b":"6"}'];
    assert.deepEqual(read(reader, rows), [
      ["1", undefined, "5"],
      ["2", undefined, "6"],
    ]);
    assert.deepEqual([...reader.names].sort(), ["a", "a\\b", "a\b", "ab"].sort());
  });
});
