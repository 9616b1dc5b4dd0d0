import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Resolves after this number of turns of the event loop. Steps in progress then end in a known order, each in a turn of
 * its own, as responses to requests do.
 */
export async function endsAtTurn<T>(turn: number, value: T): Promise<T> {
  for (let passed = 0; passed < turn; passed++) {
    await nextTurn();
  }
  return value;
}
