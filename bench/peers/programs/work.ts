import { readFileSync } from "node:fs";

/** The work of every peer. Its programs import this file; what they are to do stands in `declared.json` beside it. */
export interface Work {
  /** Tasks, each a copy of the template. */
  tasks: number;
  /** Counts the changes of the first task's property. */
  revision: number;
}

export const template = { sourceTaskId: "template-1", taskGroupId: "group-1" };
export const openActionId = "open";
export const actionType = "NavigateAction";
export const propertyName = "Url";
export const loopActionId = "each";
export const loopType = "UrlList";

const itemsOfTask = 50;

/** What one task is to hold. */
export interface DeclaredTask {
  name: string;
  /** Value of the property of its action. */
  url: string;
  items: string[];
}

export function declaredTasks({ tasks, revision }: Work): DeclaredTask[] {
  return Array.from({ length: tasks }, (_, index) => ({
    name: `task-${index}`,
    url: `https://shop.test/${index}${index === 0 && revision > 0 ? `?revision=${revision}` : ""}`,
    items: Array.from({ length: itemsOfTask }, (_, item) => `https://shop.test/${index}/${item}`),
  }));
}

/** The work that the program in whose folder this runs is told to do. */
export function workOfProgram(): DeclaredTask[] {
  return declaredTasks(JSON.parse(readFileSync("declared.json", "utf8")) as Work);
}
