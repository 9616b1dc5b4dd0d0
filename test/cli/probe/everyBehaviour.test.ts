import assert from "node:assert/strict";
import { behaviourNames, otherValues } from "webextract-emulator";
import { isLarge } from "../../environment";
import { compare, isHidden } from "./sameService";

/** Values that show only while a run works. */
const whileRunning = ["changeWhileRunning=refused", "statusWords=withSent"];

/** Values that look as others under the defaults. */
const alike = ["endOfData=offsetStays", "notExportedCounts=notReturned"];

describe("probe --write --start, and an emulator with the behaviours that came out", function () {
  this.timeout(120_000);

  it("finds every default, within 80 requests", async () => {
    const { wrong, unsure, isSame, requests } = await compare({});
    assert.deepEqual([wrong, unsure, isSame], [[], [], true]);
    assert.ok(requests.sent <= 80);
  });

  for (const name of behaviourNames) {
    // One value of each; all of them in the slow tests.
    for (const value of otherValues(name).slice(0, isLarge ? undefined : 1)) {
      const words = `${name}=${value}`;
      it(`finds ${words}, and the emulator responds as the service does`, async () => {
        const running = whileRunning.includes(words) ? { readsUntilFinished: 3 } : {};
        const { wrong, unsure, isSame, requests } = await compare({ ...running, [name]: value });
        assert.ok(requests.sent <= 80);
        assert.deepEqual(wrong, []);
        const isKnown = isHidden(name, value) || alike.includes(words);
        assert.deepEqual(unsure, isKnown && unsure.length > 0 ? [words] : []);
        assert.ok(isSame);
      });
    }
  }
});
