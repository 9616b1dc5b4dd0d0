import { Refusal } from "../../errors";
import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { planLoopChange } from "./actionChanges";

const loopTypes = ["UrlList", "TextList"];

export const updateLoopItems: Handler<"updateLoopItems"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  refuseWhileRunning(service, task);
  if (service.behaviour.loopTypeWritten === "strict" && !loopTypes.includes(fields.loopType)) {
    throw new Refusal("InvalidParameter", `loopType must be one of ${loopTypes.join(", ")}`);
  }
  planLoopChange(task, undefined, fields, service.behaviour)();
  service.store.taskChanged(task);
  return { data: { message: "loop items updated" } };
};
