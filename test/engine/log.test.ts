import assert from "node:assert/strict";
import sinon from "sinon";
import { hostileStrings } from "../hostile";
import { engineInterruption, SummedUpLog } from "../internals/engine";
import { ProviderError } from "../internals/provider";
import { assertShown } from "../shownText";

describe("progress", () => {
  it("passes on nothing that a terminal or a CI system obeys, nor does an error of the provider", async () => {
    for (const { what, text } of hostileStrings) {
      const shown: string[] = [];
      const display = new SummedUpLog((message) => shown.push(message));
      display.warn(text);
      display.progress(text, "urn");
      display.tookOver(text, "TaskCopy");
      await display.error(text);
      display.flush();
      await display.end();
      assert.ok(shown.length >= 4);
      const error = new ProviderError(text);
      for (const each of [...shown, error.message, `${error}`, error.stack ?? ""]) {
        assertShown(each, what);
      }
    }
  });

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

describe("takeovers", () => {
  const shownOf = async (count: number): Promise<string[]> => {
    const shown: string[] = [];
    const display = new SummedUpLog((message, urn, kind) => shown.push(`${kind} ${urn ?? "-"}: ${message}`));
    for (let n = 1; n <= count; n++) {
      display.tookOver(`"t${n}" was taken over.`, n === 1 ? "CloudRun" : "TaskCopy", `urn-${n}`);
    }
    display.flush();
    await display.end();
    display.flush();
    return shown.filter((line) => line.startsWith("warning"));
  };

  it("are shown one by one if they are few", async () => {
    assert.deepEqual(await shownOf(2), ['warning urn-1: "t1" was taken over.', 'warning urn-2: "t2" was taken over.']);
  });

  it("are one warning at the end of the command if they are many", async () => {
    assert.deepEqual(await shownOf(103), [
      "warning -: 103 resources were taken over: 1 CloudRun, 102 TaskCopy. A run that ended before it could save its state had made them. " +
        "No second one was made, and the state has them now.",
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
