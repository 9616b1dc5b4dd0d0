/**
 * Requests and responses of the service, spelled as on the wire (source: openapi.yaml).
 *
 * What the contract leaves open stays open here: free-form objects are `Record<string, unknown>`, statuses and action types are `string`.
 */

import type { Readable } from "node:stream";

/** Carried by every response. */
export interface Envelope {
  /** The service's id of the request, for its support. */
  requestId: string;
}

/** Every response that returns content carries it in `data`. */
export interface DataEnvelope<T> extends Envelope {
  /** What was asked for. */
  data: T;
}

/** A name/value pair of an action. Names and allowed values are the service's own. */
export interface ActionProperty {
  /** Name of the property. */
  name: string;
  /** Its value. Always text. */
  value: string;
}

/** The properties of one action to write. */
export interface ActionPropertiesUpdate {
  /** Kind of action, as the service names it. */
  actionType: string;
  /** The action's id within the task. */
  actionId: string;
  /** The properties to write; others stay as they are. */
  properties: ActionProperty[];
}

/** A list of loop items to write to one action. */
export interface LoopItemsUpdate {
  /** The action that loops. */
  actionId: string;
  /** Kind of item, for example a URL list or a text list. */
  loopType: string;
  /** The items, in this order. */
  loopItems: string[];
  /** true appends to the list on the service, false replaces it. */
  isAppend: boolean;
}

/** One action of {@link UpdateTaskParametersRequest}: properties, loop items, or both. */
export interface ActionParametersUpdate {
  /** Kind of action, as the service names it. */
  actionType: string;
  /** The action's id within the task. */
  actionId: string;
  /** The properties to write; others stay as they are. */
  properties?: ActionProperty[];
  /** The loop's items to write. */
  loopItems?: LoopItemsUpdate;
}

/** Of `POST /token`. */
export interface RefreshTokenRequest {
  /** The refresh token of the answer before. */
  refresh_token: string;
  /** Always this word. */
  grant_type: "refresh_token";
}

/** `data` of the answer to a token refresh. */
export interface TokenPair {
  /** For all calls from now on. */
  access_token: string;
  /** The contract shows an integer without a unit; services of this kind send seconds, some as text. */
  expires_in: number | string;
  /** Kind of token, mostly Bearer. */
  token_type: string;
  /** For the next refresh; the one before may be worthless now. */
  refresh_token: string;
}

/** Of `POST /task/updateTaskParameters`. */
export interface UpdateTaskParametersRequest {
  /** The task. */
  taskId: string;
  /** What to write, an entry for each action. */
  actions: ActionParametersUpdate[];
}

/** `data` of the answer to an update of parameters. */
export interface UpdatedTaskParameters {
  /** The task. */
  taskId: string;
  /** What was written, in a form of the service's own. */
  updatedParameters: Record<string, unknown>;
}

/** A file to upload. It is opened anew for each try, so that a request can be sent again. */
export interface UploadSource {
  /** File name that the service is told. Default `urls.txt`. */
  name?: string;
  /** Length in bytes, if known: sent as Content-Length and held against what was read. */
  size?: number;
  /** SHA-256 of the content in hex, if known: a file that is no longer the one that was checked is never sent to its end. */
  sha256?: string;
  /** Opens the file at its beginning. */
  open: () => Readable;
}

/** Start URLs of a task: a text file with a URL a line, which takes the place of the list. */
export interface UpdateTaskUrlsRequest {
  /** The task. */
  taskId: string;
  /** The file. */
  file: UploadSource;
}

/** Of `POST /task/updateActionProperties`. */
export interface UpdateActionPropertiesRequest {
  /** The task. */
  taskId: string;
  /** What to write, an entry for each action. */
  actions: ActionPropertiesUpdate[];
}

/** Of `POST /task/updateLoopItems`. */
export interface UpdateLoopItemsRequest extends LoopItemsUpdate {
  /** The task. */
  taskId: string;
}

/** `data` of the two update operations that answer with a text. */
export interface MessageData {
  /** The service's words. */
  message: string;
}

/** Of `POST /task/getActions`. */
export interface GetActionsRequest {
  /** The tasks. */
  taskIds: string[];
  /** Kinds of action that are wanted. What an empty list means differs between services. */
  actionTypes: string[];
}

/** The actions of one task. Their fields are not part of the contract. */
export interface TaskActions {
  /** The task. */
  taskId: string;
  /** Its actions of the kinds asked for, in a form of the service's own. */
  actions: Record<string, unknown>[];
}

/** Of the operations that take a task and nothing else. */
export interface TaskRequest {
  /** The task. */
  taskId: string;
}

/** `data` of the answer to a start. */
export interface StartedRun {
  /** Batch number. Always text: 18 digits do not fit a double. */
  lotNo: string;
  /** The service's word for where the run stands. */
  status: string;
}

/** Of `POST /cloudextraction/subtasks:start` and `subtasks:stop`. */
export interface SubtasksRequest {
  /** The task. */
  taskId: string;
  /** The subtasks. */
  subTaskIds: string[];
}

/** Of `GET /cloudextraction/task/subtasks`. */
export interface GetSubtasksRequest {
  /** The task. */
  taskId: string;
  /** Starts from 1. */
  page: number;
  /** Subtasks a page. */
  size: number;
}

/** One part of a run. */
export interface Subtask {
  /** Its id. */
  subTaskId: string;
  /** The service's word for where it stands. Its case may differ between answers. */
  status: string;
}

/** Of `GET /data/all`. */
export interface GetDataRequest {
  /** The task. */
  taskId: string;
  /** Row offset, 0-indexed. */
  offset: number;
  /** Number of rows to return. */
  size: number;
}

/** Of `GET /data/lotno/all`. */
export interface GetBatchDataRequest extends GetDataRequest {
  /** The `lotNo` of the start; the query parameter is spelled `lotno`. */
  lotno: string;
}

/** Of `GET /data/notexported`. */
export interface GetNotExportedDataRequest {
  /** The task. */
  taskId: string;
  /** Number of rows to return. */
  size: number;
}

/** One extracted row. Its fields are the task's. */
export type Row = Record<string, unknown>;

/** `data` of the two reads by offset. */
export interface DataPage {
  /** The rows. */
  data: Row[];
  /** Rows that there are, by the service's count. */
  total: number;
  /** Rows that are still to come, by the service's count. */
  restTotal: number;
  /** The offset asked for, the next one, or a cursor, as the service has it. */
  offset: number;
}

/** `data` of the read of what is not exported. */
export interface NotExportedPage {
  /** The rows. */
  data: Row[];
  /** Rows that are not exported, by the service's count. */
  total: number;
  /** Rows in this answer, by the service's count. */
  current: number;
}

/** Of `POST /task/copy`. */
export interface CopyTaskRequest {
  /** The task to duplicate. */
  taskId: string;
  /** The destination group. */
  taskGroupId: string;
}

/** `data` of the answer to a copy. */
export interface CopiedTask {
  /** The identifier of the new task. */
  taskId: string;
}
