import assert from "node:assert/strict";
import type { RowPage } from "../../../../src/service";
import fc from "../../../fastCheck";
import type { FieldChecks, RowChecks } from "../../../internals/resources";
import { FieldChecker, RowChecker } from "../../../internals/resources";
import { readPage } from "../../../internals/service";

type Row = Record<string, unknown>;

function checked(pages: readonly Row[][], checks: RowChecks) {
  const checker = new RowChecker({ checks });
  for (const rows of pages) {
    checker.add(pageOf(rows));
  }
  const failed = checker.failed();
  return { failed, figures: checker.figures(failed) };
}

/** As the service sends it. */
function pageOf(rows: readonly Row[]): RowPage {
  const body = { data: { data: rows, total: rows.length, restTotal: 0, offset: 0 }, requestId: "q" };
  return readPage("getData", Buffer.from(JSON.stringify(body)));
}

/** The same with all rows at hand. */
function naively(rows: readonly Row[], fields: Record<string, FieldChecks>): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name]) => {
      const given = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
      const values = given.filter((value) => String(value ?? "").trim() !== "");
      const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
      return [
        name,
        {
          filled: rows.length === 0 ? 0 : values.length / rows.length,
          empty: rows.length - values.length,
          wrongType: values.filter((value) => !Number.isInteger(Number(value)) || typeof value === "boolean").length,
          repeated: texts.length - new Set(texts).size,
        },
      ];
    }),
  );
}

describe("a checker of rows", () => {
  it("finds the same as a look at all rows at once, wherever pages end", () => {
    const value = fc.oneof(
      fc.constantFrom("", " ", "\u00a0\t", null, "x", true, "0.5", 1.25),
      fc.integer({ min: -20, max: 20 }),
      fc.integer({ min: -20, max: 20 }).map(String),
    );
    const names = ["a", "__proto__", "constructor"];
    const row = fc
      .array(fc.tuple(fc.constantFrom(...names), value))
      .map((entries) =>
        JSON.parse(`{${entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join()}}`),
      );
    const all = { type: "integer", unique: true } as const;
    const fields = Object.fromEntries(names.map((name) => [name, all]));
    fc.assert(
      fc.property(fc.array(fc.array(row)), (pages) => {
        const { figures } = checked(pages, { fields });
        const rows = pages.flat();
        assert.equal(figures.rows, rows.length);
        assert.deepEqual(figures.fields, naively(rows, fields));
      }),
    );
  });

  it("fails each field without rows, unless its filled is 0", () => {
    for (const pages of [[], [[]], [[], []]]) {
      const fields = { a: {}, b: { filled: 1 }, c: { unique: true }, d: { filled: 0 }, e: { filled: 0, unique: true } };
      const { failed } = checked(pages, { fields });
      const reason = "there are no rows";
      assert.deepEqual(
        failed,
        ["a", "b", "c"].map((name) => ({ check: `fields.${name}`, reason })),
      );
    }
  });

  it("numbers the rows from 1 over all pages, and names the first five", () => {
    const page: Row[] = [{ a: "" }, { a: "x" }];
    const { failed } = checked([page, page, page, page, page, page], { fields: { a: { filled: 1, type: "number" } } });
    assert.deepEqual(failed, [
      {
        check: "fields.a.filled",
        reason: "6 of 12 rows have no value (rows 1, 3, 5, 7, 9, …); at least 100% must have one",
      },
      { check: "fields.a.type", reason: '6 of 6 values are not of type "number" (rows 2, 4, 6, 8, 10, …)' },
    ]);
  });

  it("compares shares exactly", () => {
    for (let filled = 0; filled <= 100; filled++) {
      const rows = Array.from({ length: 100 }, (_, index) => ({ a: index < filled ? "x" : "" }));
      assert.deepEqual(checked([rows], { fields: { a: { filled: filled / 100 } } }).failed, []);
      const dropped = new RowChecker({ checks: { maxDrop: (100 - filled) / 100 }, lastPassed: 100 });
      dropped.add(pageOf(rows.slice(0, filled)));
      assert.deepEqual(dropped.failed(), []);
    }
  });

  it("finds repeated values of any length, and takes different ones with a common beginning apart", () => {
    for (const length of [0, 1, 15, 16, 17, 1000]) {
      const checker = new FieldChecker("a", { unique: true });
      checker.add(
        [..."abab"].map((last) => ({ a: "x".repeat(length) + last })),
        0,
      );
      assert.deepEqual(checker.failed(4, []), [
        { check: "fields.a.unique", reason: "2 of 4 values have occurred before (rows 3, 4)" },
      ]);
    }
  });

  it("names the rows whose value has occurred before, and remembers no more values than it may", () => {
    const checker = new FieldChecker("a", { unique: true }, undefined, 4000);
    const rowsUpTo = (last: number) => Array.from({ length: last }, (_, index) => ({ a: String(index + 1) }));
    const repeats = rowsUpTo(4000).map((each, index) => (index === 2999 ? { a: "2" } : each));
    checker.add(repeats, 0);
    const reason = "1 of 4000 values have occurred before (row 3000)";
    assert.deepEqual(checker.failed(4000, []), [{ check: "fields.a.unique", reason }]);
    checker.add([{ a: "4001" }, { a: "4002" }, { a: "3999" }, { a: "4002" }], 4000);
    assert.deepEqual(
      checker.failed(4004, []).map((each) => each.reason),
      ["2 of 4004 values have occurred before (rows 3000, 4003)", "more than 4000 different values cannot be compared"],
    );
  });

  it("parses no page if it only counts rows", () => {
    const checker = new RowChecker({ checks: { minRows: 1 } });
    const unread = (): never => assert.fail("read");
    checker.add({ count: 3, objects: unread, texts: unread });
    assert.deepEqual(checker.failed(), []);
  });
});
