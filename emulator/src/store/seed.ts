import Ajv2020 from "ajv/dist/2020";
import { Refusal } from "../errors";

/** Plan of the account. */
export type Plan = "free" | "professional" | "enterprise";

/** An action of a task of the seed. */
export interface SeedAction {
  /** Kind of action. The README lists those with an effect. */
  actionType: string;
  /** Id within the task. */
  actionId: string;
  /** Display name. */
  name?: string;
  /** Properties by name. Default: none. */
  properties?: Record<string, string>;
  /** Kind of a loop: UrlList, TextList or another string. */
  loopType?: string;
  /** Items of the loop. Default: none. */
  loopItems?: string[];
}

/** A task of the seed, usually a template to copy. */
export interface SeedTask {
  /** Id of the task. */
  taskId: string;
  /** Its group, one of `taskGroups`. */
  taskGroupId: string;
  /** Display name. */
  name?: string;
  /** Start URLs. Default: none. */
  startUrls?: string[];
  /** Actions, in their order. */
  actions: SeedAction[];
  /** Number of start pages in each subtask of a run. Default 3. */
  urlsPerSubtask?: number;
  /** A run generates this number of rows and opens no page. For measurements. */
  syntheticRows?: number;
  /** Number of subtasks that generate these rows. Default 1. */
  syntheticSubtasks?: number;
}

/** A task group. */
export interface SeedTaskGroup {
  /** Id of the group. */
  taskGroupId: string;
  /** Display name. */
  name?: string;
}

/** Credentials of the account. */
export interface SeedCredentials {
  /** For `Authorization: Bearer …`. Default: random. */
  accessToken?: string;
  /** For `POST /token`. Default: random. */
  refreshToken?: string;
  /** For `x-api-key: …`. Default: random. */
  apiKey?: string;
}

/** What the emulator holds at its first start. */
export interface Seed {
  /** Credentials of the account. Default: random. */
  credentials?: SeedCredentials;
  /** Plan of the account. Default enterprise. */
  plan?: Plan;
  /** The groups. */
  taskGroups: SeedTaskGroup[];
  /** The tasks. */
  tasks: SeedTask[];
}

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: { type: "string" } };
const schema = {
  type: "object",
  required: ["taskGroups", "tasks"],
  additionalProperties: false,
  properties: {
    credentials: {
      type: "object",
      additionalProperties: false,
      properties: { accessToken: text, refreshToken: text, apiKey: text },
    },
    plan: { enum: ["free", "professional", "enterprise"] },
    taskGroups: {
      type: "array",
      items: {
        type: "object",
        required: ["taskGroupId"],
        additionalProperties: false,
        properties: { taskGroupId: text, name: text },
      },
    },
    tasks: {
      type: "array",
      items: {
        type: "object",
        required: ["taskId", "taskGroupId", "actions"],
        additionalProperties: false,
        properties: {
          taskId: text,
          taskGroupId: text,
          name: text,
          startUrls: texts,
          urlsPerSubtask: { type: "integer", minimum: 1 },
          syntheticRows: { type: "integer", minimum: 0 },
          syntheticSubtasks: { type: "integer", minimum: 1 },
          actions: {
            type: "array",
            items: {
              type: "object",
              required: ["actionType", "actionId"],
              additionalProperties: false,
              properties: {
                actionType: text,
                actionId: text,
                name: text,
                properties: { type: "object", additionalProperties: { type: "string" } },
                loopType: text,
                loopItems: texts,
              },
            },
          },
        },
      },
    },
  },
};

/**
 * Checks a seed.
 * @throws Error that lists every problem with its path, but no values, because a seed can hold credentials.
 */
export function checkSeed(value: unknown): Seed {
  const validate = new Ajv2020({ allErrors: true, meta: false, validateSchema: false }).compile<Seed>(schema);
  const problems = validate(value)
    ? contradictions(value)
    : (validate.errors ?? []).map((error) => {
        const extra = error.params.additionalProperty ?? error.params.allowedValues;
        return `${error.instancePath || "/"} ${error.message ?? "is wrong"}${extra === undefined ? "" : ` (${String(extra)})`}`;
      });
  if (problems.length > 0) throw new Refusal("InvalidParameter", `the seed is not valid:\n- ${problems.join("\n- ")}`);
  return value as Seed;
}

function contradictions(seed: Seed): string[] {
  const groups = seed.taskGroups.map((group) => group.taskGroupId);
  const knownGroups = new Set(groups);
  const taskIds = seed.tasks.map((task) => task.taskId);
  return [
    ...repeated(groups).map((id) => `task group ${id} is there twice`),
    ...repeated(taskIds).map((id) => `task ${id} is there twice`),
    ...seed.tasks.flatMap((task) => [
      ...repeated(task.actions.map((action) => action.actionId)).map(
        (id) => `task ${task.taskId} has action ${id} twice`,
      ),
      ...(knownGroups.has(task.taskGroupId) ? [] : [`task ${task.taskId} is in the unknown group ${task.taskGroupId}`]),
    ]),
  ];
}

function repeated(ids: readonly string[]): string[] {
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
