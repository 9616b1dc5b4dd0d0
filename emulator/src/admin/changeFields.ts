import type { components } from "../generated/admin";

type Change = components["schemas"]["Change"];
export type ChangeName = Change["change"];
export type ChangeResult = components["schemas"]["ChangeResult"];

/** For each member of `Changes`, the fields of the body of `POST /__emulator/changes` that are its arguments, in their order. */
export const changeFields: {
  readonly [Name in ChangeName]: readonly Exclude<keyof Extract<Change, { change: Name }>, "change">[];
} = {
  addTask: ["task"],
  deleteTask: ["taskId"],
  addAction: ["taskId", "action"],
  deleteAction: ["taskId", "actionId"],
  setProperty: ["taskId", "actionId", "name", "value"],
  deleteProperty: ["taskId", "actionId", "name"],
  setLoopItems: ["taskId", "actionId", "loopItems", "loopType"],
  setStartUrls: ["taskId", "urls"],
  insertRows: ["taskId", "rows", "lotNo"],
  startRun: ["taskId"],
  stopRun: ["lotNo"],
  continueRun: ["lotNo"],
  setSubtaskStatus: ["lotNo", "status", "subTaskIds"],
  holdRuns: [],
  releaseRuns: [],
  addAccount: ["name"],
};

/** The field of the response that is the result, of those that have one. */
export const changeResults: { readonly [Name in ChangeName]?: keyof ChangeResult } = {
  insertRows: "lotNo",
  startRun: "lotNo",
  addAccount: "credentials",
};
