/**
 * Requests and responses of the service, spelled as on the wire (source: openapi.yaml).
 *
 * What the contract leaves open stays open here: free-form objects are `Record<string, unknown>`, statuses and action types are `string`.
 */

/** Carried by every response. */
export interface Envelope {
  requestId: string;
}

/** Every response that returns content carries it in `data`. */
export interface DataEnvelope<T> extends Envelope {
  data: T;
}

/** A name/value pair of an action. Names and allowed values are the service's own. */
export interface ActionProperty {
  name: string;
  value: string;
}

/** The properties of one action to write. */
export interface ActionPropertiesUpdate {
  actionType: string;
  actionId: string;
  properties: ActionProperty[];
}

/** A list of loop items to write to one action. */
export interface LoopItemsUpdate {
  actionId: string;
  /** Kind of item, for example a URL list or a text list. */
  loopType: string;
  loopItems: string[];
  /** true appends to the list on the service, false replaces it. */
  isAppend: boolean;
}

/** One action of {@link UpdateTaskParametersRequest}: properties, loop items, or both. */
export interface ActionParametersUpdate {
  actionType: string;
  actionId: string;
  properties?: ActionProperty[];
  loopItems?: LoopItemsUpdate;
}

export interface RefreshTokenRequest {
  refresh_token: string;
  grant_type: "refresh_token";
}

export interface TokenPair {
  access_token: string;
  /** The contract shows an integer without a unit; services of this kind send seconds, some as text. */
  expires_in: number | string;
  token_type: string;
  refresh_token: string;
}

export interface UpdateTaskParametersRequest {
  taskId: string;
  actions: ActionParametersUpdate[];
}

export interface UpdatedTaskParameters {
  taskId: string;
  updatedParameters: Record<string, unknown>;
}

export interface UpdateActionPropertiesRequest {
  taskId: string;
  actions: ActionPropertiesUpdate[];
}

export interface UpdateLoopItemsRequest extends LoopItemsUpdate {
  taskId: string;
}

/** `data` of the two update operations that answer with a text. */
export interface MessageData {
  message: string;
}

export interface GetActionsRequest {
  taskIds: string[];
  actionTypes: string[];
}

/** The actions of one task. Their fields are not part of the contract. */
export interface TaskActions {
  taskId: string;
  actions: Record<string, unknown>[];
}

export interface TaskRequest {
  taskId: string;
}

export interface StartedRun {
  /** Batch number. Always text: 18 digits do not fit a double. */
  lotNo: string;
  status: string;
}

export interface SubtasksRequest {
  taskId: string;
  subTaskIds: string[];
}

export interface GetSubtasksRequest {
  taskId: string;
  /** Starts from 1. */
  page: number;
  /** Subtasks a page. */
  size: number;
}

export interface Subtask {
  subTaskId: string;
  status: string;
}

export interface GetDataRequest {
  taskId: string;
  /** Row offset, 0-indexed. */
  offset: number;
  /** Number of rows to return. */
  size: number;
}

export interface GetBatchDataRequest extends GetDataRequest {
  /** The `lotNo` of the start; the query parameter is spelled `lotno`. */
  lotno: string;
}

export interface GetNotExportedDataRequest {
  taskId: string;
  /** Number of rows to return. */
  size: number;
}

/** One extracted row. Its fields are the task's. */
export type Row = Record<string, unknown>;

/** `data` of the two reads by offset. */
export interface DataPage {
  data: Row[];
  total: number;
  restTotal: number;
  offset: number;
}

/** `data` of the read of what is not exported. */
export interface NotExportedPage {
  data: Row[];
  total: number;
  current: number;
}

export interface CopyTaskRequest {
  /** The task to duplicate. */
  taskId: string;
  /** The destination group. */
  taskGroupId: string;
}

export interface CopiedTask {
  /** The identifier of the new task. */
  taskId: string;
}
