import type { Changes } from "../changes";
import type { components } from "../generated/admin";
import type { AdminHandler } from "./adminHandler";

type Change = components["schemas"]["Change"];
type ChangeName = Change["change"];
type ChangeResult = components["schemas"]["ChangeResult"];

/** The arguments of each member of {@link Changes}, from the body of `POST /__emulator/changes`. */
const changes: {
  [Name in ChangeName]: (change: Changes, body: Extract<Change, { change: Name }>) => unknown;
} = {
  addTask: (change, { task }) => change.addTask(task),
  deleteTask: (change, { taskId }) => change.deleteTask(taskId),
  addAction: (change, { taskId, action }) => change.addAction(taskId, action),
  deleteAction: (change, { taskId, actionId }) => change.deleteAction(taskId, actionId),
  setProperty: (change, { taskId, actionId, name, value }) => change.setProperty(taskId, actionId, name, value),
  deleteProperty: (change, { taskId, actionId, name }) => change.deleteProperty(taskId, actionId, name),
  setLoopItems: (change, { taskId, actionId, loopItems, loopType }) =>
    change.setLoopItems(taskId, actionId, loopItems, loopType),
  setStartUrls: (change, { taskId, urls }) => change.setStartUrls(taskId, urls),
  insertRows: (change, { taskId, rows, lotNo }) => ({ lotNo: change.insertRows(taskId, rows, lotNo) }),
  startRun: (change, { taskId }) => ({ lotNo: change.startRun(taskId) }),
  stopRun: (change, { lotNo }) => change.stopRun(lotNo),
  continueRun: (change, { lotNo }) => change.continueRun(lotNo),
  setSubtaskStatus: (change, { lotNo, status, subTaskIds }) => change.setSubtaskStatus(lotNo, status, subTaskIds),
  holdRuns: (change) => change.holdRuns(),
  releaseRuns: (change) => change.releaseRuns(),
  addAccount: (change, { name }) => ({ credentials: change.addAccount(name) }),
};

export const changeHandlers: { change: AdminHandler<"change"> } = {
  change({ change }, { body }) {
    // The check against admin.openapi.yaml has ensured that the fields are those of the change.
    const make = changes[body.change] as (change: Changes, body: Change) => ChangeResult | undefined;
    return make(change, body) ?? {};
  },
};
