import assert from "node:assert/strict";
import fc from "../../test/fastCheck";
import { LineList, RowMarks } from "./internals";

const range = fc.tuple(fc.nat(30), fc.nat(30));

describe("marks on rows", () => {
  it("are the set of the marked rows, in whatever order they were marked", () => {
    fc.assert(
      fc.property(fc.array(range), fc.nat(35), fc.nat(35), (ranges, length, limit) => {
        const marks = new RowMarks(ranges);
        const model = new Set(
          ranges.flatMap(([from, to]) => Array.from({ length: Math.max(to - from, 0) }, (_, n) => from + n)),
        );
        const rows = Array.from({ length }, (_, row) => row);
        assert.deepEqual(
          rows.filter((row) => marks.has(row)),
          rows.filter((row) => model.has(row)),
        );
        assert.equal(marks.count(length), rows.filter((row) => model.has(row)).length);
        const gaps = marks.gaps(length, limit).flatMap(([from, to]) => rows.slice(from, to));
        assert.deepEqual(gaps, rows.filter((row) => !model.has(row)).slice(0, limit));
        assert.deepEqual(new RowMarks(marks.toJSON()).toJSON(), marks.toJSON());
      }),
    );
  });
});

describe("the lines of an upload", () => {
  it("do not depend on how the bytes were split", () => {
    const line = fc.constantFrom("http://a/", "http://ä.example/€", "", "  ", "http://b/\r");
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(60)), (lines, cuts) => {
        const bytes = Buffer.from(lines.join("\n"));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const expected = lines.map((text) => text.trim()).filter((text) => text !== "");
        assert.deepEqual([...new LineList(chunks).lines()], expected);
        assert.equal(new LineList(chunks).count, expected.length);
      }),
    );
  });
});
