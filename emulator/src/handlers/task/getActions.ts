import { Refusal } from "../../errors";
import type { Handler, Service } from "../../service";
import { findTask, taskGone } from "../../service";
import type { StoredTask } from "../../store/store";
import { describeAction } from "./actionResponse";

export const getActions: Handler<"getActions"> = (service, { fields, account }) => {
  const { taskIds, actionTypes } = fields;
  const { behaviour } = service;
  if (actionTypes.length === 0 && behaviour.getActionsEmptyTypes === "refused") {
    throw new Refusal("InvalidParameter", "actionTypes must not be empty");
  }
  const every = actionTypes.length === 0 && behaviour.getActionsEmptyTypes === "all";
  const data = findTasks(service, account, taskIds).map((task) => ({
    taskId: task.taskId,
    actions: task.actions
      .filter((action) => every || actionTypes.includes(action.actionType))
      .map((action) => describeAction(action, behaviour)),
  }));
  return { data };
};

function findTasks(service: Service, account: string, taskIds: readonly string[]): StoredTask[] {
  // The behaviour getActionsMissing is about several tasks only.
  const [only, ...others] = taskIds;
  if (others.length === 0 && service.behaviour.getActionsMissing !== "leftOut") {
    return only === undefined ? [] : [findTask(service, account, only)];
  }
  const own = (taskId: string) => service.store.tasks.get(taskId)?.account === account;
  const gone = taskIds.filter((taskId) => !own(taskId));
  if (gone.length > 0 && service.behaviour.getActionsMissing === "refusedNamed") {
    throw taskGone(service.behaviour, `task ${gone.join(", ")} does not exist`);
  }
  if (gone.length > 0 && service.behaviour.getActionsMissing === "refusedUnnamed") {
    throw taskGone(service.behaviour, "a task does not exist");
  }
  return taskIds.filter(own).map((taskId) => findTask(service, account, taskId));
}
