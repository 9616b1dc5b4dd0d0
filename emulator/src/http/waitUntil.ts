/** How long to wait. */
export interface WaitLimits {
  timeoutMs: number;
  /** Ends the wait early. */
  signal: AbortSignal | undefined;
}

/**
 * Waits until a condition holds.
 * @param watch calls its argument after each change that can make the condition true, and returns a function that ends this.
 * @returns whether the condition holds.
 */
export function waitUntil(
  condition: () => boolean,
  watch: (check: () => void) => () => void,
  { timeoutMs, signal }: WaitLimits,
): Promise<boolean> {
  if (condition() || signal?.aborted === true) return Promise.resolve(condition());
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener("abort", end);
      resolve(condition());
    };
    // A longer timer would end at once.
    const timer = setTimeout(end, Math.min(timeoutMs, 2 ** 31 - 1));
    const unwatch = watch(() => {
      if (condition()) end();
    });
    signal?.addEventListener("abort", end, { once: true });
  });
}
