import { behaviours } from "../behaviour";
import { operationsOf, readContract } from "../contract";
import { Refusal } from "../errors";
import type { SubtaskView } from "../inspect";
import { errorCount } from "../visit";
import type { AdminHandlers } from "./adminHandler";
import { JsonText } from "./adminHandler";
import { rowsText } from "./rowsText";

const defaultLimit = 50;

/** The most loop items and start URLs of a task, and the most errors of a subtask, in one response. */
const mostOfTask = 100;
const mostOfSubtask = 20;

/** The operations of the admin API that the page reads with. Each response has a bounded number of items. */
export const pageReads = {
  getOptions: () => ({
    behaviours: Object.entries(behaviours).map(([name, behaviour]) => ({
      name,
      default: behaviour.default,
      meaning: behaviour.meaning,
      ...(behaviour.kind === "choice" ? { values: [...behaviour.values] } : { minimum: behaviour.minimum }),
    })),
    operations: operationsOf(readContract("openapi.yaml")).map(({ name }) => name),
  }),
  getTasks(emulator, { query }) {
    const { offset = 0, limit = defaultLimit, search } = query;
    return { offset, ...emulator.inspect.taskPage({ offset, limit, search }) };
  },
  getTask({ inspect }, { path: { taskId } }) {
    const summary = inspect.taskSummary(taskId);
    const task = inspect.task(taskId);
    if (summary === undefined || task === undefined) throw new Refusal("NotFound", `there is no task ${taskId}`);
    return {
      ...summary,
      actions: task.actions.map((action) => ({
        ...action,
        loopItems: action.loopItems.slice(0, mostOfTask),
        loopItemCount: action.loopItems.length,
      })),
      startUrls: inspect.startUrls(taskId, mostOfTask),
    };
  },
  getRuns(emulator, { query }) {
    const { offset = 0, limit = defaultLimit, ...filter } = query;
    return { offset, ...emulator.inspect.runPage({ offset, limit, ...filter }) };
  },
  getRunProgress({ inspect }, { path: { lotNo } }) {
    const summary = inspect.runSummary(lotNo) ?? missingRun(lotNo);
    return { ...summary, samples: inspect.progress(lotNo) ?? [] };
  },
  getRunSubtasks({ inspect }, { path: { lotNo }, query: { offset = 0, limit = defaultLimit } }) {
    const { total, subtasks } = inspect.subtaskPage(lotNo, { offset, limit }) ?? missingRun(lotNo);
    return { total, offset, subtasks: subtasks.map(shortened) };
  },
  getRunRows({ inspect }, { path: { lotNo }, query: { offset = 0, limit = defaultLimit } }) {
    return new JsonText(rowsText(offset, inspect.rowPage(lotNo, { offset, limit }) ?? missingRun(lotNo)));
  },
} satisfies AdminHandlers;

function shortened(subtask: SubtaskView): SubtaskView & { errorCount: number } {
  const { errors } = subtask;
  return { ...subtask, errors: errors.slice(0, mostOfSubtask), errorCount: errorCount(errors) };
}

/** @throws Refusal NotFound. */
function missingRun(lotNo: string): never {
  throw new Refusal("NotFound", `there is no batch ${lotNo}`);
}
