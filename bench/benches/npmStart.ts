import { FreshClone } from "../../test/quickstart/freshClone";
import type { Bench, Figure, Goal } from "../figure";
import { under } from "../figure";
import type { Measured } from "../measure/measured";
import { measured } from "../measure/measured";

const goal: Goal = under(30);

/** `npm start` with the engine and the build already present. */
export const npmStart: Bench = {
  name: "npm-start",
  summary: "npm start in a clone, with the engine and dist in place: everything new, then nothing changed",
  async run() {
    const clone = await FreshClone.make();
    try {
      const created = await start(clone, /Resources:\s+\+ \d+ created/);
      const unchanged = await start(clone, /Resources:\s+\d+ unchanged/);
      return [...figures("everything is created", created), ...figures("nothing changed", unchanged)];
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

function figures(name: string, { wallSeconds, cpuSeconds }: Measured<unknown>): Figure[] {
  return [
    { name, value: wallSeconds, unit: "s", goal },
    { name: `${name}, processor time`, value: cpuSeconds, unit: "cpu s" },
  ];
}
