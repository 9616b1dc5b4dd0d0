import assert from "node:assert/strict";
import type { Kill } from "./killedUp";
import { KilledUp, nexts } from "./killedUp";
import type { KilledStep } from "./steps";
import { creates, deletes, updates } from "./steps";

const phases = { create: creates, update: updates, delete: deletes };

interface KillOptions {
  /** The commands after the kill. Default: all. */
  followedBy?: readonly (typeof nexts)[number][];
  /** The folder of the native plugin, if the classes run on it. */
  plugin?: string;
}

/** Kills each resource in each step of its create, update and delete, and continues with each of `nexts`. */
export function describeKills(
  what: string,
  kill: Kill,
  moments: readonly ("before" | "after")[],
  { followedBy = nexts, plugin }: KillOptions = {},
): void {
  describe(what, function () {
    this.timeout(300_000);
    for (const [phase, steps] of Object.entries(phases)) {
      for (const when of moments) {
        for (const next of followedBy) {
          it(`in each ${phase}, ${when} the effect, then ${next}: no effect happens twice, and the errors name a solution that works`, async () => {
            const killed = await KilledUp.create(steps, plugin);
            try {
              await killed.prepare();
              await killed.kill(kill, when);
              const output = await killed.goOn(next);
              killed.assertNothingTooMuch();
              const isUnknown = (step: KilledStep): boolean => kill !== "engine" && makesAt(step);
              assert.deepEqual(await killed.followTheErrors(output), namesOf(steps.filter(isUnknown)));
              const isTakenOver = (step: KilledStep): boolean =>
                kill !== "answer" && step.adopt !== undefined && !isUnknown(step) && (makesAt(step) || !step.before);
              assertTakenOver(output, steps.filter(isTakenOver));
              await killed.assertSettled();
            } finally {
              await killed.world.remove();
            }
          });
        }
      }
    }
  });
}

/** More than ten warnings are one for each kind, which names all tasks. */
function assertTakenOver(output: string, steps: readonly KilledStep[]): void {
  for (const { name, type } of steps) {
    const made = type === "CloudRun" ? "paid run of" : "copy of";
    assert.match(
      output,
      new RegExp(`\\(a ${made} task "${name}".* was made at \\S+ by .* It was taken over|others are about .*"`),
    );
  }
}

/** Whether the kill happened at the request that has the effect. */
function makesAt({ adopt, at, once }: KilledStep): boolean {
  return adopt !== undefined && at.operation === once?.operation;
}

function namesOf(steps: readonly KilledStep[]): string[] {
  return steps.map(({ name }) => name);
}
