import { findSubtasks } from "../findSubtasks";
import type { Handler } from "../service";

export const stopSubtasks: Handler<"stopSubtasks"> = (service, { fields, account }) => {
  for (const { run, subtask } of findSubtasks(service, account, fields)) service.runner.stopSubtask(run, subtask);
  return {};
};
