import { setMaxListeners } from "node:events";

/**
 * Calls `listener` once, when the signal is aborted. Returns a function that removes the listener. One signal can end
 * any number of calls, so the warning of Node.js about many listeners is off for it.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
