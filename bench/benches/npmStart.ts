import { FreshClone } from "../../test/quickstart/freshClone";
import type { Bench } from "../figure";
import { under } from "../figure";
import type { Measured } from "../measure/measured";
import { measured, timesOf } from "../measure/measured";

const goal = under(30);

/** `npm start` with the engine and the build already present. */
export const npmStart: Bench = {
  name: "npm-start",
  summary: "npm start in a clone, with the engine and dist in place: everything new, then nothing changed",
  async run() {
    const clone = await FreshClone.make();
    try {
      const created = await start(clone, /Resources:\s+\+ \d+ created/);
      const unchanged = await start(clone, /Resources:\s+\d+ unchanged/);
      return [...timesOf("everything is created", created, goal), ...timesOf("nothing changed", unchanged, goal)];
    } finally {
      clone.remove();
    }
  },
};

async function start(clone: FreshClone, expected: RegExp): Promise<Measured<unknown>> {
  const run = await measured(() => clone.start());
  const { code, output } = run.result;
  if (code !== 0 || !expected.test(output)) {
    throw new Error(`npm start ended with ${code}; expected ${expected} in its output:\n${output}`);
  }
  return run;
}
