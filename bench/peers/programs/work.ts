import { readFileSync } from "node:fs";

/** The work of every peer. The programs of the peers import this file, and read their parameters from `declared.json` beside it. */
export interface Work {
  /** Number of tasks, each a copy of the template. */
  tasks: number;
  /** Number of changes to the property of the first task. */
  revision: number;
}

export const template = { sourceTaskId: "template-1", taskGroupId: "group-1" };
export const openActionId = "open";
export const actionType = "NavigateAction";
export const propertyName = "Url";
export const loopActionId = "each";
export const loopType = "UrlList";

const itemsOfTask = 50;

/** The settings of one task. */
export interface TaskOfWork {
  name: string;
  /** Value of the property of its action. */
  url: string;
  items: string[];
}

export function tasksOfWork({ tasks, revision }: Work): TaskOfWork[] {
  return Array.from({ length: tasks }, (_, index) => ({
    name: `task-${index}`,
    url: `https://shop.test/${index}${index === 0 && revision > 0 ? `?revision=${revision}` : ""}`,
    items: Array.from({ length: itemsOfTask }, (_, item) => `https://shop.test/${index}/${item}`),
  }));
}

/** Reads the work of the program in the current folder. */
export function workOfProgram(): TaskOfWork[] {
  return tasksOfWork(JSON.parse(readFileSync("declared.json", "utf8")) as Work);
}
