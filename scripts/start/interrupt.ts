/**
 * Handles Ctrl-C. The terminal and npm each forward the signal, so one key press arrives more than once. Two interrupts make the engine
 * abandon a request before it saves the response. Therefore the engine runs in its own process group and gets one signal per key press.
 */
const samePressMilliseconds = 400;

/** Distinguishes key presses from the repeated signals of one key press. */
export class Presses {
  private last = Number.NEGATIVE_INFINITY;

  /** Whether a signal at this time (in milliseconds) is a new key press. */
  isNew(now: number): boolean {
    const since = now - this.last;
    this.last = now;
    return since > samePressMilliseconds;
  }
}

type Listener = () => void;
const listeners = new Set<Listener>();
let pressed = false;

/** Handles the signals, because Node.js would exit at once. */
export function watchForInterrupt(): void {
  const presses = new Presses();
  const onSignal = (): void => {
    if (!presses.isNew(performance.now())) return;
    pressed = true;
    for (const listener of [...listeners]) listener();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
}

/** Whether Ctrl-C was pressed. */
export function wasInterrupted(): boolean {
  return pressed;
}

/** Calls `listener` on each key press until the returned function is called. */
export function onInterrupt(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves at the next key press. It ends what the user looks at, so it is no interruption of the work. */
export function nextInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onInterrupt(() => {
      stop();
      pressed = false;
      resolve();
    });
  });
}
