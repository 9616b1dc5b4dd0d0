import assert from "node:assert/strict";
import { Presses } from "../../scripts/start/interrupt";

describe("a press of Ctrl-C", () => {
  it("counts simultaneous signals as one press", () => {
    const presses = new Presses();
    assert.deepEqual(
      [0, 1, 90, 300].map((now) => presses.isNew(now)),
      [true, false, false, false],
    );
  });

  it("counts a second press", () => {
    const presses = new Presses();
    assert.deepEqual(
      [0, 5, 1_000, 1_005].map((now) => presses.isNew(now)),
      [true, false, true, false],
    );
  });
});
