import { setImmediate as nextTurn } from "node:timers/promises";
import type { Behaviour } from "../behaviour";
import { messageOf } from "../errors";
import type { VisitPage } from "../extraction/pages";
import { runInputs, splitInputs } from "../store/pages/runInputs";
import { VisitQueue } from "../store/pages/visitQueue";
import type { Store, StoredRun, StoredSubtask, StoredTask } from "../store/store";
import { hasEnded, isRunning, newRun, newSubtask } from "../store/store";
import type { PageVisit, VisitError, VisitResult } from "../visit";

export interface RunnerOptions {
  store: Store;
  visitPage: VisitPage;
  behaviour: () => Behaviour;
  /** Called after a change of background work, which the state file must hold soon. */
  changed: () => void;
  /** Called after each change of a run, for those who watch it. */
  progressed: (run: StoredRun) => void;
  log: (line: string) => void;
}

/** Subtasks of one run that work at the same time. */
const atOnce = 4;

/** Maximum number of errors that a subtask keeps. */
const mostErrors = 100;

/** Does the work of runs in the background. A subtask can be stopped and started between any two pages, because its remaining work is in the store. */
export class Runner {
  /** The page reads in progress. Aborting one returns the page to the queue. */
  private readonly working = new Map<StoredSubtask, AbortController>();
  private readonly waiters: (() => void)[] = [];
  /** The place of the first subtask that can have rows to release, so that a page does not look at all subtasks before it. */
  private readonly released = new WeakMap<StoredRun, number>();
  /** The runs that have not ended, so that no search looks at all finished ones. */
  private readonly unfinished = new Set<StoredRun>();
  private held = false;
  private closed = false;

  constructor(private readonly options: RunnerOptions) {}

  /** Creates a run from the current configuration of the task and starts it. */
  begin(task: StoredTask): StoredRun {
    const { store, behaviour } = this.options;
    const { readsUntilFinished, subtaskListLag, rowsArriveLate, splitting } = behaviour();
    const inputs = task.syntheticRows === undefined ? runInputs(task) : undefined;
    const run = store.addRun({
      ...newRun(task.taskId),
      split: splitting === "always" || (splitting === "listsOnly" && inputs?.fromList !== false),
      subtasks:
        inputs === undefined
          ? syntheticSubtasks(task)
          : splitInputs(inputs, task.urlsPerSubtask).map((queue) => newSubtask(queue)),
      listLag: subtaskListLag,
      readsAsked: readsUntilFinished,
      readsLeft: readsUntilFinished,
      lateReads: { left: rowsArriveLate, of: rowsArriveLate },
    });
    this.wake(run);
    return run;
  }

  /** Counts one read of the subtask list. The behaviour `readsUntilFinished` makes runs wait for such reads. */
  countRead(run: StoredRun): void {
    if (run.readsLeft === 0) return;
    run.readsLeft -= 1;
    this.options.store.runChanged(run);
    this.wake(run);
  }

  /** Continues the runs from the state file. */
  resume(): void {
    for (const run of this.options.store.unfinishedRuns()) {
      for (const subtask of run.subtasks) if (subtask.status === "extracting") subtask.status = "waiting";
      this.wake(run);
    }
  }

  /** A stopped subtask continues. A failed one tries its failed pages again. Others do not change. */
  startSubtask(run: StoredRun, subtask: StoredSubtask): void {
    if (subtask.status === "failed") {
      subtask.queue = subtask.failed.before(subtask.queue);
      subtask.failed.clear();
      subtask.errors = [];
    } else if (subtask.status !== "stopped") return;
    subtask.status = "waiting";
    this.options.store.subtaskChanged(run, subtask);
    this.wake(run);
  }

  /** Stops it immediately. A page that is being read is read again when the subtask is started. */
  stopSubtask(run: StoredRun, subtask: StoredSubtask): void {
    if (hasEnded(subtask)) return;
    subtask.status = "stopped";
    this.options.store.subtaskChanged(run, subtask);
    this.giveUp(subtask);
    this.wake(run);
    this.releaseRows(run);
  }

  get isHeld(): boolean {
    return this.held;
  }

  /** No run reads a page until `release`. */
  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    for (const run of this.unfinished) this.wake(run);
  }

  /** Resolves when no subtask can continue: each has ended, is held, or waits for reads. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push(resolve);
      setImmediate(() => this.tellWaiters());
    });
  }

  /** Ends the runs of a deleted task. */
  forget(taskId: string): void {
    for (const run of [...this.unfinished].filter((each) => each.taskId === taskId)) {
      for (const subtask of run.subtasks) {
        if (!hasEnded(subtask)) subtask.status = "stopped";
        this.giveUp(subtask);
      }
      this.unfinished.delete(run);
    }
  }

  /** Ends all runs, before everything in the store is replaced. */
  forgetAll(): void {
    for (const taskId of new Set([...this.unfinished].map((run) => run.taskId))) this.forget(taskId);
    this.tellWaiters();
  }

  /** Stops all work. The store keeps the remaining work. */
  close(): void {
    this.closed = true;
    for (const subtask of [...this.working.keys()]) this.giveUp(subtask);
    this.tellWaiters();
  }

  private giveUp(subtask: StoredSubtask): void {
    this.working.get(subtask)?.abort();
    this.working.delete(subtask);
  }

  /** Starts the work that the run can do now. */
  wake(run: StoredRun): void {
    // A subtask that had ended can be one that is started again.
    this.released.delete(run);
    // This reads the subtasks, if need be: an error of the deferred step would end the process.
    if (isRunning(run)) {
      this.unfinished.add(run);
      run.endedAt = undefined;
    }
    // Deferred, so that the response to a start precedes the work of its run.
    setImmediate(() => {
      // A run that was removed in the meantime does not work.
      while (this.unfinished.has(run) && this.mayWork(run)) {
        const subtask = run.subtasks.find((candidate) => candidate.status === "waiting");
        if (subtask === undefined) break;
        subtask.status = "extracting";
        const controller = new AbortController();
        this.working.set(subtask, controller);
        this.work(run, subtask, controller.signal).catch((error: unknown) => this.fail(run, subtask, error));
      }
      if (!isRunning(run)) this.end(run);
      this.options.progressed(run);
      this.tellWaiters();
    });
  }

  private end(run: StoredRun): void {
    const { store, changed } = this.options;
    this.unfinished.delete(run);
    if (run.endedAt !== undefined) return;
    run.endedAt = store.clock.now();
    store.runChanged(run);
    changed();
  }

  private mayWork(run: StoredRun): boolean {
    const busy = run.subtasks.filter((subtask) => this.working.has(subtask)).length;
    return !this.closed && !this.held && run.readsLeft === 0 && busy < atOnce;
  }

  private async work(run: StoredRun, subtask: StoredSubtask, signal: AbortSignal): Promise<void> {
    const task = this.options.store.tasks.get(run.taskId);
    while (task !== undefined && subtask.queue.length > 0) {
      if (this.held) {
        subtask.status = "waiting";
        break;
      }
      const visit = subtask.queue.first;
      if (visit === undefined) break;
      const visited = this.options.visitPage({ task, visit, signal });
      const outcome = await visited.catch((error: unknown) => messageOf(error));
      if (signal.aborted) return;
      this.record(subtask, visit, outcome);
      this.releaseRows(run);
      this.changed(run, subtask);
      // A refused page needs no turn of the event loop, so a million of them would be one long turn.
      await nextTurn();
      if (signal.aborted) return;
    }
    if (subtask.status === "extracting") this.finish(run, subtask);
    this.working.delete(subtask);
    this.releaseRows(run);
    this.changed(run, subtask);
    this.wake(run);
  }

  private changed(run: StoredRun, subtask: StoredSubtask): void {
    this.options.store.subtaskChanged(run, subtask);
    this.options.changed();
    this.options.progressed(run);
  }

  private record(subtask: StoredSubtask, visit: PageVisit, outcome: VisitResult | string): void {
    const place = subtask.queue.removeFirst();
    if (typeof outcome === "string") {
      this.recordError(subtask, { url: visit.url, message: outcome });
      // A row without its detail page is still a row.
      if (visit.row !== undefined) subtask.unreleased.push(JSON.stringify(visit.row));
      else if (subtask.pagesRead === 0) subtask.failed.add(visit, place);
      return;
    }
    subtask.pagesRead += 1;
    // It will finish, so nothing tries them again.
    subtask.failed.clear();
    for (const row of outcome.rows) subtask.unreleased.push(JSON.stringify(row));
    subtask.queue.addFirst(outcome.next);
  }

  /** A run can have a million of them. After the first ones, only their number is kept. */
  private recordError({ subTaskId, errors }: StoredSubtask, error: VisitError): void {
    const last = errors.at(-1);
    if (last !== undefined && errors.length >= mostErrors) {
      last.others = (last.others ?? 0) + 1;
      return;
    }
    errors.push(error);
    this.options.log(`subtask ${subTaskId}: ${error.url}: ${error.message}`);
  }

  /** A mistake of the emulator ends one subtask, never the process. */
  private fail(run: StoredRun, subtask: StoredSubtask, error: unknown): void {
    const message = `the emulator failed: ${messageOf(error)}`;
    this.options.log(`subtask ${subtask.subTaskId}: ${message}`);
    subtask.errors.push({ url: subtask.queue.first?.url ?? "", message });
    subtask.status = "failed";
    this.giveUp(subtask);
    this.changed(run, subtask);
    this.wake(run);
    try {
      this.releaseRows(run);
    } catch (unreadable) {
      // The rows of the batch are damaged in the state file. The new ones stay in the subtask.
      this.options.log(`subtask ${subtask.subTaskId}: its rows are not added: ${messageOf(unreadable)}`);
    }
  }

  private finish(run: StoredRun, subtask: StoredSubtask): void {
    run.rows.generate(subtask.syntheticRows);
    subtask.status = subtask.pagesRead === 0 && subtask.errors.length > 0 ? "failed" : "finished";
  }

  /** Rows appear in the order of the inputs: the rows of a subtask wait until the earlier subtasks have ended. */
  private releaseRows(run: StoredRun): void {
    for (let index = this.released.get(run) ?? 0; index < run.subtasks.length; index += 1) {
      const subtask = run.subtasks[index] as StoredSubtask;
      this.released.set(run, index);
      if (subtask.unreleased.length > 0) {
        run.rows.append(subtask.unreleased);
        subtask.unreleased = [];
        this.options.store.subtaskChanged(run, subtask);
      }
      if (!hasEnded(subtask)) break;
    }
  }

  private tellWaiters(): void {
    if (this.waiters.length === 0 || (this.working.size > 0 && !this.closed)) return;
    const runs = [...this.unfinished];
    if (runs.some((run) => this.mayWork(run) && run.subtasks.some(({ status }) => status === "waiting"))) return;
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}

function syntheticSubtasks(task: StoredTask): StoredSubtask[] {
  const rows = task.syntheticRows ?? 0;
  const count = task.syntheticSubtasks;
  return Array.from({ length: count }, (_, index) => {
    const share = Math.floor(((index + 1) * rows) / count) - Math.floor((index * rows) / count);
    return newSubtask(new VisitQueue(), share);
  });
}
