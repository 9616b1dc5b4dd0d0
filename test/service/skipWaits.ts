import sinon from "sinon";

/** Longer ones are deadlines, which must not strike. Milliseconds. */
const longestWait = 29_000;

/** Lets the client's waits pass at once, with the clock going on as if they had been waited for. */
export interface SkippedWaits {
  /** Milliseconds of each wait that was skipped. */
  waits: number[];
  restore(): void;
}

export function skipWaits(): SkippedWaits {
  const box = sinon.createSandbox();
  const waits: number[] = [];
  const realSetTimeout = globalThis.setTimeout;
  const realNow = performance.now.bind(performance);
  const realDate = Date.now;
  let skipped = 0;
  const replacement = (
    callback: (...args: unknown[]) => void,
    milliseconds = 0,
    ...args: unknown[]
  ): NodeJS.Timeout => {
    // Only what the client itself waits for: the timers of libraries and of servers in this process keep their meaning.
    const ours = /service[\\/]http[\\/](patience|limiter)\.ts/.test(new Error().stack ?? "");
    if (!ours || milliseconds >= longestWait) return realSetTimeout(callback, milliseconds, ...args);
    return realSetTimeout(() => {
      waits.push(milliseconds);
      skipped += milliseconds;
      callback(...args);
    }, 0);
  };
  box.replace(globalThis, "setTimeout", Object.assign(replacement, realSetTimeout));
  box.stub(performance, "now").callsFake(() => realNow() + skipped);
  box.stub(Date, "now").callsFake(() => realDate() + Math.round(skipped));
  return { waits, restore: () => box.restore() };
}
