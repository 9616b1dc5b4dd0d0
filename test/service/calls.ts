import { Readable } from "node:stream";
import type { OperationName, ServiceClient } from "../../src/service";

export interface ExampleCall {
  send: (client: ServiceClient) => Promise<unknown>;
  /** `data` of a valid response; absent if the contract promises only the requestId. */
  data?: unknown;
}

export const urls = "https://a.example/1\nhttps://a.example/2\n";

/** One valid call of each operation, with a response that follows the contract. */
export const exampleCalls: { [Name in OperationName]: ExampleCall } = {
  refreshToken: {
    send: (client) => client.refreshToken({ refresh_token: "r-0", grant_type: "refresh_token" }),
    data: { access_token: "a-1", expires_in: 86399, token_type: "Bearer", refresh_token: "r-1" },
  },
  updateTaskParameters: {
    send: (client) =>
      client.updateTaskParameters({
        taskId: "t 1",
        actions: [
          {
            actionType: "LoopAction",
            actionId: "a1",
            properties: [{ name: "n", value: "v" }],
            loopItems: { actionId: "a1", loopType: "TextList", loopItems: ["x", "ü"], isAppend: false },
          },
        ],
      }),
    data: { taskId: "t 1", updatedParameters: { a1: "done" } },
  },
  updateTaskUrls: {
    send: (client) =>
      client.updateTaskUrls({
        taskId: "t 1",
        file: { size: urls.length, open: () => Readable.from([Buffer.from(urls)]) },
      }),
  },
  updateActionProperties: {
    send: (client) =>
      client.updateActionProperties({
        taskId: "t 1",
        actions: [
          { actionType: "NavigateAction", actionId: "a1", properties: [{ name: "Url", value: "https://a.example/" }] },
        ],
      }),
    data: { message: "done" },
  },
  updateLoopItems: {
    send: (client) =>
      client.updateLoopItems({
        taskId: "t 1",
        actionId: "a1",
        loopType: "TextList",
        loopItems: ["x"],
        isAppend: false,
      }),
    data: { message: "done" },
  },
  getActions: {
    send: (client) => client.getActions({ taskIds: ["t 1"], actionTypes: ["LoopAction"] }),
    data: [{ taskId: "t 1", actions: [{ actionType: "LoopAction", actionId: "a1" }] }],
  },
  startTask: {
    send: (client) => client.startTask({ taskId: "t 1" }),
    data: { lotNo: "638755274101861606", status: "waiting" },
  },
  startSubtasks: { send: (client) => client.startSubtasks({ taskId: "t 1", subTaskIds: ["s1", "s2"] }) },
  stopSubtasks: { send: (client) => client.stopSubtasks({ taskId: "t 1", subTaskIds: ["s1"] }) },
  getSubtasks: {
    send: (client) => client.getSubtasks({ taskId: "t 1", page: 1, size: 20 }),
    data: [{ subTaskId: "s1", status: "Finished" }],
  },
  getBatchData: {
    send: (client) => client.getBatchData({ taskId: "t 1", lotno: "638755274101861606", offset: 0, size: 10 }),
    data: { data: [{ a: "1" }], total: 1, restTotal: 0, offset: 0 },
  },
  getData: {
    send: (client) => client.getData({ taskId: "t 1", offset: 5, size: 10 }),
    data: { data: [{ a: "1" }], total: 6, restTotal: 0, offset: 5 },
  },
  getNotExportedData: {
    send: (client) => client.getNotExportedData({ taskId: "t 1", size: 10 }),
    data: { data: [{ a: "1" }], total: 1, current: 1 },
  },
  markExported: { send: (client) => client.markExported({ taskId: "t 1" }) },
  removeData: { send: (client) => client.removeData({ taskId: "t 1" }) },
  copyTask: { send: (client) => client.copyTask({ taskId: "t 1", taskGroupId: "g&2" }), data: { taskId: "t 2" } },
};

export const operationNames = Object.keys(exampleCalls) as OperationName[];

/** The body of a valid response to an operation. */
export function goodAnswer(name: OperationName): Record<string, unknown> {
  const { data } = exampleCalls[name];
  return data === undefined ? { requestId: "q-1" } : { requestId: "q-1", data };
}
