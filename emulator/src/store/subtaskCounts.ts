import type * as described from "../generated/admin";
import type { StoredRun } from "./store";

/** Number of subtasks by status. */
export interface SubtaskCounts extends described.SubtaskCounts {}

export function countSubtasks({ subtasks }: StoredRun): SubtaskCounts {
  const counts = { waiting: 0, extracting: 0, stopped: 0, finished: 0, failed: 0 };
  for (const { status } of subtasks) counts[status] += 1;
  return counts;
}
