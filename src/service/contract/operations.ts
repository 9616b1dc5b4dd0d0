/**
 * The 16 operations of the service, in the contract's order. All differences between operations are in these entries:
 * the client's methods, the checks of requests and responses, and the rules for retries derive from them.
 */
import type { Kind, Shape } from "../../values/kinds";
import { anything, boolean, choice, freeMap, id, integer, list } from "../../values/kinds";
import type * as types from "./types";

/** The description of one operation. */
export interface Operation<Request, Response> {
  /** HTTP method. */
  readonly method: "GET" | "POST";
  /** Relative to the base address. */
  readonly path: string;
  /** What authenticates it. `none`: the body carries the refresh token. */
  readonly credential: "none" | "apiKey" | "bearer";
  /** Where the request's fields are sent. */
  readonly sends: "json" | "query" | "multipart";
  /** The plan that the contract requires. `notShown`: the contract does not show it. */
  readonly plan: "all" | "professional" | "notShown";
  /**
   * Whether a request can be sent again if it is unknown whether the first one took effect. `repeatable`: two equal
   * requests have the effect of one. `once`: two requests have two effects (a second copy, a second paid run, items
   * twice), so the request is sent again only after a refusal that proves that nothing happened. `unlessAppending`:
   * `once` if the request appends loop items, otherwise `repeatable`.
   */
  readonly repeat: "repeatable" | "once" | "unlessAppending";
  /**
   * Set if a service can return each row only once. The request uses a new connection: a kept connection that is just
   * closing could lose the rows.
   */
  readonly returnsOnce?: true;
  /** `data` of a response that says in words that the change was made, and has no data. */
  readonly doneData?: (request: Readonly<Record<string, unknown>>) => unknown;
  /** What `data: null` means. Absent: a breach of the contract. */
  readonly nullData?: unknown;
  /**
   * The field of `data` that names what the request has made. If it is there, other strings can be missing: what was
   * made must not be lost because of them.
   */
  readonly madeId?: string;
  /**
   * What may exist after a lost response of a request that is not sent again, how to check, and how to continue. `task`
   * is for people.
   */
  readonly ifLost?: (task: string, taskGroupId: string | undefined) => string;
  /** Members of the request whose strings are the caller's own; all others name something of the service's. */
  readonly values?: readonly string[];
  /** The request's fields, spelled as on the wire; no other field is sent. */
  readonly request: Shape;
  /** The response. */
  readonly response: Shape;
  /**
   * For the compiler only.
   * @internal
   */
  readonly types?: { request: Request; response: Response };
}

interface Entry<Request, Response> extends Operation<Request, Response> {
  readonly request: Kind<Request>;
  readonly response: Kind<Response>;
}

function operation<Request, Response>(entry: Entry<Request, Response>): Operation<Request, Response> {
  return entry;
}

const read = { method: "GET", sends: "query", credential: "bearer", plan: "notShown", repeat: "repeatable" } as const;
const write = { method: "POST", sends: "json", credential: "bearer", plan: "notShown" } as const;

/**
 * The kinds of an object's fields. Of a request, only these are sent. The compiler compares them with the interface
 * that callers see.
 */
type Kinds<T> = { readonly [Name in keyof T]-?: Kind<Exclude<T[Name], undefined>> };

function object<T extends object>(kinds: Kinds<T>, optional: readonly (keyof T)[] = []): Kind<T> {
  const fields = Object.entries(kinds as Record<string, Shape>).map(([name, kind]) => {
    return [name, { kind, required: !optional.includes(name as keyof T) }];
  });
  return { is: "object", fields: Object.fromEntries(fields), others: "dropped" };
}

/** An object in a response. Fields that are not in the contract are kept unchanged. */
function response<T extends object>(kinds: Kinds<T>): Kind<T> {
  return { ...object(kinds), others: "kept" } as Kind<T>;
}

const string: Kind<string> = { is: "string", mayBeEmpty: true };
const listOf = <T>(item: Kind<T>): Kind<T[]> => list(item, { mayBeEmpty: true });
const size = integer(1);
const offset = integer(0);

const properties = listOf(object<types.ActionProperty>({ name: string, value: string }));
const loopItems = { actionId: id, loopType: string, loopItems: listOf(string), isAppend: boolean };
const parametersUpdate = object<types.ActionParametersUpdate>(
  { actionType: string, actionId: id, properties, loopItems: object<types.LoopItemsUpdate>(loopItems) },
  ["properties", "loopItems"],
);
const propertiesUpdate = object<types.ActionPropertiesUpdate>({ actionType: string, actionId: id, properties });

const done = response<types.Envelope>({ requestId: string });
const data = <T>(kind: Kind<T>) =>
  response<types.DataEnvelope<T>>({ requestId: string, data: kind as Kind<Exclude<T, undefined>> });
const message = {
  response: data(response<types.MessageData>({ message: string })),
  doneData: () => ({ message: "" }),
};
const appended = (task: string) =>
  `The items may now be appended to the list of ${task}. Check with getActions before you append again, or write the whole list with isAppend false, which may be repeated.`;
const ofTask = object<types.TaskRequest>({ taskId: id });
const subtasks = {
  ...write,
  plan: "professional",
  repeat: "repeatable",
  request: object<types.SubtasksRequest>({ taskId: id, subTaskIds: listOf(id) }),
  response: done,
} as const;
const rows = listOf(freeMap);
const page = data(response<types.DataPage>({ data: rows, total: integer(), restTotal: integer(), offset: integer() }));

/** The 16 operations by name: the `operationId` in openapi.yaml, and the method of `ServiceClient`. */
export const operations = {
  /**
   * Gets a new pair of tokens: `POST /token`. The client continues to use its own tokens. The caller keeps the returned
   * ones.
   */
  refreshToken: operation<types.RefreshTokenRequest, types.DataEnvelope<types.TokenPair>>({
    ...write,
    path: "/token",
    credential: "none",
    plan: "all",
    repeat: "once",
    ifLost: () =>
      "The refresh token may be invalid now, and the new one lost. Try again once. If the token is refused, a new refresh token must be issued.",
    values: ["refresh_token"],
    request: object({ refresh_token: id, grant_type: choice("refresh_token") }),
    response: data(
      response<types.TokenPair>({
        access_token: id,
        expires_in: anything as Kind<number | string>,
        token_type: string,
        refresh_token: id,
      }),
    ),
  }),
  /**
   * Writes properties and loop items of several actions in one request: `POST /task/updateTaskParameters`. After a lost
   * response it is sent again only if it appends to no list.
   */
  updateTaskParameters: operation<types.UpdateTaskParametersRequest, types.DataEnvelope<types.UpdatedTaskParameters>>({
    ...write,
    path: "/task/updateTaskParameters",
    repeat: "unlessAppending",
    ifLost: appended,
    values: ["value", "loopItems"],
    request: object({ taskId: id, actions: listOf(parametersUpdate) }),
    response: data(response<types.UpdatedTaskParameters>({ taskId: id, updatedParameters: freeMap })),
    doneData: ({ taskId }) => ({ taskId, updatedParameters: {} }),
  }),
  /**
   * Replaces a task's start URLs with those in a file, which is streamed: `POST /task/urls:file`. Needs `apiKey`, and a
   * Professional or Enterprise plan.
   */
  updateTaskUrls: operation<types.UpdateTaskUrlsRequest, types.Envelope>({
    ...write,
    path: "/task/urls:file",
    credential: "apiKey",
    sends: "multipart",
    plan: "professional",
    repeat: "repeatable",
    request: object({ taskId: id, file: freeMap as Kind<types.UploadSource> }),
    response: done,
  }),
  /**
   * Writes properties of actions: `POST /task/updateActionProperties`. Properties that are not named stay as they are.
   */
  updateActionProperties: operation<types.UpdateActionPropertiesRequest, types.DataEnvelope<types.MessageData>>({
    ...write,
    path: "/task/updateActionProperties",
    repeat: "repeatable",
    values: ["value"],
    request: object({ taskId: id, actions: listOf(propertiesUpdate) }),
    ...message,
  }),
  /**
   * Writes the items of one loop: `POST /task/updateLoopItems`. After a lost response it is sent again only with
   * `isAppend: false`.
   */
  updateLoopItems: operation<types.UpdateLoopItemsRequest, types.DataEnvelope<types.MessageData>>({
    ...write,
    path: "/task/updateLoopItems",
    repeat: "unlessAppending",
    ifLost: appended,
    values: ["loopItems"],
    request: object({ taskId: id, ...loopItems }),
    ...message,
  }),
  /** Gets the actions of tasks, of the given types: `POST /task/getActions`. */
  getActions: operation<types.GetActionsRequest, types.DataEnvelope<types.TaskActions[]>>({
    ...read,
    method: "POST",
    path: "/task/getActions",
    sends: "json",
    request: object({ taskIds: listOf(id), actionTypes: listOf(string) }),
    response: data(listOf(response<types.TaskActions>({ taskId: id, actions: listOf(freeMap) }))),
  }),
  /**
   * Starts a run in the cloud: `POST /cloudextraction/start`. A run can cost money, so the request is never sent again
   * after a lost response. Needs a Professional or Enterprise plan.
   */
  startTask: operation<types.TaskRequest, types.DataEnvelope<types.StartedRun>>({
    ...write,
    path: "/cloudextraction/start",
    plan: "professional",
    repeat: "once",
    ifLost: (task) =>
      `A run of ${task} may have started, and may be billed. Check before you start another one: after a start, getSubtasks shows new subtasks, or subtasks in progress. The service's own interface shows the batch number (lotNo), which gives access to the run's data.`,
    request: ofTask,
    response: data(response<types.StartedRun>({ lotNo: id, status: string })),
    madeId: "lotNo",
  }),
  /** Starts subtasks: `POST /cloudextraction/subtasks:start`. Needs a Professional or Enterprise plan. */
  startSubtasks: operation<types.SubtasksRequest, types.Envelope>({
    ...subtasks,
    path: "/cloudextraction/subtasks:start",
  }),
  /** Stops subtasks: `POST /cloudextraction/subtasks:stop`. Needs a Professional or Enterprise plan. */
  stopSubtasks: operation<types.SubtasksRequest, types.Envelope>({
    ...subtasks,
    path: "/cloudextraction/subtasks:stop",
  }),
  /** Gets one page of a task's subtasks: `GET /cloudextraction/task/subtasks`. `allSubtasks` gets all of them. */
  getSubtasks: operation<types.GetSubtasksRequest, types.DataEnvelope<types.Subtask[]>>({
    ...read,
    path: "/cloudextraction/task/subtasks",
    request: object({ taskId: id, page: size, size }),
    response: data(listOf(response<types.Subtask>({ subTaskId: id, status: string }))),
    nullData: [],
  }),
  /** Gets one page of a batch's rows, parsed: `GET /data/lotno/all`. `rows` gets all of them, as they were sent. */
  getBatchData: operation<types.GetBatchDataRequest, types.DataEnvelope<types.DataPage>>({
    ...read,
    path: "/data/lotno/all",
    request: object({ taskId: id, lotno: id, offset, size }),
    response: page,
  }),
  /** Gets one page of a task's rows, parsed: `GET /data/all`. `rows` gets all of them, as they were sent. */
  getData: operation<types.GetDataRequest, types.DataEnvelope<types.DataPage>>({
    ...read,
    path: "/data/all",
    request: object({ taskId: id, offset, size }),
    response: page,
  }),
  /**
   * Gets rows that are not marked as exported, parsed: `GET /data/notexported`. Most services return the same rows
   * until they are marked; some return each row once.
   */
  getNotExportedData: operation<types.GetNotExportedDataRequest, types.DataEnvelope<types.NotExportedPage>>({
    ...read,
    path: "/data/notexported",
    returnsOnce: true,
    request: object({ taskId: id, size }),
    response: data(response<types.NotExportedPage>({ data: rows, total: integer(), current: integer() })),
  }),
  /**
   * Marks data as exported: `POST /data/markexported`. By the contract these are all rows of the task, read or not.
   * Never sent again after a lost response.
   */
  markExported: operation<types.TaskRequest, types.Envelope>({
    ...write,
    path: "/data/markexported",
    repeat: "once",
    ifLost: (task) =>
      `The data of ${task} may now be marked as exported. Check the total of getNotExportedData, and mark again only if all rows are safely written.`,
    request: ofTask,
    response: done,
  }),
  /** Removes all rows of a task permanently: `POST /data/remove`. Never sent again after a lost response. */
  removeData: operation<types.TaskRequest, types.Envelope>({
    ...write,
    path: "/data/remove",
    repeat: "once",
    ifLost: (task) => `The data of ${task} may now be removed. Check the total of getData with size 1.`,
    request: ofTask,
    response: done,
  }),
  /**
   * Copies a task into a group: `POST /task/copy`. Never sent again after a lost response, because the service can
   * neither list nor delete tasks.
   */
  copyTask: operation<types.CopyTaskRequest, types.DataEnvelope<types.CopiedTask>>({
    ...write,
    path: "/task/copy",
    sends: "query",
    repeat: "once",
    ifLost: (task, group = "(not named)") =>
      `A copy of ${task} may now exist in group ${group}. The API cannot list tasks: look for the copy in the service's own interface. If it exists, use its id instead of copying again.`,
    request: object({ taskId: id, taskGroupId: id }),
    response: data(response<types.CopiedTask>({ taskId: id })),
    madeId: "taskId",
  }),
};

/** Name of an operation: the `operationId` in openapi.yaml, and the method of `ServiceClient`. */
export type OperationName = keyof typeof operations;

/** The response of an operation. */
export type ResponseOf<Name extends OperationName> =
  (typeof operations)[Name] extends Operation<infer _, infer Response> ? Response : never;
