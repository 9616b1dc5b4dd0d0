import assert from "node:assert/strict";
import type { Behaviour, BehaviourName } from "webextract-emulator";
import { behaviourNames, otherValues } from "webextract-emulator";
import fc from "../../../test/fastCheck";
import { mostRequests } from "../internals/probe";
import { alike, compare, isHidden, whileRunning } from "./sameService";

/** Pairs of values of two behaviours that are not the default. */
const value = fc.constantFrom(
  ...behaviourNames.flatMap((name) => otherValues(name).map((each): [BehaviourName, string | number] => [name, each])),
);
const pair = fc.tuple(value, value).filter(([[one], [other]]) => one !== other);

const pairs = 200;

/** Whether no probe finds a value, or none under the defaults. */
function isExpected(words: string): boolean {
  const [name = "", its = ""] = words.split("=");
  return [...alike, ...whileRunning].includes(words) || isHidden(name, its);
}

/** A pair can hide one of its values: then the report says that it was not shown. It never says what is not so. */
describe("probe --write --start under pairs of behaviours", function () {
  this.timeout(1_800_000);

  it("finds both, or says that the responses do not show them, and the emulator responds as the service does", async () => {
    let found = 0;
    const property = fc.asyncProperty(pair, async (chosen) => {
      const { wrong, unsure, isSame, requests } = await compare(Object.fromEntries(chosen) as Partial<Behaviour>);
      assert.ok(requests.sent <= mostRequests);
      assert.deepEqual(wrong, []);
      assert.ok(isSame, "the lives differ");
      found += unsure.every(isExpected) ? 1 : 0;
    });
    // After a failure, simpler pairs tell nothing more.
    await fc.assert(property, { numRuns: pairs, endOnFailure: true });
    assert.ok(found > pairs * 0.85, `only ${found} pairs were found`);
  });
});
