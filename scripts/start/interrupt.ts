/**
 * Ctrl-C. The terminal, npm and tsx each pass it on, so that one press arrives up to three times, and two interrupts make the engine drop a
 * request whose answer it has not saved. So the engine runs outside of the terminal's process group and is told once for each press.
 */
const samePressMilliseconds = 400;

type Listener = () => void;
const listeners = new Set<Listener>();
let lastPress = Number.NEGATIVE_INFINITY;
let pressed = false;

/** Takes the signals over from Node.js, which would end at once. */
export function watchForInterrupt(): void {
  const onSignal = (): void => {
    const now = performance.now();
    const isNew = now - lastPress > samePressMilliseconds;
    lastPress = now;
    if (!isNew) return;
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
