import { missing, Refusal } from "../../errors";
import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";

export const updateTaskUrls: Handler<"updateTaskUrls"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  if (fields.file === undefined) throw missing("file");
  if (fields.file.count === 0) throw new Refusal("InvalidParameter", "the file has no URL");
  refuseWhileRunning(service, task);
  task.startUrls = fields.file;
  service.store.taskChanged(task);
  return {};
};
