import sinon from "sinon";

/** Waits shorter than this are skipped; longer ones are deadlines, which must not strike. Milliseconds. */
const deadlines = 29_000;

/** Lets waits pass at once, with the clock going on as if they had been waited for. */
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
  let skipped = 0;
  const replacement = (callback: () => void, milliseconds = 0): NodeJS.Timeout => {
    if (milliseconds >= deadlines) return realSetTimeout(callback, milliseconds);
    return realSetTimeout(() => {
      waits.push(milliseconds);
      skipped += milliseconds;
      callback();
    }, 0);
  };
  box.replace(globalThis, "setTimeout", Object.assign(replacement, realSetTimeout));
  box.stub(performance, "now").callsFake(() => realNow() + skipped);
  return { waits, restore: () => box.restore() };
}
