import type { AdoptedAction, AdoptedTask } from "../../resources/adopt/adoptedTask";
import { secretValue } from "../../resources/adopt/adoptedTask";

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

export type Value = string | number | boolean | readonly string[] | Fields | SecretVariable;

/** A value that the files do not contain: it comes from a secret of the configuration. */
export class SecretVariable {
  /** @param isList whether the value is a list of strings in JSON */
  constructor(
    readonly name: string,
    private readonly isList: boolean,
  ) {}

  /** What a program in TypeScript reads it with. */
  get reader(): string {
    return `config.${this.isList ? "requireSecretObject<string[]>" : "requireSecret"}(${JSON.stringify(this.name)})`;
  }

  /** How to set it. */
  get command(): string {
    return `pulumi config set --secret ${this.name}${this.isList ? ", as a list in JSON" : ""}`;
  }
}

export function isFields(value: Value): value is Fields {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof SecretVariable);
}

/** A task as a writer of files takes it. */
export interface Declared {
  name: string;
  /** What the task was called before its name was changed. */
  originalName?: string;
  fields: Fields;
}

/** The first line of a declaration. */
export function headOf({ name, originalName }: Declared): string {
  const original = originalName === undefined ? "" : ` Original name: "${originalName}".`;
  return comment(`Task "${name}", written by webextract adopt.${original}`);
}

/** The file of a list; undefined if the list is short enough to stand in the declaration. */
export type ItemsFileOf = (name: string, action: AdoptedAction) => string | undefined;

/**
 * The arguments of the ExtractionTask.
 * @param taken the names of the variables that other declarations have: one program reads all of them
 */
export function declarationOf(
  { name, task }: { name: string; task: AdoptedTask },
  itemsFileOf: ItemsFileOf,
  taken: Set<string>,
): Fields {
  const variableOf: VariableOf = (parts, isList) => new SecretVariable(variableName([name, ...parts], taken), isList);
  const fields: Field[] = [{ name: "from", value: { fields: [{ name: "adoptTaskId", value: task.taskId }] } }];
  if (task.profile !== undefined) {
    fields.push({ name: "profile", value: task.profile });
  }
  if (task.actions.length > 0) {
    const actions = task.actions.map((action) => actionField(action, itemsFileOf(name, action), variableOf));
    fields.push({ name: "actions", value: { fields: actions } });
  }
  return { fields, after: [...task.notes.map(comment), startUrlsNote] };
}

const startUrlsNote =
  "The API does not show the start URLs of a task. They stay as they are. If you declare startUrls, the next up uploads them.";

type VariableOf = (parts: readonly string[], isList: boolean) => SecretVariable;

/** A name that manifests and keys of the configuration can have, and no other variable has. */
function variableName(parts: readonly string[], taken: Set<string>): string {
  const words = parts
    .flatMap((part) => part.split(/[^A-Za-z\d_]+/))
    .filter((word) => word !== "")
    .join("-");
  const wanted = /^[A-Za-z]/.test(words) ? words : `task-${words}`;
  let name = wanted;
  for (let count = 2; taken.has(name); count++) {
    name = `${wanted}-${count}`;
  }
  taken.add(name);
  return name;
}

function actionField(action: AdoptedAction, itemsFile: string | undefined, variableOf: VariableOf): Field {
  const { actionId, actionType, title, properties, loop, notes } = action;
  const fields: Field[] = [{ name: "actionType", value: actionType }];
  if (properties.size > 0) {
    const values = [...properties].map(([name, value]) => ({
      name,
      value: value === secretValue ? variableOf([actionId, name], false) : value,
    }));
    fields.push({ name: "properties", value: { fields: values } });
  }
  if (loop !== undefined) {
    const items = loop.items === secretValue ? variableOf([actionId, "items"], true) : loop.items;
    const list: Field =
      itemsFile === undefined ? { name: "items", value: items } : { name: "itemsFile", value: itemsFile };
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
