import { setTimeout as sleepFor } from "node:timers/promises";
import { longestTimer } from "../service/http/clock";

/** Resolves after these milliseconds, or earlier when the signal is aborted. A sleep of more than 24 days ends early. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleepFor(Math.min(milliseconds, longestTimer), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
