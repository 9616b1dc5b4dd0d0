import { Refusal } from "../../errors";
import type { Handler } from "../../service";
import { findTask } from "../../service";

export const copyTask: Handler<"copyTask"> = (service, { fields, account }) => {
  const source = findTask(service, account, fields.taskId);
  const taskGroupId = fields.taskGroupId || source.taskGroupId;
  const group = service.store.groups.get(taskGroupId);
  if (group === undefined || group.account !== account) {
    if (service.behaviour.taskGone === "notYours") throw new Refusal("GroupNotFound", "The task group is not found!");
    throw new Refusal("InvalidParameter", `task group ${taskGroupId} does not exist`);
  }
  return { data: { taskId: service.store.copyTask(source, taskGroupId).taskId } };
};
