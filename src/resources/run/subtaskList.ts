import { createHash } from "node:crypto";
import type { Subtask } from "../../service/contract/types";
import type { Context, Statuses } from "../resource";

/** How many subtasks there are, and how many in each status, spelled as the service does. */
export interface SubtaskCounts {
  total: number;
  byStatus: Record<string, number>;
}

/** What is kept of a list to know it again: subtasks can be many. */
export interface ListMark {
  sha256: string;
  /** Some of the ids. */
  sample: string[];
  /** The list before a start: some of its subtasks were still at work, for another run. */
  atWork?: boolean;
  /** The list of a run: it was not seen by the step that started it, so it may be that of a run started since. */
  seenLate?: boolean;
}

export type Rest = "finished" | "failed" | "stopped";

const sampleSize = 20;

export function markOf(list: readonly Subtask[]): ListMark {
  const ids = list.map(({ subTaskId }) => subTaskId).sort();
  return { sha256: createHash("sha256").update(ids.join("\n")).digest("hex"), sample: ids.slice(0, sampleSize) };
}

export function isSameList(mark: ListMark, list: readonly Subtask[]): boolean {
  return mark.sha256 === markOf(list).sha256;
}

/** Whether a list still holds subtasks of the marked one. A run's list may grow, so it need not be the same. */
export function sharesSubtasks(mark: ListMark, list: readonly Subtask[]): boolean {
  const ids = new Set(list.map(({ subTaskId }) => subTaskId));
  return mark.sample.some((id) => ids.has(id));
}

/** What a status means; undefined is "still running", which any status is that nobody configured. */
export function restOf(status: string, statuses: Statuses): Rest | undefined {
  const word = status.toLowerCase();
  return (["finished", "failed", "stopped"] as const).find((rest) =>
    statuses[rest].some((each) => each.toLowerCase() === word),
  );
}

export function isAtWork(list: readonly Subtask[], statuses: Statuses): boolean {
  return list.some(({ status }) => restOf(status, statuses) === undefined);
}

export function countsOf(list: readonly Subtask[]): SubtaskCounts {
  const byStatus = new Map<string, number>();
  for (const { status } of [...list].sort((a, b) => (a.status < b.status ? -1 : 1))) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
  return { total: list.length, byStatus: Object.fromEntries(byStatus) };
}

/** A list that shows subtasks proves that the task is there. An empty one does not: a service may answer that for a task that it does not know. */
export function noteTask(taskId: string, list: readonly Subtask[], context: Context): void {
  if (list.length > 0) {
    context.saw(taskId, "there");
  }
}

export function inWords({ total, byStatus }: SubtaskCounts): string {
  const each = Object.entries(byStatus).map(([status, count]) => `${count} ${status}`);
  return total === 0 ? "no subtasks" : `${total} subtasks: ${each.join(", ")}`;
}
