import type { Handler } from "../../service";
import { findTask } from "../../service";
import { dataPage } from "./dataPage";

export const getData: Handler<"getData"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  return dataPage("task", service.store.runsOf(task.taskId), fields, service);
};
