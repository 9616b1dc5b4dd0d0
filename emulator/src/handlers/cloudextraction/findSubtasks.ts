import type { Schemas } from "../../contract";
import { missing, Refusal } from "../../errors";
import type { Service } from "../../service";
import { findTask } from "../../service";
import type { StoredRun, StoredSubtask } from "../../store/store";

/** @throws Refusal if one of the ids is not a subtask of the task. */
export function findSubtasks(
  service: Service,
  account: string,
  { taskId, subTaskIds }: Schemas["SubtasksRequest"],
): { run: StoredRun; subtask: StoredSubtask }[] {
  const task = findTask(service, account, taskId);
  if (subTaskIds === undefined || subTaskIds.length === 0) throw missing("subTaskIds");
  const runs = service.store.runsOf(task.taskId);
  const known = new Map(
    runs.flatMap((run) => run.subtasks.map((subtask) => [subtask.subTaskId, { run, subtask }] as const)),
  );
  return subTaskIds.map((subTaskId) => {
    const found = known.get(subTaskId);
    if (found === undefined) throw new Refusal("InvalidParameter", `task ${task.taskId} has no subtask ${subTaskId}`);
    return found;
  });
}
