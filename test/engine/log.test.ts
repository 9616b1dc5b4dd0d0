import assert from "node:assert/strict";
import sinon from "sinon";
import { engineInterruption, SummedUpLog } from "../internals/engine";

describe("progress", () => {
  it("is shown once for each resource until it changes, and never without a resource", () => {
    const shown: string[] = [];
    const display = new SummedUpLog((message, urn) => shown.push(`${urn}: ${message}`));
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
