import type { Handler, Service } from "../../service";
import { findTask } from "../../service";
import type { StoredRun, StoredSubtask } from "../../store/store";
import { allowedSize } from "../pageSize";
import { statusWord } from "./statusWords";

export const getSubtasks: Handler<"getSubtasks"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  const size = allowedSize(fields.size, service.behaviour.subtaskPageMax, service.behaviour);
  const run = shownRun(service, task.taskId);
  const first = (fields.page - 1) * size;
  const subtasks = run?.split === true ? run.subtasks : [];
  return {
    data: subtasks.slice(first, first + size).map((subtask, index) => ({
      subTaskId: subtask.subTaskId,
      status: statusWord(shownStatus(run, subtask, first + index), "list", service.behaviour),
    })),
  };
};

/** The latest batch, or the previous one while the list lags behind. Each call counts as one read. */
function shownRun(service: Service, taskId: string): StoredRun | undefined {
  const runs = service.store.latestRuns(taskId, 2);
  const latest = runs.at(-1);
  if (latest === undefined) return undefined;
  if (latest.listLag > 0) {
    latest.listLag -= 1;
    service.store.runChanged(latest);
    return runs.at(-2);
  }
  service.runner.countRead(latest);
  return latest;
}

function shownStatus(
  run: StoredRun | undefined,
  subtask: StoredSubtask,
  index: number,
): StoredSubtask["status"] | "sent" {
  if (subtask.status !== "waiting" || run === undefined) return subtask.status;
  // A run that waits for reads shows as extracting from the second read on.
  const pretends = run.readsAsked > 0 && run.readsLeft < run.readsAsked - 1;
  if (pretends) return "extracting";
  return index % 2 === 0 ? "sent" : "waiting";
}
