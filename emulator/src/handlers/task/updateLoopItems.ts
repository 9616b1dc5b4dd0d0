import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { checkLoopType, planLoopChange } from "./actionChanges";

export const updateLoopItems: Handler<"updateLoopItems"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  refuseWhileRunning(service, task);
  checkLoopType(fields.loopType, ["UrlList", "TextList"], service.behaviour);
  planLoopChange(task, undefined, fields, service.behaviour)();
  service.store.taskChanged(task);
  return { data: { message: "loop items updated" } };
};
