import assert from "node:assert/strict";
import fc from "../fastCheck";
import type { ArgsSpec, Kind, Problem } from "../internals/resources";
import {
  anything,
  boolean,
  checkValue,
  choice,
  integer,
  lines,
  list,
  mapOf,
  number,
  object,
  scalar,
  share,
  string,
  unknown,
} from "../internals/resources";

interface Args {
  name: string;
  size?: "small" | "large";
  parts?: Record<string, { count?: number; words: string[] }>;
}

const part: ArgsSpec<{ count?: number; words: string[] }, "sha256"> = {
  count: { kind: integer(1) },
  words: { kind: lines, required: true },
  sha256: { derived: true },
};

const args: ArgsSpec<Args> = {
  name: { kind: string, required: true },
  size: { kind: choice("small", "large"), default: "small" },
  parts: { kind: mapOf(object<{ count?: number; words: string[] }>(part)) },
};

function check<T>(kind: Kind<T>, value: unknown): { sound: unknown; problems: string[] } {
  const problems: Problem[] = [];
  const sound = checkValue(kind, value, "it", problems);
  return { sound, problems: problems.map(({ path, reason }) => `${path} ${reason}`) };
}

describe("descriptions of arguments", () => {
  it("name the path of each problem, what was given and what is allowed", () => {
    const given = { size: "huge", colour: 1, parts: { one: { count: 1.5, words: ["a", "", 7] }, two: [] } };
    assert.deepEqual(check(object(args), given).problems, [
      "it.colour is not a valid name; valid names: name, size, parts",
      "it.name is missing: it must be a non-empty string",
      'it.size must be "small" or "large"; got another string',
      "it.parts.one.count must be an integer of at least 1; got another number",
      "it.parts.one.words[1] must be a non-empty string without a line break; got an empty string",
      "it.parts.one.words[2] must be a non-empty string without a line break; got a number",
      "it.parts.two must be a map; got an empty list",
    ]);
  });

  it("return the value with unknown in place of invalid and missing parts, and without null fields", () => {
    const given = { size: null, colour: 1, parts: { one: { count: 0, words: ["a", ""] } } };
    assert.deepEqual(check(object(args), given).sound, {
      name: unknown,
      parts: { one: { count: unknown, words: ["a", unknown] } },
    });
  });

  it("accept an unknown at any depth", () => {
    for (const given of [
      unknown,
      { name: unknown, parts: unknown },
      { name: "n", parts: { one: unknown, two: { words: unknown }, three: { count: unknown, words: ["a", unknown] } } },
    ]) {
      assert.deepEqual(check(object(args), given), { sound: given, problems: [] });
    }
  });

  for (const [words, kind, right, wrong] of [
    ["a boolean", boolean, [true, false], ["true", 0, null]],
    ["a non-empty string", string, ["a", " "], ["", 1, [], "a\ud800"]],
    [
      "a string, a number or a boolean",
      scalar,
      ["", "a", 0, -0.5, Number.MIN_SAFE_INTEGER, true],
      [null, {}, ["a"], Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 53, -1e21],
    ],
    ["a number of at least 0", number(0), [0, 0.5], [-1, Number.NaN, Number.POSITIVE_INFINITY, "1"]],
    ["an integer of at least 1", integer(1), [1], [0, 1.5, "1"]],
    ["a number from 0 to 1", share, [0, 0.5, 1], [-0.1, 1.1, "1"]],
    ["a non-empty list of strings", list(string), [["a"]], [[], "a", {}]],
    ["a list of strings", list(string, { mayBeEmpty: true }), [[], ["a"]], ["a", {}]],
    ["a non-empty list of strings", lines, [["a"], "a\nb\n"], [[], "", "\n"]],
    ["a non-empty map", mapOf(string), [{ constructor: "a" }], [{}, []]],
    ["any value", anything, [null, 1, {}], []],
  ] as [string, Kind<unknown>, unknown[], unknown[]][]) {
    it(`of ${words} accept ${JSON.stringify(right)} and refuse ${JSON.stringify(wrong)}`, () => {
      for (const value of right) {
        assert.deepEqual(check(kind, value).problems, [], JSON.stringify(value));
      }
      for (const value of wrong) {
        const [problem, ...others] = check(kind, value).problems;
        assert.ok(problem?.startsWith(`it must be ${words}; got `), problem);
        assert.deepEqual(others, []);
      }
    });
  }

  it("turn each scalar into one string: a number into its shortest form, a boolean into its name", () => {
    const given = { a: "03", b: 3, c: 0.1, d: 1e-7, e: -0, f: Number.MAX_SAFE_INTEGER, g: true, h: false, i: unknown };
    assert.deepEqual(check(mapOf(scalar), given).sound, {
      a: "03",
      b: "3",
      c: "0.1",
      d: "1e-7",
      e: "0",
      f: "9007199254740991",
      g: "true",
      h: "false",
      i: unknown,
    });
  });

  it("turn a number into the string that JSON writes, which reads as the same number", () => {
    const numbers = fc.oneof(
      fc.maxSafeInteger(),
      fc.double({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
    );
    fc.assert(
      fc.property(numbers, (given) => {
        const { sound } = check(scalar, given);
        assert.equal(sound, JSON.stringify(given));
        assert.ok(Number(sound) === given);
      }),
    );
  });

  it("are refused by the compiler where they differ from the interface", () => {
    // @ts-expect-error an argument without a description
    const forgotten: ArgsSpec<{ a: string; b?: string }> = { a: { kind: string, required: true } };
    // @ts-expect-error a description of no argument
    const invented: ArgsSpec<{ a: string }> = { a: { kind: string, required: true }, b: { kind: string } };
    const wrong: ArgsSpec<{ a?: string; b?: "x" | "y"; c?: boolean; d: string; e?: string; f?: "x"; g?: number }> = {
      // @ts-expect-error another type
      a: { kind: boolean },
      // @ts-expect-error fewer choices than the interface
      b: { kind: choice("x") },
      // @ts-expect-error a default of another type
      c: { kind: boolean, default: "true" },
      // @ts-expect-error not required, though the interface says so
      d: { kind: string },
      // @ts-expect-error required, though the interface says otherwise
      e: { kind: string, required: true },
      // @ts-expect-error more choices than the interface
      f: { kind: choice("x", "y") },
      g: { kind: number(0), default: 1 },
    };
    assert.ok([forgotten, invented, wrong].every((each) => typeof each === "object"));
  });
});
