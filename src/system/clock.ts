import { onAbort } from "./onAbort";

/** The longest delay of a timer, in milliseconds: Node.js fires a longer one after 1 ms. */
export const longestTimer = 2 ** 31 - 1;

/** Cancels a timer. */
export type Cancel = () => void;

/**
 * The clock and the timers of the client. Code under `service` uses no other timer (the linter refuses them), so a test
 * can replace these functions and skip every wait.
 */
export const clock = {
  /** Milliseconds since an arbitrary moment; never decreases. */
  now: (): number => performance.now(),
  /** Calls `done` after these milliseconds, for which the client waits. A wait of more than 24 days ends early. */
  wait: (milliseconds: number, done: () => void): Cancel => timer(milliseconds, done),
  /** Calls `strike` after these milliseconds, which limit a call. A test that skips waits leaves it as it is. */
  deadline: (milliseconds: number, strike: () => void): Cancel => timer(milliseconds, strike),
};

/** Resolves after these milliseconds of {@link clock}, or when the signal is aborted. */
export function pause(milliseconds: number, waits?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      stopListening?.();
      resolve();
    };
    const cancel = clock.wait(milliseconds, done);
    const stopListening = waits && onAbort(waits, done);
    if (waits?.aborted) done();
  });
}

function timer(milliseconds: number, callback: () => void): Cancel {
  const handle = setTimeout(callback, Math.min(milliseconds, longestTimer));
  return () => clearTimeout(handle);
}
