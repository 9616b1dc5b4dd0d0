import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { planActionChange } from "./actionChanges";

export const updateTaskParameters: Handler<"updateTaskParameters"> = (service, request) => {
  const { taskId, actions } = request.fields;
  const task = findTask(service, request.account, taskId);
  refuseWhileRunning(service, task);
  const changes = actions.map((action) => planActionChange(task, action, service.behaviour));
  for (const change of changes) change();
  service.store.taskChanged(task);
  const updated = actions.map(({ actionId, properties, loopItems }) => ({
    actionId,
    properties: (properties ?? []).map(({ name }) => name),
    loopItems: loopItems?.loopItems?.length ?? 0,
  }));
  return { data: { taskId, updatedParameters: { actions: updated } } };
};
