import type { AdoptedTask } from "../../../src/resources/adopt/adoptedTask";
import { secretValue } from "../../../src/resources/adopt/adoptedTask";

/** A value of a declaration. */
export type Value = string | number | boolean | string[] | SecretVariable | { [name: string]: Value };

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

  /** What to do, for a comment. */
  get remark(): string {
    const asList = this.isList ? ", as a list in JSON" : "";
    return `The variable ${this.name} is a secret. Set it with: pulumi config set --secret ${this.name}${asList}`;
  }
}

/** A task as a writer of files takes it. */
export interface Declaration {
  name: string;
  /** The arguments of the ExtractionTask. */
  args: { [name: string]: Value };
  /** Lines of comments, to stand before it. */
  comments: string[];
  variables: SecretVariable[];
}

/**
 * The declaration of a task.
 * @param itemsFileOf the file of an action's list; undefined if the list is to stand in the declaration
 * @param taken the names of the variables that other declarations have: one program reads all of them
 */
export function declarationOf(
  { name, originalName, task }: { name: string; originalName?: string; task: AdoptedTask },
  itemsFileOf: (actionId: string, items: readonly string[]) => string | undefined,
  taken: Set<string>,
): Declaration {
  const variables: SecretVariable[] = [];
  const secret = (parts: string[], isList: boolean): SecretVariable => {
    const words = [name, ...parts].flatMap((part) => part.split(/[^A-Za-z\d_]+/)).filter((word) => word !== "");
    const wanted = words.join("-");
    const variable = new SecretVariable(freeName(/^[A-Za-z]/.test(wanted) ? wanted : `task-${wanted}`, taken), isList);
    variables.push(variable);
    return variable;
  };
  const actions = task.actions.map(({ actionId, actionType, properties, loop }): [string, Value] => {
    const values = [...properties].map(([key, value]): [string, Value] => [
      key,
      value === secretValue ? secret([actionId, key], false) : value,
    ]);
    const action: Record<string, Value> = { actionType };
    if (values.length > 0) {
      action.properties = Object.fromEntries(values);
    }
    if (loop !== undefined) {
      const { loopType } = loop;
      const items = loop.items === secretValue ? secret([actionId, "items"], true) : [...loop.items];
      const itemsFile = items instanceof SecretVariable ? undefined : itemsFileOf(actionId, items);
      action.loop = itemsFile === undefined ? { loopType, items } : { loopType, itemsFile };
    }
    return [actionId, action];
  });
  const original = originalName === undefined ? "" : ` Original name: "${originalName}".`;
  const titles = task.actions.flatMap(({ actionId, title }) => (title ? [`Action "${actionId}": ${title}`] : []));
  return {
    name,
    args: {
      from: { adoptTaskId: task.taskId },
      ...(task.profile !== undefined && { profile: task.profile }),
      ...(actions.length > 0 && { actions: Object.fromEntries(actions) }),
    },
    comments: [
      `Task "${name}", written by webextract adopt.${original}`,
      ...titles,
      ...notesOf(task),
      "The API does not show the start URLs of a task. They stay as they are. If you declare startUrls, the next up uploads them.",
    ].map(comment),
    variables,
  };
}

/** What the declaration lacks, and what is to be checked. */
export function notesOf(task: AdoptedTask): string[] {
  return [
    ...task.notes,
    ...task.actions.flatMap(({ actionId, notes }) => notes.map((note) => `action "${actionId}": ${note}`)),
  ];
}

/** The wanted name, or the first of the form `name-2` that is not taken. It is taken then. */
export function freeName(
  wanted: string,
  taken: Set<string>,
  spelling = (name: string) => name,
  separator = "-",
): string {
  let name = wanted;
  for (let count = 2; taken.has(spelling(name)); count++) {
    name = `${wanted}${separator}${count}`;
  }
  taken.add(spelling(name));
  return name;
}

const longestComment = 300;

/** A comment is one line: names from the service could otherwise end it. */
export function comment(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, " ").trim();
  return line.length > longestComment ? `${line.slice(0, longestComment)}…` : line;
}
