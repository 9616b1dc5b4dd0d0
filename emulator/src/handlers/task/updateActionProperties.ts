import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { planActionChange } from "./actionChanges";

export const updateActionProperties: Handler<"updateActionProperties"> = (service, request) => {
  const task = findTask(service, request.account, request.fields.taskId);
  refuseWhileRunning(service, task);
  const changes = request.fields.actions.map(({ actionType, actionId, properties }) =>
    planActionChange(task, { actionType, actionId, properties }, service.behaviour),
  );
  for (const change of changes) change();
  service.store.taskChanged(task);
  return { data: { message: `${changes.length} actions updated` } };
};
