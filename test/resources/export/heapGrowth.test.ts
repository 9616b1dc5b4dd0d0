import assert from "node:assert/strict";
import v8 from "node:v8";
import sinon from "sinon";
import { SlowHeapGrowth } from "../../internals/resources";

const large = 100 * 1024 * 1024;

describe("the memory of exports", () => {
  let set: sinon.SinonSpy<[string], void>;
  beforeEach(() => {
    set = sinon.spy(v8, "setFlagsFromString");
  });
  afterEach(() => sinon.restore());
  /** The percentages that were set, with 0 for V8's own choice. */
  const growth = (): number[] =>
    set.args.flatMap(([flag]) => /^--heap-growing-percent=(\d+)$/.exec(flag)?.[1] ?? []).map(Number);

  it("stays as V8 has it during a small export", () => {
    const one = new SlowHeapGrowth({}, false);
    one.passed(1000);
    one.passed(2000);
    one.end();
    assert.deepEqual(set.args, []);
  });

  it("grows slowly from the first large export to the end of the last one", () => {
    const [one, other] = [new SlowHeapGrowth({}, false), new SlowHeapGrowth({}, false)];
    one.passed(large);
    one.passed(2 * large);
    other.passed(large);
    one.end();
    assert.ok(growth().every((percent) => percent > 0));
    other.end();
    other.end();
    assert.deepEqual([growth().length, growth().at(-1)], [4, 0]);
  });

  it("grows slower for Parquet and faster while rows are sent, and the slowest counts", () => {
    const exports = [
      new SlowHeapGrowth({}, true),
      new SlowHeapGrowth({}, false),
      new SlowHeapGrowth({ format: "parquet" }, true),
    ];
    sinon.stub(process, "memoryUsage").returns({ ...process.memoryUsage(), heapUsed: 64 * 1024 * 1024 });
    for (const each of exports) {
      each.passed(large);
    }
    for (const each of exports.reverse()) {
      each.end();
    }
    assert.deepEqual(growth(), [75, 50, 25, 50, 75, 0]);
  });

  it("leaves no function that collects", () => {
    const one = new SlowHeapGrowth({}, false);
    one.passed(large);
    one.end();
    assert.equal(
      set.args
        .flat()
        .filter((flag) => flag.endsWith("expose-gc"))
        .at(-1),
      "--no-expose-gc",
    );
    assert.equal("gc" in globalThis, false);
  });
});
