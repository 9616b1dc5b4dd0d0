import type { Handler } from "../../service";
import { findTask } from "../../service";
import { RowMarks } from "../../store/rowMarks";
import { visibleRows } from "../../store/runRows";

export const markExported: Handler<"markExported"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  for (const run of service.store.runsOf(task.taskId)) {
    if (service.behaviour.markScope === "task") run.exported.add(0, visibleRows(run));
    else run.exported.addAll(run.handedOut);
    run.handedOut = new RowMarks();
    service.store.runChanged(run);
  }
  return {};
};
