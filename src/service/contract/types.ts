/**
 * Requests and responses of the service, spelled as on the wire (source: openapi.yaml).
 *
 * What the contract does not show stays open: free-form objects are `Record<string, unknown>`, statuses and action
 * types are `string`.
 */

import type { Readable } from "node:stream";

/** Carried by every response. */
export interface Envelope {
  /** The service's id of the request, for its support. Empty if the response to a success has none, as from older services. */
  requestId: string;
}

/** Every response that returns content carries it in `data`. */
export interface DataEnvelope<T> extends Envelope {
  /** The content. */
  data: T;
}

/** A name/value pair of an action. Names and allowed values are the service's own. */
export interface ActionProperty {
  /** Name of the property. */
  name: string;
  /** Its value, always a string. */
  value: string;
}

/** The properties of one action to write. */
export interface ActionPropertiesUpdate {
  /** Type of the action, as the service names it. */
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
  /** Type of the items, for example a URL list or a text list. */
  loopType: string;
  /** The items, in this order. */
  loopItems: string[];
  /** true appends to the list on the service, false replaces it. */
  isAppend: boolean;
}

/** One action of {@link UpdateTaskParametersRequest}: properties, loop items, or both. */
export interface ActionParametersUpdate {
  /** Type of the action, as the service names it. */
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
  /** The refresh token of the previous response. */
  refresh_token: string;
  /** Always `refresh_token`. */
  grant_type: "refresh_token";
}

/** `data` of the response to a token refresh. */
export interface TokenPair {
  /** The access token for all further calls. */
  access_token: string;
  /** The contract shows an integer without a unit; services of this kind send seconds, some as a string. */
  expires_in: number | string;
  /** Type of the token, usually Bearer. */
  token_type: string;
  /** The refresh token for the next refresh; the previous one can be invalid now. */
  refresh_token: string;
}

/** Of the operations that take only a task. Requests with more fields extend it. */
export interface TaskRequest {
  /** The task. */
  taskId: string;
}

/** Of `POST /task/updateTaskParameters`. */
export interface UpdateTaskParametersRequest extends TaskRequest {
  /** The changes, one entry for each action. */
  actions: ActionParametersUpdate[];
}

/** `data` of the response to an update of parameters. */
export interface UpdatedTaskParameters {
  /** The task. */
  taskId: string;
  /** What was written, in a format of the service. */
  updatedParameters: Record<string, unknown>;
}

/** A file to upload. It is opened again for each attempt. */
export interface UploadSource {
  /** File name that is sent. Default `urls.txt`. */
  name?: string;
  /** Length in bytes, if known: sent as part of Content-Length, and compared with what was read. */
  size?: number;
  /** SHA-256 of the content in hex, if known: a file that has changed since is never sent to its end. */
  sha256?: string;
  /** Opens the file at its beginning. */
  open: () => Readable;
}

/** The start URLs of a task: a text file with one URL per line, which replaces the list. */
export interface UpdateTaskUrlsRequest extends TaskRequest {
  /** The file. */
  file: UploadSource;
}

/** Of `POST /task/updateActionProperties`. */
export interface UpdateActionPropertiesRequest extends TaskRequest {
  /** The changes, one entry for each action. */
  actions: ActionPropertiesUpdate[];
}

/** Of `POST /task/updateLoopItems`. */
export interface UpdateLoopItemsRequest extends LoopItemsUpdate {
  /** The task. */
  taskId: string;
}

/** `data` of the two update operations that respond with a message. */
export interface MessageData {
  /** The service's message. */
  message: string;
}

/** Of `POST /task/getActions`. */
export interface GetActionsRequest {
  /** The tasks. */
  taskIds: string[];
  /** The types of the actions to return. Services treat an empty list differently. */
  actionTypes: string[];
}

/** The actions of one task. Their fields are not part of the contract. */
export interface TaskActions {
  /** The task. */
  taskId: string;
  /** Its actions of these types, in a format of the service. */
  actions: Record<string, unknown>[];
}

/** `data` of the response to a start. */
export interface StartedRun {
  /** Batch number, always a string: a double cannot hold 18 digits. */
  lotNo: string;
  /** The status of the run, as the service names it. Empty if the response has none. */
  status: string;
}

/** Of `POST /cloudextraction/subtasks:start` and `subtasks:stop`. */
export interface SubtasksRequest extends TaskRequest {
  /** The subtasks. */
  subTaskIds: string[];
}

/** Of `GET /cloudextraction/task/subtasks`. */
export interface GetSubtasksRequest extends TaskRequest {
  /** Starts from 1. */
  page: number;
  /** Subtasks per page. */
  size: number;
}

/** One part of a run. */
export interface Subtask {
  /** Its id. */
  subTaskId: string;
  /** Its status, as the service names it. Upper and lower case can differ between responses. */
  status: string;
}

/** Of `GET /data/all`. */
export interface GetDataRequest extends TaskRequest {
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
export interface GetNotExportedDataRequest extends TaskRequest {
  /** Number of rows to return. */
  size: number;
}

/** One extracted row. Its fields are the task's. */
export type Row = Record<string, unknown>;

/** `data` of the two reads by offset. */
export interface DataPage {
  /** The rows. */
  data: Row[];
  /** Number of rows, as the service counts them. */
  total: number;
  /** Number of rows after this page, as the service counts them. */
  restTotal: number;
  /** The requested offset, the next one, or a cursor, depending on the service. */
  offset: number;
}

/** `data` of the read of rows that are not exported. */
export interface NotExportedPage {
  /** The rows. */
  data: Row[];
  /** Number of rows that are not exported, as the service counts them. */
  total: number;
  /** Number of rows in this response, as the service counts them. */
  current: number;
}

/** Of `POST /task/copy`. */
export interface CopyTaskRequest {
  /** The task to duplicate. */
  taskId: string;
  /** The destination group. */
  taskGroupId: string;
}

/** `data` of the response to a copy. */
export interface CopiedTask {
  /** The identifier of the new task. */
  taskId: string;
}
