/**
 * The 16 operations of the service, in the contract's order. All differences between operations are in these entries: the client's methods,
 * the checks of requests and responses, and the rules for retries derive from them.
 */
import type { Field, Fields } from "./fields";
import {
  atLeast,
  boolean,
  constant,
  file,
  freeObject,
  id,
  integer,
  listOf,
  object,
  optional,
  responseId,
  responseObject,
  seconds,
  string,
} from "./fields";
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
   * Whether a request can be sent again if it is unknown whether the first one took effect. `repeatable`: two equal requests have the
   * effect of one. `once`: two requests have two effects (a second copy, a second paid run, items twice), so the request is sent again only
   * after a refusal that proves that nothing happened. `unlessAppending`: `once` if the request appends loop items, otherwise `repeatable`.
   */
  readonly repeat: "repeatable" | "once" | "unlessAppending";
  /**
   * Set if a service can return each row only once. The request uses a new connection: a kept connection that is just closing could lose
   * the rows.
   */
  readonly returnsOnce?: true;
  /** The request's fields, spelled as on the wire; no other field is sent. */
  readonly request: Fields<Request>;
  /** The response. */
  readonly response: Field<Response>;
}

function operation<Request, Response>(entry: Operation<Request, Response>): Operation<Request, Response> {
  return entry;
}

const read = { repeat: "repeatable", plan: "notShown", credential: "bearer" } as const;
const write = { method: "POST", sends: "json", credential: "bearer" } as const;

const properties = listOf(object<types.ActionProperty>({ name: string, value: string }));
const loopItems = { actionId: id, loopType: string, loopItems: listOf(string), isAppend: boolean };
const parametersUpdate = object<types.ActionParametersUpdate>({
  actionType: string,
  actionId: id,
  properties: optional(properties),
  loopItems: optional(object<types.LoopItemsUpdate>(loopItems)),
});
const propertiesUpdate = object<types.ActionPropertiesUpdate>({ actionType: string, actionId: id, properties });

const done = responseObject<types.Envelope>({ requestId: string });
const data = <T>(field: Field<T>) => responseObject<types.DataEnvelope<T>>({ requestId: string, data: field });
const message = data(responseObject<types.MessageData>({ message: string }));
const rows = listOf(freeObject);
const page = data(responseObject<types.DataPage>({ data: rows, total: integer, restTotal: integer, offset: integer }));

/** The 16 operations by name: the `operationId` in openapi.yaml, and the method of `ServiceClient`. */
export const operations = {
  /** Gets a new pair of tokens: `POST /token`. The client continues to use its own tokens. The caller keeps the returned ones. */
  refreshToken: operation<types.RefreshTokenRequest, types.DataEnvelope<types.TokenPair>>({
    ...write,
    path: "/token",
    credential: "none",
    plan: "all",
    repeat: "once",
    request: { refresh_token: id, grant_type: constant("refresh_token") },
    response: data(
      responseObject<types.TokenPair>({
        access_token: responseId,
        expires_in: seconds,
        token_type: string,
        refresh_token: responseId,
      }),
    ),
  }),
  /**
   * Writes properties and loop items of several actions in one request: `POST /task/updateTaskParameters`. After a lost response it is sent
   * again only if it appends to no list.
   */
  updateTaskParameters: operation<types.UpdateTaskParametersRequest, types.DataEnvelope<types.UpdatedTaskParameters>>({
    ...write,
    path: "/task/updateTaskParameters",
    plan: "notShown",
    repeat: "unlessAppending",
    request: { taskId: id, actions: listOf(parametersUpdate) },
    response: data(responseObject<types.UpdatedTaskParameters>({ taskId: responseId, updatedParameters: freeObject })),
  }),
  /**
   * Replaces a task's start URLs with those in a file, which is streamed: `POST /task/urls:file`. Needs `apiKey`, and a Professional or
   * Enterprise plan.
   */
  updateTaskUrls: operation<types.UpdateTaskUrlsRequest, types.Envelope>({
    ...write,
    path: "/task/urls:file",
    credential: "apiKey",
    sends: "multipart",
    plan: "professional",
    repeat: "repeatable",
    request: { taskId: id, file },
    response: done,
  }),
  /** Writes properties of actions: `POST /task/updateActionProperties`. Properties that are not named stay as they are. */
  updateActionProperties: operation<types.UpdateActionPropertiesRequest, types.DataEnvelope<types.MessageData>>({
    ...write,
    path: "/task/updateActionProperties",
    plan: "notShown",
    repeat: "repeatable",
    request: { taskId: id, actions: listOf(propertiesUpdate) },
    response: message,
  }),
  /** Writes the items of one loop: `POST /task/updateLoopItems`. After a lost response it is sent again only with `isAppend: false`. */
  updateLoopItems: operation<types.UpdateLoopItemsRequest, types.DataEnvelope<types.MessageData>>({
    ...write,
    path: "/task/updateLoopItems",
    plan: "notShown",
    repeat: "unlessAppending",
    request: { taskId: id, ...loopItems },
    response: message,
  }),
  /** Gets the actions of tasks, of the given types: `POST /task/getActions`. */
  getActions: operation<types.GetActionsRequest, types.DataEnvelope<types.TaskActions[]>>({
    ...read,
    method: "POST",
    path: "/task/getActions",
    sends: "json",
    request: { taskIds: listOf(id), actionTypes: listOf(string) },
    response: data(listOf(responseObject<types.TaskActions>({ taskId: responseId, actions: listOf(freeObject) }))),
  }),
  /**
   * Starts a run in the cloud: `POST /cloudextraction/start`. A run can cost money, so the request is never sent again after a lost
   * response. Needs a Professional or Enterprise plan.
   */
  startTask: operation<types.TaskRequest, types.DataEnvelope<types.StartedRun>>({
    ...write,
    path: "/cloudextraction/start",
    plan: "professional",
    repeat: "once",
    request: { taskId: id },
    response: data(responseObject<types.StartedRun>({ lotNo: responseId, status: string })),
  }),
  /** Starts subtasks: `POST /cloudextraction/subtasks:start`. Needs a Professional or Enterprise plan. */
  startSubtasks: operation<types.SubtasksRequest, types.Envelope>({
    ...write,
    path: "/cloudextraction/subtasks:start",
    plan: "professional",
    repeat: "repeatable",
    request: { taskId: id, subTaskIds: listOf(id) },
    response: done,
  }),
  /** Stops subtasks: `POST /cloudextraction/subtasks:stop`. Needs a Professional or Enterprise plan. */
  stopSubtasks: operation<types.SubtasksRequest, types.Envelope>({
    ...write,
    path: "/cloudextraction/subtasks:stop",
    plan: "professional",
    repeat: "repeatable",
    request: { taskId: id, subTaskIds: listOf(id) },
    response: done,
  }),
  /** Gets one page of a task's subtasks: `GET /cloudextraction/task/subtasks`. `allSubtasks` gets all of them. */
  getSubtasks: operation<types.GetSubtasksRequest, types.DataEnvelope<types.Subtask[]>>({
    ...read,
    method: "GET",
    path: "/cloudextraction/task/subtasks",
    sends: "query",
    request: { taskId: id, page: atLeast(1), size: atLeast(1) },
    response: data(listOf(responseObject<types.Subtask>({ subTaskId: responseId, status: string }))),
  }),
  /** Gets one page of a batch's rows, parsed: `GET /data/lotno/all`. `rows` gets all of them, as they were sent. */
  getBatchData: operation<types.GetBatchDataRequest, types.DataEnvelope<types.DataPage>>({
    ...read,
    method: "GET",
    path: "/data/lotno/all",
    sends: "query",
    request: { taskId: id, lotno: id, offset: atLeast(0), size: atLeast(1) },
    response: page,
  }),
  /** Gets one page of a task's rows, parsed: `GET /data/all`. `rows` gets all of them, as they were sent. */
  getData: operation<types.GetDataRequest, types.DataEnvelope<types.DataPage>>({
    ...read,
    method: "GET",
    path: "/data/all",
    sends: "query",
    request: { taskId: id, offset: atLeast(0), size: atLeast(1) },
    response: page,
  }),
  /**
   * Gets rows that are not marked as exported, parsed: `GET /data/notexported`. Most services return the same rows until they are marked;
   * some return each row once.
   */
  getNotExportedData: operation<types.GetNotExportedDataRequest, types.DataEnvelope<types.NotExportedPage>>({
    ...read,
    method: "GET",
    path: "/data/notexported",
    sends: "query",
    returnsOnce: true,
    request: { taskId: id, size: atLeast(1) },
    response: data(responseObject<types.NotExportedPage>({ data: rows, total: integer, current: integer })),
  }),
  /**
   * Marks data as exported: `POST /data/markexported`. By the contract these are all rows of the task, read or not. Never sent again after a
   * lost response.
   */
  markExported: operation<types.TaskRequest, types.Envelope>({
    ...write,
    path: "/data/markexported",
    plan: "notShown",
    repeat: "once",
    request: { taskId: id },
    response: done,
  }),
  /** Removes all rows of a task permanently: `POST /data/remove`. Never sent again after a lost response. */
  removeData: operation<types.TaskRequest, types.Envelope>({
    ...write,
    path: "/data/remove",
    plan: "notShown",
    repeat: "once",
    request: { taskId: id },
    response: done,
  }),
  /**
   * Copies a task into a group: `POST /task/copy`. Never sent again after a lost response, because the service can neither list nor delete
   * tasks.
   */
  copyTask: operation<types.CopyTaskRequest, types.DataEnvelope<types.CopiedTask>>({
    ...write,
    path: "/task/copy",
    sends: "query",
    plan: "notShown",
    repeat: "once",
    request: { taskId: id, taskGroupId: id },
    response: data(responseObject<types.CopiedTask>({ taskId: responseId })),
  }),
};

/** Name of an operation: the `operationId` in openapi.yaml, and the method of `ServiceClient`. */
export type OperationName = keyof typeof operations;

/** The response of an operation. */
export type ResponseOf<Name extends OperationName> =
  (typeof operations)[Name] extends Operation<infer _, infer Response> ? Response : never;
