import type { Handler } from "../../service";
import { findSubtasks } from "./findSubtasks";

export const stopSubtasks: Handler<"stopSubtasks"> = (service, { fields, account }) => {
  for (const { run, subtask } of findSubtasks(service, account, fields)) service.runner.stopSubtask(run, subtask);
  return {};
};
