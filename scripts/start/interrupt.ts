/**
 * Ctrl-C. The terminal, npm and tsx each pass it on, so that one press arrives up to three times, and two interrupts make the engine drop a
 * request whose answer it has not saved. So the engine runs outside of the terminal's process group and is told once for each press.
 */
const samePressMilliseconds = 400;

/** Tells presses of the key from the signals that one press becomes. */
export class Presses {
  private last = Number.NEGATIVE_INFINITY;

  /** Whether a signal that comes at this moment, in milliseconds, is a press of its own. */
  isNew(now: number): boolean {
    const since = now - this.last;
    this.last = now;
    return since > samePressMilliseconds;
  }
}

type Listener = () => void;
const listeners = new Set<Listener>();
let pressed = false;

/** Takes the signals over from Node.js, which would end at once. */
export function watchForInterrupt(): void {
  const presses = new Presses();
  const onSignal = (): void => {
    if (!presses.isNew(performance.now())) return;
    pressed = true;
    for (const listener of [...listeners]) listener();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
}

/** Whether it was pressed at all. */
export function wasInterrupted(): boolean {
  return pressed;
}

/** Calls `listener` at each press until the function that is returned is called. */
export function onInterrupt(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
