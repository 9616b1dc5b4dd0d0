import type { Behaviour } from "../../behaviour";
import { Refusal } from "../../errors";
import type { Handler, HandlerResult } from "../../service";
import { findTask } from "../../service";
import type { StoredRun, SubtaskStatus } from "../../store/store";
import { statusWord } from "./statusWords";

export const startTask: Handler<"startTask"> = (service, { fields, account }) => {
  const task = findTask(service, account, fields.taskId);
  const running = service.store.runningRun(task.taskId);
  if (running !== undefined && service.behaviour.startWhileRunning === "refused") {
    throw new Refusal("TaskExecuting", `task ${task.taskId} is running already`);
  }
  if (running !== undefined && service.behaviour.startWhileRunning === "sameRun") {
    return responseOf(running, "extracting", service.behaviour);
  }
  return responseOf(service.runner.begin(task), "waiting", service.behaviour);
};

function responseOf(run: StoredRun, status: SubtaskStatus, behaviour: Behaviour): HandlerResult {
  if (behaviour.startResponse !== "data") return { data: behaviour.startResponse === "null" ? null : true };
  return { data: { lotNo: run.lotNo, status: statusWord(status, "start", behaviour) } };
}
