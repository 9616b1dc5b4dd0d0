import assert from "node:assert/strict";
import fc from "../../../fastCheck";
import { DistinctValues } from "../../../internals/resources";

describe("the memory of values that must be unique", () => {
  it("knows what a set knows, whenever it is asked", () => {
    const text = fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom("a", "a\0", "\0", "\0\0", "", "aa", "ab", "ba"));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean())), (texts) => {
        const distinct = new DistinctValues();
        const set = new Set<string>();
        for (const [index, [each, asksNow]] of texts.entries()) {
          distinct.add(each, index + 1);
          set.add(each);
          if (asksNow) {
            assert.equal(distinct.repeated.count, index + 1 - set.size);
          }
        }
        assert.equal(distinct.repeated.count, texts.length - set.size);
        assert.equal(distinct.overflowed, false);
      }),
    );
  });

  it("grows with its values", () => {
    const distinct = new DistinctValues();
    const texts = Array.from({ length: 10_000 }, (_, index) => `https://shop.test/${index}`);
    const addAll = (): void => {
      for (const text of texts) {
        distinct.add(text, 1);
      }
    };
    addAll();
    assert.equal(distinct.repeated.count, 0);
    addAll();
    assert.equal(distinct.repeated.count, 10_000);
  });

  it("names the rows whose value has occurred before, in their order", () => {
    const distinct = new DistinctValues();
    for (let row = 1; row <= 5000; row++) {
      distinct.add(row === 3000 || row === 4500 ? "2" : String(row), row);
    }
    assert.equal(distinct.repeated.describe(), "rows 3000, 4500");
  });

  it("keeps no more values than it may, and still knows those", () => {
    const distinct = new DistinctValues(100);
    const addFrom = (first: number, last: number): void => {
      for (let each = first; each <= last; each++) {
        distinct.add(String(each), each);
      }
    };
    addFrom(1, 100);
    assert.deepEqual([distinct.overflowed, distinct.repeated.count], [false, 0]);
    addFrom(1, 100);
    assert.deepEqual([distinct.overflowed, distinct.repeated.count], [false, 100]);
    addFrom(101, 5000);
    assert.deepEqual([distinct.overflowed, distinct.repeated.count], [true, 100]);
    addFrom(91, 110);
    assert.deepEqual([distinct.overflowed, distinct.repeated.count], [true, 110]);
  });
});
