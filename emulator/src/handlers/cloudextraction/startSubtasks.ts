import type { Handler } from "../../service";
import { findSubtasks } from "./findSubtasks";

export const startSubtasks: Handler<"startSubtasks"> = (service, { fields, account }) => {
  for (const { run, subtask } of findSubtasks(service, account, fields)) service.runner.startSubtask(run, subtask);
  return {};
};
