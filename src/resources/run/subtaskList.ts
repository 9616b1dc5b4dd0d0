import { createHash } from "node:crypto";
import type { Subtask } from "../../service/contract/types";
import { isServiceError } from "../../service/errors/errors";
import type { CallOptions } from "../../service/options";
import type { Context, Statuses } from "../resource";
import { terminalStatusOf } from "./statuses";

/** How many subtasks there are, in total and by status. Statuses are spelled as the service spells them. */
export interface SubtaskCounts {
  total: number;
  byStatus: Record<string, number>;
}

/** What the state keeps of a list to recognize it. The whole list can be long. */
export interface SubtaskFingerprint {
  sha256: string;
  /** Some of the ids. */
  sample: string[];
  /** Of the list before a start: some subtasks were running, for another run. */
  atWork?: boolean;
  /** Of the list before a start: when it was read, in milliseconds since 1970. No other start of the resource has the same. */
  at?: number;
  /** Of a run's own list: it was first seen after the step that started the run, so it can belong to a later run. */
  seenLate?: boolean;
}

const sampleSize = 20;

export function fingerprintOf(list: readonly Subtask[]): SubtaskFingerprint {
  const ids = list.map(({ subTaskId }) => subTaskId).sort();
  return { sha256: createHash("sha256").update(ids.join("\n")).digest("hex"), sample: ids.slice(0, sampleSize) };
}

export function isSameList(fingerprint: SubtaskFingerprint, list: readonly Subtask[]): boolean {
  return fingerprint.sha256 === fingerprintOf(list).sha256;
}

/** Whether the list has subtasks of the fingerprint. The list of a run can grow, so the two can differ. */
export function sharesSubtasks(fingerprint: SubtaskFingerprint, list: readonly Subtask[]): boolean {
  const ids = new Set(list.map(({ subTaskId }) => subTaskId));
  return fingerprint.sample.some((id) => ids.has(id));
}

export function runningOf(list: readonly Subtask[], statuses: Statuses): Subtask[] {
  return list.filter(({ status }) => terminalStatusOf(status, statuses) === undefined);
}

/**
 * The running subtasks of a task; none if the service refuses to list them. The list has no lotNo: it is that of the
 * latest run.
 */
export async function runningNow(
  taskId: string,
  { client, settings }: Pick<Context, "client" | "settings">,
  options: CallOptions = {},
): Promise<readonly Subtask[]> {
  try {
    return runningOf(await client.allSubtasks(taskId, options), settings.statuses);
  } catch (error) {
    // An account can be allowed to read rows, but not subtasks. An outage is no reason to call a batch complete.
    if (isServiceError(error, "refused", "plan", "notFound", "contract", "busy")) {
      return [];
    }
    throw error;
  }
}

export function countsOf(list: readonly Subtask[]): SubtaskCounts {
  const byStatus = new Map<string, number>();
  for (const { status } of [...list].sort((a, b) => (a.status < b.status ? -1 : 1))) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
  return { total: list.length, byStatus: Object.fromEntries(byStatus) };
}

/**
 * A list with subtasks proves that the task exists. An empty list does not: a service can return one for an unknown
 * task.
 */
export function noteTask(taskId: string, list: readonly Subtask[], context: Context): void {
  if (list.length > 0) {
    context.tasks.saw(taskId, "there");
  }
}

export function describeCounts(counts: SubtaskCounts): string {
  return counts.total === 0 ? "no subtasks" : `${counts.total} subtasks: ${eachStatus(counts)}`;
}

export function eachStatus({ byStatus }: SubtaskCounts): string {
  return Object.entries(byStatus)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");
}
