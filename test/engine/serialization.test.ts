import assert from "node:assert/strict";
import { allHostileStrings } from "../hostile";
import { serialize } from "../internals/engine";

describe("properties in the engine's form", () => {
  for (const { what, text } of allHostileStrings) {
    it(`are whole characters, and otherwise unchanged: ${what}`, () => {
      const whole = Buffer.from(text).toString("utf8");
      const name = `a\\${text}`;
      const wholeName = `a\\${whole}`;
      assert.deepEqual(serialize({ [name]: [text, { id: `${text}\\ud800`, none: undefined }] }), {
        [wholeName]: [whole, { id: `${whole}\\ud800` }],
      });
    });
  }
});
