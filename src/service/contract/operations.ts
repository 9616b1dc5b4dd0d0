/**
 * The 16 operations of the service, in the contract's order: one row each. Everything that the client does for one operation and not for
 * another is decided here.
 */

/** Name of an operation: the method of `ServiceClient`, and the `operationId` in openapi.yaml. */
export type OperationName =
  | "refreshToken"
  | "updateTaskParameters"
  | "updateTaskUrls"
  | "updateActionProperties"
  | "updateLoopItems"
  | "getActions"
  | "startTask"
  | "startSubtasks"
  | "stopSubtasks"
  | "getSubtasks"
  | "getBatchData"
  | "getData"
  | "getNotExportedData"
  | "markExported"
  | "removeData"
  | "copyTask";

/** What the client knows of one operation. */
export interface Operation {
  /** Its name in this package. */
  readonly name: OperationName;
  /** HTTP method. */
  readonly method: "GET" | "POST";
  /** Relative to the base address. */
  readonly path: string;
  /** What authenticates it. `none`: the body carries the refresh token. */
  readonly credential: "none" | "apiKey" | "bearer";
  /** Where the request's fields travel. */
  readonly sends: "json" | "query" | "multipart";
  /** Shape of `data` in the answer; `none`: only the requestId is promised. */
  readonly answers: "object" | "array" | "none";
  /** What the contract says of plans; `unknown`: not shown. */
  readonly plan: "all" | "professional" | "unknown";
  /**
   * May a request be sent again when nobody knows whether the first one took effect? `repeatable`: the same request twice leaves what one
   * leaves. `once`: it does not (a second copy, a second paid run, items twice), so only a refusal that proves that nothing
   * happened allows another try. `unlessAppending`: `once` where the request appends loop items.
   */
  readonly repeat: "repeatable" | "once" | "unlessAppending";
  /**
   * A service may hand out each row only once: on a kept connection that it is just closing, it could do so into the void. Such a
   * request goes on a connection of its own although it may be repeated.
   */
  readonly handsOut?: true;
}

const read = { repeat: "repeatable", plan: "unknown", credential: "bearer" } as const;
const write = { method: "POST", sends: "json", credential: "bearer" } as const;

/** An operation under its own name. */
export interface NamedOperation<Name extends OperationName> extends Operation {
  /** Its name in this package. */
  readonly name: Name;
}

/** The 16 operations by name. */
export const operations: { readonly [Name in OperationName]: NamedOperation<Name> } = {
  refreshToken: {
    ...write,
    name: "refreshToken",
    path: "/token",
    credential: "none",
    answers: "object",
    plan: "all",
    repeat: "once",
  },
  updateTaskParameters: {
    ...write,
    name: "updateTaskParameters",
    path: "/task/updateTaskParameters",
    answers: "object",
    plan: "unknown",
    repeat: "unlessAppending",
  },
  updateTaskUrls: {
    ...write,
    name: "updateTaskUrls",
    path: "/task/urls:file",
    credential: "apiKey",
    sends: "multipart",
    answers: "none",
    plan: "professional",
    repeat: "repeatable",
  },
  updateActionProperties: {
    ...write,
    name: "updateActionProperties",
    path: "/task/updateActionProperties",
    answers: "object",
    plan: "unknown",
    repeat: "repeatable",
  },
  updateLoopItems: {
    ...write,
    name: "updateLoopItems",
    path: "/task/updateLoopItems",
    answers: "object",
    plan: "unknown",
    repeat: "unlessAppending",
  },
  getActions: {
    ...read,
    name: "getActions",
    method: "POST",
    path: "/task/getActions",
    sends: "json",
    answers: "array",
  },
  startTask: {
    ...write,
    name: "startTask",
    path: "/cloudextraction/start",
    answers: "object",
    plan: "professional",
    repeat: "once",
  },
  startSubtasks: {
    ...write,
    name: "startSubtasks",
    path: "/cloudextraction/subtasks:start",
    answers: "none",
    plan: "professional",
    repeat: "repeatable",
  },
  stopSubtasks: {
    ...write,
    name: "stopSubtasks",
    path: "/cloudextraction/subtasks:stop",
    answers: "none",
    plan: "professional",
    repeat: "repeatable",
  },
  getSubtasks: {
    ...read,
    name: "getSubtasks",
    method: "GET",
    path: "/cloudextraction/task/subtasks",
    sends: "query",
    answers: "array",
  },
  getBatchData: {
    ...read,
    name: "getBatchData",
    method: "GET",
    path: "/data/lotno/all",
    sends: "query",
    answers: "object",
  },
  getData: { ...read, name: "getData", method: "GET", path: "/data/all", sends: "query", answers: "object" },
  getNotExportedData: {
    ...read,
    name: "getNotExportedData",
    method: "GET",
    path: "/data/notexported",
    sends: "query",
    answers: "object",
    handsOut: true,
  },
  markExported: {
    ...write,
    name: "markExported",
    path: "/data/markexported",
    answers: "none",
    plan: "unknown",
    repeat: "once",
  },
  removeData: { ...write, name: "removeData", path: "/data/remove", answers: "none", plan: "unknown", repeat: "once" },
  copyTask: {
    ...write,
    name: "copyTask",
    path: "/task/copy",
    sends: "query",
    answers: "object",
    plan: "unknown",
    repeat: "once",
  },
};
