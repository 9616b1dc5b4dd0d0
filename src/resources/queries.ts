import type { ServiceClient } from "../service/client";
import type { Row, Subtask, TaskActions } from "../service/contract/types";
import type { RowSource } from "../service/rows/rowPage";
import { ResourceError } from "../values/errors";
import { id, integer, list, string } from "../values/kinds";
import type { ArgsSpec } from "./args";
import { incompleteRead } from "./export/rowReader";

/** What a program can read of the service without managing it. */

/** Arguments of `getActions`. */
export interface GetActionsArgs {
  /** The ids of the tasks. The result has one entry for each. */
  taskIds: string[];
  /** The types of actions to return, as the service names them. */
  actionTypes: string[];
}

/** Arguments of `getSubtasks`. */
export interface GetSubtasksArgs {
  /** The id of the task. */
  taskId: string;
}

/** Arguments of `getData`. */
export interface GetDataArgs {
  /** The id of the task whose rows are read. */
  taskId: string;
  /** Index of the first row. Default 0. */
  offset?: number;
  /**
   * Maximum number of rows. Default 1000: the rows are kept in memory and in the state. For more rows, use a
   * DataExport.
   */
  maxRows?: number;
}

/** Arguments of `getBatchData`. */
export interface GetBatchDataArgs extends GetDataArgs {
  /** The lotNo of the run whose rows are read: the `id` of a CloudRun. */
  lotNo: string;
}

/** Arguments of `getNotExportedData`. */
export interface GetNotExportedDataArgs {
  /** The id of the task whose rows are read. */
  taskId: string;
  /** Maximum number of rows. Default 1000. */
  maxRows?: number;
}

/** Rows and how many there are. */
export interface GetDataResult {
  /** The rows, in the order of the service. An integer that a double cannot hold is a string. */
  rows: Row[];
  /** The total number of rows, as the service counts them. */
  total: number;
}

const defaultRows = 1000;

/** A read of the service that a program can call. */
export interface Query<Args, Result> {
  name: string;
  args: ArgsSpec<Args>;
  run(client: ServiceClient, args: Args): Promise<Result>;
}

const taskId = { kind: id, required: true } as const;
const lotNo = taskId;
const offset = { kind: integer(0) };
const maxRows = { kind: integer(1) };

export const actionsQuery: Query<GetActionsArgs, TaskActions[]> = {
  name: "getActions",
  args: { taskIds: { kind: list(id), required: true }, actionTypes: { kind: list(string), required: true } },
  run: async (client, { taskIds, actionTypes }) => (await client.getActions({ taskIds, actionTypes })).data,
};

export const subtasksQuery: Query<GetSubtasksArgs, Subtask[]> = {
  name: "getSubtasks",
  args: { taskId },
  run: (client, { taskId }) => client.allSubtasks(taskId),
};

export const dataQuery: Query<GetDataArgs, GetDataResult> = {
  name: "getData",
  args: { taskId, offset, maxRows },
  run: (client, { taskId, ...range }) => readRows(client, { taskId }, range),
};

export const batchDataQuery: Query<GetBatchDataArgs, GetDataResult> = {
  name: "getBatchData",
  args: { taskId, lotNo, offset, maxRows },
  run: (client, { taskId, lotNo, ...range }) => readRows(client, { taskId, lotNo }, range),
};

export const notExportedDataQuery: Query<GetNotExportedDataArgs, GetDataResult> = {
  name: "getNotExportedData",
  args: { taskId, maxRows },
  run: (client, { taskId, maxRows }) => readRows(client, { taskId, notExported: true }, { maxRows }),
};

/** @throws ResourceError if rows are missing or there twice */
async function readRows(
  client: ServiceClient,
  source: RowSource,
  { offset, maxRows = defaultRows }: { offset?: number; maxRows?: number },
): Promise<GetDataResult> {
  const rows: Row[] = [];
  let total = 0;
  for await (const page of client.rows(source, { offset, maxRows })) {
    // A page can have more rows than a call can have arguments.
    for (const row of page.objects()) {
      rows.push(row);
    }
    total = page.total;
    // The result has no place that says so, and a program cannot see that rows moved.
    if (page.gap !== undefined) {
      throw new ResourceError(incompleteRead(`Task "${source.taskId}"`, rows.length, total, page.gap));
    }
  }
  return { rows: rows.slice(0, maxRows), total };
}
