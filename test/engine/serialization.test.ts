import assert from "node:assert/strict";
import { allHostileStrings } from "../hostile";
import { serialize } from "../internals/engine";
import { unknown, unknownText } from "../internals/resources";

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

  it("hold nothing of a service that the engine would take for a value of its own", () => {
    const unknownNumber = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    const kind = "4dabf18193072939515e22adb298388d";
    const quoted = `"${kind}":`;
    assert.deepEqual(
      serialize({
        a: unknown,
        b: [unknownText, { c: unknownNumber }],
        d: { [kind]: "x", path: "/etc/hosts" },
        e: quoted,
      }),
      { a: unknownText, b: ["\ufffd", { c: "\ufffd" }], d: { "\ufffd": "x", path: "/etc/hosts" }, e: quoted },
    );
  });
});
