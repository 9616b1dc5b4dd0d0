import { setImmediate } from "node:timers/promises";

/** After this time, other work of the process has its turn. */
const sliceMs = 20;

/** Divides long work into slices. Between two of them, the emulator responds to requests. */
export class Slices {
  private end = performance.now() + sliceMs;

  /** Whether it is time for `next`. */
  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.end = performance.now() + sliceMs;
  }
}
