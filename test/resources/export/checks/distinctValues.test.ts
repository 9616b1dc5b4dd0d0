import assert from "node:assert/strict";
import fc from "../../../fastCheck";
import { DistinctValues } from "../../../internals/resources";

describe("the memory of values that must be unique", () => {
  it("knows what a set knows", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 })), (texts) => {
        const distinct = new DistinctValues();
        const set = new Set<string>();
        for (const text of texts) {
          assert.equal(distinct.add(text), !set.has(text));
          set.add(text);
          assert.equal(distinct.size, set.size);
        }
      }),
    );
  });

  it("grows with its values", () => {
    const distinct = new DistinctValues();
    const texts = Array.from({ length: 10_000 }, (_, index) => `https://shop.test/${index}`);
    assert.equal(
      texts.every((text) => distinct.add(text)),
      true,
    );
    assert.equal(
      texts.some((text) => distinct.add(text)),
      false,
    );
    assert.equal(distinct.size, 10_000);
  });

  it("keeps no more values than it may, and still knows those", () => {
    const distinct = new DistinctValues(100);
    for (let each = 0; each < 5000; each++) {
      assert.equal(distinct.add(String(each)), true);
    }
    assert.deepEqual(
      [distinct.size, distinct.isFull, distinct.add("99"), distinct.add("100")],
      [100, true, false, true],
    );
  });
});
