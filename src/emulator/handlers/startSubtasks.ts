import { findSubtasks } from "../findSubtasks";
import type { Handler } from "../service";

export const startSubtasks: Handler<"startSubtasks"> = (service, { fields, account }) => {
  for (const { run, subtask } of findSubtasks(service, account, fields)) service.runner.startSubtask(run, subtask);
  return {};
};
