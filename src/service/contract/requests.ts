import { errorOf } from "../errors/errorText";
import type { UploadSource } from "../http/uploadSource";
import { isRecord } from "../isRecord";
import type { CredentialScheme } from "../options";
import type { Operation, OperationName } from "./operations";
import { operations } from "./operations";

/** A checked request, ready to be sent any number of times. */
export interface PreparedRequest {
  readonly operation: Operation;
  readonly credential: Operation["credential"];
  /** Path below the base address, with the query. */
  readonly path: string;
  readonly json?: string;
  readonly upload?: { readonly taskId: string; readonly file: UploadSource };
  /** Whether sending it again leaves what sending it once leaves. */
  readonly mayRepeat: boolean;
  readonly taskId?: string;
  readonly taskGroupId?: string;
}

type Problem = string | undefined;
type Check = (value: unknown, path: string) => Problem;

const id: Check = (value, path) =>
  typeof value === "string" && value.trim() !== "" ? undefined : `${path} must be a text that is not empty.`;
const text: Check = (value, path) => (typeof value === "string" ? undefined : `${path} must be a text.`);
const flag: Check = (value, path) => (typeof value === "boolean" ? undefined : `${path} must be true or false.`);
const atLeast =
  (least: number): Check =>
  (value, path) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? undefined
      : `${path} must be an integer of at least ${least}.`;
const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list.`;
    for (const [index, entry] of value.entries()) {
      const problem = check(entry, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);
const shape =
  (fields: Record<string, Check>): Check =>
  (value, path) => {
    if (!isRecord(value)) return `${path} must be an object.`;
    for (const [name, check] of Object.entries(fields)) {
      const problem = check(value[name], path === "" ? name : `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

const properties = listOf(shape({ name: text, value: text }));
const loopItems = { actionId: id, loopType: text, loopItems: listOf(text), isAppend: flag };
const uploadSource: Check = (value, path) =>
  isRecord(value) && typeof value.open === "function" ? undefined : `${path} must have a function open.`;
const taskOnly = { taskId: id };
const subtasks = { taskId: id, subTaskIds: listOf(id) };

/** The fields of each request, spelled as on the wire; nothing else of what a caller passes is sent. */
const requestFields: { readonly [Name in OperationName]: Record<string, Check> } = {
  refreshToken: { refresh_token: id, grant_type: text },
  updateTaskParameters: {
    taskId: id,
    actions: listOf(
      shape({
        actionType: text,
        actionId: id,
        properties: optional(properties),
        loopItems: optional(shape(loopItems)),
      }),
    ),
  },
  updateTaskUrls: { taskId: id, file: uploadSource },
  updateActionProperties: { taskId: id, actions: listOf(shape({ actionType: text, actionId: id, properties })) },
  updateLoopItems: { taskId: id, ...loopItems },
  getActions: { taskIds: listOf(id), actionTypes: listOf(text) },
  startTask: taskOnly,
  startSubtasks: subtasks,
  stopSubtasks: subtasks,
  getSubtasks: { taskId: id, page: atLeast(1), size: atLeast(1) },
  getBatchData: { taskId: id, lotno: id, offset: atLeast(0), size: atLeast(1) },
  getData: { taskId: id, offset: atLeast(0), size: atLeast(1) },
  getNotExportedData: { taskId: id, size: atLeast(1) },
  markExported: taskOnly,
  removeData: taskOnly,
  copyTask: { taskId: id, taskGroupId: id },
};

export interface WireChoices {
  credentials: CredentialScheme;
  refreshPath: string;
}

/** @throws ServiceError `invalidRequest`, naming the field. */
export function prepare(name: OperationName, request: object, choices: WireChoices): PreparedRequest {
  const operation: Operation = operations[name];
  const fields = requestFields[name];
  const given: Record<string, unknown> = { ...request };
  const problem = shape(fields)(given, "");
  const sent: [string, unknown][] = Object.keys(fields).map((field) => [field, given[field]]);
  const path = name === "refreshToken" ? choices.refreshPath : operation.path;
  const scheme =
    operation.credential === "none" || choices.credentials === "contract" ? operation.credential : choices.credentials;
  const prepared = {
    operation,
    credential: scheme,
    path: operation.sends === "query" ? `${path}?${queryOf(sent)}` : path,
    mayRepeat: operation.repeat === "repeatable" || (operation.repeat === "unlessAppending" && !appends(given)),
    taskId: taskOf(given),
    taskGroupId: typeof given.taskGroupId === "string" ? given.taskGroupId : undefined,
  };
  if (problem !== undefined) {
    throw errorOf(prepared, { kind: "invalidRequest", outcome: "notExecuted", problem: `not sent: ${problem}` });
  }
  if (operation.sends === "json") return { ...prepared, json: JSON.stringify(Object.fromEntries(sent)) };
  if (operation.sends === "query") return prepared;
  return { ...prepared, upload: { taskId: String(given.taskId), file: given.file as UploadSource } };
}

function queryOf(fields: [string, unknown][]): string {
  return fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
}

/** Of a request about many tasks, for a text that can be read. */
const mostTasksNamed = 5;

function taskOf(given: Record<string, unknown>): string | undefined {
  if (typeof given.taskId === "string") return given.taskId;
  if (!Array.isArray(given.taskIds) || given.taskIds.length === 0) return undefined;
  const more = given.taskIds.length - mostTasksNamed;
  return given.taskIds.slice(0, mostTasksNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** What is not plainly "replace" counts as an append: the contract leaves the default open. */
function appends(given: Record<string, unknown>): boolean {
  if (!Array.isArray(given.actions)) return given.isAppend !== false;
  return given.actions.some(
    (action) => isRecord(action) && isRecord(action.loopItems) && action.loopItems.isAppend !== false,
  );
}
