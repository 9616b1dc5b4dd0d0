import fc from "fast-check";
import { isLarge } from "./environment";

/**
 * fast-check with one seed for the whole run, which is printed. `FAST_CHECK_SEED` repeats a run with its seed. A property runs 25 times, or 100 times with
 * the slow tests. The linter refuses a direct import of fast-check.
 */
process.env.FAST_CHECK_SEED ??= String(Math.trunc(Math.random() * 2 ** 31));
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED), numRuns: isLarge ? 100 : 25 });
console.log(`   fast-check: to repeat its random values, set FAST_CHECK_SEED=${process.env.FAST_CHECK_SEED}`);

/** The number of runs of a property that takes seconds: a fifth, unless the slow tests run too. Each run of the tests has another seed. */
export function runs(many: number): { numRuns: number } {
  return { numRuns: isLarge ? many : Math.ceil(many / 5) };
}

export default fc;
