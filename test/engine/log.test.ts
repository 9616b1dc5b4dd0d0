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

describe("infos", () => {
  it("are summed up after ten, as warnings are, which they do not count against", () => {
    const shown: string[] = [];
    const display = new SummedUpLog((message, _urn, kind) => shown.push(`${kind}: ${message}`));
    for (let run = 1; run <= 12; run++) {
      display.info(`Run ${run} of task "t${run}" starts.`, "a");
    }
    display.warn("Something else.", "a");
    display.flush();
    display.flush();
    assert.equal(shown.length, 12);
    assert.deepEqual(shown.slice(10), [
      "warning: Something else.",
      'info: Run 11 of task "t11" starts. (2 messages like this one; the others are about "t12".)',
    ]);
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
