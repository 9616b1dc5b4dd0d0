import type { AdoptedAction, AdoptedTask } from "./adoptedTask";

/** A declaration before it is written in a language: ordered fields with comments. */
export interface Fields {
  fields: Field[];
  /** Comments after the last field. */
  after?: readonly string[];
}

export interface Field {
  name: string;
  value: Value;
  /** Comments before the field. */
  comments?: readonly string[];
}

export type Value = string | number | boolean | readonly string[] | Fields;

export function isFields(value: Value): value is Fields {
  return typeof value === "object" && !Array.isArray(value);
}

/** A task with the name of its resource. */
export interface NamedTask {
  name: string;
  task: AdoptedTask;
}

/** The file of a list; undefined if the list is short enough to stand in the declaration. */
export type ItemsFileOf = (name: string, action: AdoptedAction) => string | undefined;

/** The arguments of the ExtractionTask. */
export function declarationOf({ name, task }: NamedTask, itemsFileOf: ItemsFileOf): Fields {
  const fields: Field[] = [{ name: "from", value: { fields: [{ name: "adoptTaskId", value: task.taskId }] } }];
  if (task.actions.length > 0) {
    const actions = task.actions.map((action) => actionField(action, itemsFileOf(name, action)));
    fields.push({ name: "actions", value: { fields: actions } });
  }
  return { fields, after: [...task.notes.map(comment), startUrlsNote] };
}

const startUrlsNote =
  "The API does not show the start URLs of a task. They stay as they are. If you declare startUrls, the next up uploads them.";

function actionField(action: AdoptedAction, itemsFile: string | undefined): Field {
  const { actionId, actionType, title, properties, loop, notes } = action;
  const fields: Field[] = [{ name: "actionType", value: actionType }];
  if (properties.size > 0) {
    const values = [...properties].map(([name, value]) => ({ name, value }));
    fields.push({ name: "properties", value: { fields: values } });
  }
  if (loop !== undefined) {
    const list: Field =
      itemsFile === undefined ? { name: "items", value: loop.items } : { name: "itemsFile", value: itemsFile };
    fields.push({ name: "loop", value: { fields: [{ name: "loopType", value: loop.loopType }, list] } });
  }
  const comments = [...(title === undefined ? [] : [title]), ...notes].map(comment);
  return { name: actionId, value: { fields }, comments };
}

const longestComment = 300;

/** A comment is one line: names from the service could otherwise end it. */
export function comment(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, " ").trim();
  return line.length > longestComment ? `${line.slice(0, longestComment)}…` : line;
}
