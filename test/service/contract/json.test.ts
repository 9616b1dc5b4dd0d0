import assert from "node:assert/strict";
import { isLosslessNumber, parse } from "lossless-json";
import fc, { runs } from "../../fastCheck";
import { ContractBreach, CutOff, parseJson, readPage } from "../../internals/service";

/** Parts of which a hostile service could build a response. */
const fragment = fc.constantFrom(
  '"',
  "\\",
  '\\"',
  "\\\\",
  "{",
  "}",
  ":",
  ",",
  "[",
  "]",
  " ",
  "-",
  "1.5e",
  "1234567890123456789",
);
const hostile = fc
  .array(fc.tuple(fragment, fc.nat(300)), { maxLength: 12 })
  .map((parts) => parts.map(([part, times]) => part.repeat(times)).join(""));

/** JSON with long integers among values and strings that look like JSON. */
const document = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      hostile.map((text) => JSON.stringify(text)),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
      fc.constantFrom("true", "false", "null", "0.12345678901234567890", "1E+20", "-12345678901234567e2"),
      fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" , ")}]`),
      fc
        .uniqueArray(fc.tuple(hostile, tie("value")), { maxLength: 4, selector: ([name]) => name })
        .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
    ),
  }))
  .value.map(String);

describe("parsing the JSON of a response", () => {
  it("keeps the digits of integers that a double cannot hold, and all other values unchanged", () => {
    fc.assert(
      fc.property(document, (text) => {
        assert.deepEqual(parseJson(Buffer.from(text)), plain(parse(text)));
      }),
      runs(1000),
    );
  });

  for (const [what, text, expected] of [
    [
      "many escaped quotes behind a long integer",
      `{"n":1234567890123456789,"x":"${'\\"'.repeat(1_000_000)}"}`,
      1_000_000,
    ],
    [
      "a string of 30 MB of escapes behind a long integer",
      `{"n":1234567890123456789,"x":"${"\\\\".repeat(15_000_000)}"}`,
      15_000_000,
    ],
    ["an integer of 1,000 digits", `{"x":${"7".repeat(1000)}}`, 1000],
  ] as const) {
    it(`parses ${what}`, () => {
      const { x } = parseJson(Buffer.from(text)) as { x: string };
      assert.equal(x.length, expected);
    });
  }

  it("parses a value that is nested 1,000 levels deep", () => {
    const nested = (depth: number) => Buffer.from(`${"[".repeat(depth)}1234567890123456789${"]".repeat(depth)}`);
    let parsed = parseJson(nested(1000));
    for (let level = 0; level < 1000; level += 1) parsed = (parsed as unknown[])[0];
    assert.equal(parsed, "1234567890123456789");
    assert.throws(() => parseJson(nested(100_000)), { name: "ContractBreach", message: /deeper than 1000 levels/ });
  });

  it("sees of each part of an object that the rest is cut off, and of no other mistake", () => {
    const whole = Buffer.from(
      '{"n":1234567890123456789,"data":{"data":[{"x":"Gr\u00fc\\u00fc\\n","y":-1.5e3},{}],"z":[true,null]}}',
    );
    const read = [parseJson, (body: Buffer) => readPage("getData", body)];
    for (const begin of ["", "\uFEFF", " \n"]) {
      for (let length = 1; length < whole.length; length += 1) {
        const body = Buffer.concat([Buffer.from(begin), whole.subarray(0, length)]);
        for (const each of read) assert.throws(() => each(body), CutOff, `${begin}${length}`);
      }
    }
    for (const other of ["", " ", "<html>", "[1,", '{"a":1}}', '{"a":tru }', '{"a":[1}', '{"a":"\\q"}', '{"a":"\n"}']) {
      for (const each of read) {
        assert.throws(
          () => each(Buffer.from(other)),
          (error) => error instanceof ContractBreach && !(error instanceof CutOff),
          other,
        );
      }
    }
  });

  it("refuses an integer of 30 million digits", () => {
    assert.throws(() => parseJson(Buffer.from(`{"x":${"7".repeat(30_000_000)}}`)), { name: "ContractBreach" });
  });

  it("refuses a number that is not valid JSON, though it would be valid in quotes", () => {
    assert.throws(() => parseJson(Buffer.from('{"n":01234567890123456789}')), { name: "ContractBreach" });
  });
});

/** Converts the numbers of the reference parser to the form of `parseJson`. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) {
    const number = Number(value.value);
    return /^-?\d{16,}$/.test(value.value) && !Number.isSafeInteger(number) ? value.value : number;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]));
}
