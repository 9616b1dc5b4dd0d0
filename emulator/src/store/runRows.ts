import type { Store, StoredRun } from "./store";
import { isRunning } from "./store";

/** Number of rows of a batch that a client can see: without late rows. */
export function visibleRows(run: StoredRun): number {
  const { left, of } = run.lateReads;
  return left === 0 ? run.rows.length : run.rows.length - Math.ceil((run.rows.length / 2) * (left / of));
}

/** Counts one read of rows. More late rows of a finished run arrive. */
export function countRowRead(store: Store, runs: readonly StoredRun[]): void {
  for (const run of runs) {
    if (run.lateReads.left === 0 || isRunning(run)) continue;
    run.lateReads.left -= 1;
    store.runChanged(run);
  }
}

/** Rows of several batches in order, as JSON texts. */
export function readRows(runs: readonly StoredRun[], offset: number, size: number): { texts: string[]; total: number } {
  const texts: string[] = [];
  let before = 0;
  for (const run of runs) {
    const visible = visibleRows(run);
    const from = Math.max(offset + texts.length - before, 0);
    const to = Math.min(visible, from + size - texts.length);
    if (to > from) for (const text of run.rows.slice(from, to)) texts.push(text);
    before += visible;
  }
  return { texts, total: before };
}
