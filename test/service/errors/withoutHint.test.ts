import assert from "node:assert/strict";
import { withoutHint } from "../../internals/service";

describe("the message of an error without its hint", () => {
  it("is all of the message if that does not end with the hint", () => {
    for (const [message, hint, rest] of [
      ["getData: refused. Correct it.", "Correct it.", "getData: refused."],
      ["getData: refused. Correct it.", "", "getData: refused. Correct it."],
      ["getData: refused.", "Correct it.", "getData: refused."],
    ] as const) {
      assert.equal(withoutHint({ message, hint }), rest);
    }
  });
});
