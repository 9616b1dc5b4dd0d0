import { setMaxListeners } from "node:events";

/**
 * Calls `listener` once, when the signal is aborted; answers how to stop listening. One signal may end any number of calls, so node's warning
 * about many listeners is off for it.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
