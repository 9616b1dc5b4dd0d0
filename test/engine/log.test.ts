import assert from "node:assert/strict";
import sinon from "sinon";
import { hostileStrings } from "../hostile";
import { EngineLog, engineInterruption } from "../internals/engine";
import { ProviderError } from "../internals/provider";
import { assertShown } from "../shownText";

describe("progress", () => {
  it("passes on nothing that a terminal or a CI system obeys, nor does an error of the provider", async () => {
    for (const { what, text } of hostileStrings) {
      const shown: string[] = [];
      const display = new EngineLog((message) => shown.push(message));
      display.warn(text);
      display.progress(text, "urn");
      await display.error(text);
      await display.end();
      assert.ok(shown.length >= 3);
      const error = new ProviderError(text);
      for (const each of [...shown, error.message, `${error}`, error.stack ?? ""]) {
        assertShown(each, what);
      }
    }
  });

  it("is shown once for each resource until it changes, and never without a resource", () => {
    const shown: string[] = [];
    const display = new EngineLog((message, urn) => shown.push(`${urn}: ${message}`));
    for (const urn of ["a", "b", undefined]) {
      for (const message of ["one", "one", "two", "two", "one"]) {
        display.progress(message, urn);
      }
    }
    assert.deepEqual(shown, ["a: one", "a: two", "a: one", "b: one", "b: two", "b: one"]);
  });
});

describe("an interruption", () => {
  it("is never reported and causes no error in a process that is not a known provider host", () => {
    const argv = sinon.stub(process, "argv").value(["node", "/nowhere/host.js"]);
    try {
      assert.equal(engineInterruption().aborted, false);
    } finally {
      argv.restore();
    }
  });
});
