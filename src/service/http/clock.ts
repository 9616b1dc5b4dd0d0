/** The longest delay of a timer, in milliseconds: Node.js fires a longer one after 1 ms. */
export const longestTimer = 2 ** 31 - 1;

/** Cancels a timer. */
export type Cancel = () => void;

/**
 * Time as the client sees it. Everything under `service` that waits between two requests waits here (the linter refuses other timers), so
 * that a test that replaces these functions lets every wait pass at once.
 */
export const clock = {
  /** Milliseconds from an arbitrary start; never goes back. */
  now: (): number => performance.now(),
  /** Calls `done` after so many milliseconds: the client waits for it. A wait of more than 24 days ends early. */
  wait: (milliseconds: number, done: () => void): Cancel => timer(milliseconds, done),
  /** Calls `strike` after so many milliseconds: the bound of a call, which a skipped wait must not reach. */
  deadline: (milliseconds: number, strike: () => void): Cancel => timer(milliseconds, strike),
};

/** Resolves after so many milliseconds of {@link clock}. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.wait(milliseconds, resolve);
  });
}

function timer(milliseconds: number, callback: () => void): Cancel {
  const handle = setTimeout(callback, Math.min(milliseconds, longestTimer));
  return () => clearTimeout(handle);
}
