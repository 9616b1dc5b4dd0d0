import { Refusal } from "../../errors";
import type { Handler } from "../../service";
import { findTask } from "../../service";
import { dataPage } from "./dataPage";

export const getBatchData: Handler<"getBatchData"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  const run = service.store.runs.get(fields.lotno);
  if (run === undefined || run.taskId !== task.taskId) {
    throw new Refusal("InvalidParameter", `task ${task.taskId} has no batch ${fields.lotno}`);
  }
  return dataPage("batch", [run], fields, service);
};
