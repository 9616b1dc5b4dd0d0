import type { ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import { Refusal } from "../errors";
import type * as described from "../generated/admin";
import type { PlaceOf } from "./yamlFile";

/** Plan of the account. */
export const plans = ["free", "professional", "enterprise"] as const;
export type Plan = (typeof plans)[number];

/** An action of a task of the seed. */
export interface SeedAction extends described.SeedAction {}

/** A task of the seed, usually a template to copy. */
export interface SeedTask extends described.SeedTask {}

/** A task group. */
export interface SeedTaskGroup extends described.SeedTaskGroup {}

/** Credentials of the account. */
export interface SeedCredentials extends described.SeedCredentials {}

/** What the emulator holds at its first start. */
export interface Seed extends described.Seed {}

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: { type: "string" } };
const object = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: "object",
  required,
  additionalProperties: false,
  properties,
});

const actionFields = {
  actionType: text,
  actionId: text,
  name: text,
  properties: { type: "object", additionalProperties: { type: "string" } },
  loopType: text,
  loopItems: texts,
};
const action = object(actionFields, ["actionType", "actionId"]);
const taskFields = {
  taskId: text,
  taskGroupId: text,
  name: text,
  startUrls: texts,
  urlsPerSubtask: { type: "integer", minimum: 1 },
  syntheticRows: { type: "integer", minimum: 0 },
  syntheticSubtasks: { type: "integer", minimum: 1 },
  actions: { type: "array", items: action },
};

/** What a seed, or a change of what it has made, can hold. */
const schemas = {
  seed: object(
    {
      credentials: object({ accessToken: text, refreshToken: text, apiKey: text }),
      plan: { enum: plans },
      taskGroups: { type: "array", items: object({ taskGroupId: text, name: text }, ["taskGroupId"]) },
      tasks: { type: "array", items: object(taskFields, ["taskId", "taskGroupId", "actions"]) },
    },
    ["taskGroups", "tasks"],
  ),
  task: object(taskFields, ["taskId", "taskGroupId", "actions"]),
  action,
  /** Some fields of a task or an action that exists. */
  change: object({ ...taskFields, ...actionFields }),
};

const validators = new Map<keyof typeof schemas, ValidateFunction>();

/** Every problem of the form of a value with its path, but no values, because a seed can hold credentials. */
function problemsOf(kind: keyof typeof schemas, value: unknown, placeOf: PlaceOf = () => undefined): string[] {
  const validate =
    validators.get(kind) ?? new Ajv2020({ allErrors: true, meta: false, validateSchema: false }).compile(schemas[kind]);
  validators.set(kind, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const extra = error.params.additionalProperty ?? error.params.allowedValues;
    const path = error.instancePath.split("/").slice(1).map(unescaped);
    const unknown = error.params.additionalProperty;
    const place = unknown === undefined ? placeOf(path) : placeOf([...path, String(unknown)], "key");
    const where = [place, wordsOf(path)].flatMap((part) => (part === undefined ? [] : [`${part}: `])).join("");
    return `${where}${error.instancePath || "/"} ${error.message ?? "is wrong"}${extra === undefined ? "" : ` (${String(extra)})`}`;
  });
}

/** A part of a JSON pointer. */
function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** An item of each list, in words. */
const items: Record<string, string> = {
  taskGroups: "task group",
  tasks: "task",
  actions: "action",
  startUrls: "start URL",
  loopItems: "loop item",
};

/** A path in words, such as "task 2, action 1"; undefined if it has no lists. */
function wordsOf(path: readonly string[]): string | undefined {
  const words = path.flatMap((part, index) => {
    const item = items[path[index - 1] ?? ""];
    if (item !== undefined) return [`${item} ${Number(part) + 1}`];
    if (path[index - 1] === "properties") return [`property ${part}`];
    return [];
  });
  return words.length === 0 ? undefined : words.join(", ");
}

function refuse(subject: string, problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Refusal("InvalidParameter", `${subject} is not valid:\n- ${problems.join("\n- ")}`);
  }
}

/**
 * Checks a seed.
 * @param placeOf says where a value is in its file, for the messages.
 * @throws Error that lists every problem with its path, but no values, because a seed can hold credentials.
 */
export function checkSeed(value: unknown, placeOf?: PlaceOf): Seed {
  refuse("the seed", problemsOf("seed", value, placeOf));
  const seed = value as Seed;
  const groups = new Set(seed.taskGroups.map((group) => group.taskGroupId));
  refuse("the seed", [
    ...repeated(seed.taskGroups.map((group) => group.taskGroupId)).map((id) => `task group ${id} is there twice`),
    ...repeated(seed.tasks.map((task) => task.taskId)).map((id) => `task ${id} is there twice`),
    ...seed.tasks.flatMap((task) => [
      ...repeatedActions(task),
      ...(groups.has(task.taskGroupId) ? [] : [`task ${task.taskId} is in the unknown group ${task.taskGroupId}`]),
    ]),
  ]);
  return seed;
}

/** Checks a task that is added. @throws Error that lists every problem. */
export function checkNewTask(task: SeedTask, exists: boolean): void {
  refuse("the task", problemsOf("task", task));
  refuse("the task", [...repeatedActions(task), ...(exists ? [`task ${task.taskId} is there already`] : [])]);
}

/** Checks an action that is added to a task. @throws Error that lists every problem. */
export function checkNewAction(taskId: string, added: SeedAction, present: readonly { actionId: string }[]): void {
  refuse("the action", problemsOf("action", added));
  refuse("the action", repeatedActions({ taskId, actions: [...present, added] }));
}

/** Checks new values of a task or an action. @throws Error that lists every problem. */
export function checkFields(fields: Partial<SeedTask & SeedAction>): void {
  refuse("the change", problemsOf("change", fields));
}

/** The contradictions in the actions of a task. */
export function repeatedActions({
  taskId,
  actions,
}: {
  taskId: string;
  actions: readonly { actionId: string }[];
}): string[] {
  return repeated(actions.map((each) => each.actionId)).map((id) => `task ${taskId} has action ${id} twice`);
}

/** The ids that are there more than once. */
export function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))];
}

/** The default seed: one group and one template with an action of each kind. */
export function defaultSeed(): Seed {
  return {
    taskGroups: [{ taskGroupId: "demo-group", name: "Demo" }],
    tasks: [
      {
        taskId: "demo-template",
        taskGroupId: "demo-group",
        name: "Template: list pages, their details, and the next page",
        actions: [
          {
            actionType: "NavigateAction",
            actionId: "navigate",
            name: "Open the page",
            properties: { Url: "http://127.0.0.1:8080/", Timeout: "30" },
          },
          { actionType: "LoopAction", actionId: "pages", name: "Each page", loopType: "UrlList", loopItems: [] },
          {
            actionType: "ExtractDataAction",
            actionId: "extract",
            name: "Read the fields",
            properties: { "Field.title": "title", "Field.heading": "h1" },
          },
        ],
      },
    ],
  };
}
