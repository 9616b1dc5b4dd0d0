import assert from "node:assert/strict";
import type { Kill } from "./killedUp";
import { KilledUp, labelledNexts } from "./killedUp";
import { labelledStarts } from "./steps";

const moments: [kill: Kill, when: "before" | "after"][] = [
  ["host", "before"],
  ["host", "after"],
  ["machine", "after"],
  ["engine", "before"],
  ["answer", "after"],
];

/** The requests that were sent, so that only the user can know whether they took effect. */
const isUnknown = (kill: Kill, name: string): boolean => kill !== "engine" && name.startsWith("start");

describe("an up with a run label that is interrupted", function () {
  this.timeout(300_000);
  for (const [kill, when] of moments) {
    for (const next of labelledNexts) {
      it(`(${kill}, ${when} the effect), then ${next}: one run for the label, and one for the next label`, async () => {
        const killed = await KilledUp.create(labelledStarts);
        try {
          await killed.prepare();
          killed.label = "a";
          await killed.kill(kill, when);
          const output = await killed.goOn(next);
          killed.assertNothingTooMuch();
          const unknown = labelledStarts.map(({ name }) => name).filter((name) => isUnknown(kill, name));
          assert.deepEqual(await killed.followTheErrors(output), unknown);
          await killed.assertSettled();
          await killed.goOnUnder("a");
          await killed.assertSettled();
          await killed.goOnUnder("b");
          await killed.goOnUnder("a");
          for (const { name } of labelledStarts) {
            assert.equal(killed.times({ operation: "startTask", taskId: name }), 3, name);
          }
        } finally {
          await killed.world.remove();
        }
      });
    }
  }
});
