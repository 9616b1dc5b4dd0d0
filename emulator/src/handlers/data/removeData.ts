import type { Handler } from "../../service";
import { findTask, refuseWhileRunning } from "../../service";
import { RowList } from "../../store/rowList";
import { RowMarks } from "../../store/rowMarks";

/** The batches stay, without rows, so that their numbers remain valid. */
export const removeData: Handler<"removeData"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  refuseWhileRunning(service, task);
  for (const run of service.store.runsOf(task.taskId)) {
    run.rows = new RowList();
    run.exported = new RowMarks();
    run.handedOut = new RowMarks();
    service.store.runChanged(run);
  }
  return {};
};
