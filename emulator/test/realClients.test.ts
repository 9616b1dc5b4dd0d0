import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { documentedBehaviour } from "webextract-emulator";
import { startWith } from "./caller";

/** A request in the form in which a public client of such services sends it. */
interface Case {
  sends: string;
  /** With `?` and a query, as the client writes it. */
  path: string;
  /** JSON, or a form with a file. Without one: a GET. */
  body?: object | FormData;
  /** Default: Bearer. */
  with?: "apiKey" | "both" | "none";
  /** Code and message of the refusal; absent if the request is taken. */
  refused?: [code: string, message: string];
  /** Looks at what a taken request did. */
  did?: (emulator: Emulator, data: unknown) => void;
}

const taskId = "template";
const upload = (name: string): FormData => {
  const form = new FormData();
  form.append("taskId", taskId);
  form.append(name, new Blob(["http://shop.test/1\n"]), "urls.txt");
  return form;
};
const url = {
  actionType: "NavigateAction",
  actionId: "open",
  properties: [{ name: "Url", value: "http://new.test/" }],
};
const loop = { actionId: "loop", loopType: "URLList", loopItems: ["http://new.test/1"], isAppend: false };
const itemsAre = (items: string[]) => (emulator: Emulator) =>
  assert.deepEqual(emulator.inspect.task(taskId)?.actions[1]?.loopItems, items);
const noOperation: [string, string] = ["NotFound", "there is no such operation"];

const cases: Case[] = [
  // The path and the names of parameters.
  { sends: "the contract's path", path: `/data/all?taskId=${taskId}&offset=0&size=1` },
  {
    sends: "the path of the subtasks in lower case, which is the contract's",
    path: `/cloudextraction/task/subtasks?taskId=${taskId}&page=1&size=20`,
  },
  {
    sends: "the update of parameters in lower case",
    path: "/task/updatetaskparameters",
    body: { taskId, actions: [] },
    refused: ["NotFound", "there is no such operation: the contract spells the path /task/updateTaskParameters"],
  },
  {
    sends: "lotNo in place of lotno",
    path: `/data/lotno/all?taskId=${taskId}&lotNo=1&offset=0&size=1`,
    refused: ["InvalidParameter.Required", "lotno is required: the contract spells it so, not lotNo"],
  },
  // Updates of parameters: one of the two lists, or both.
  {
    sends: "actions without loopItems",
    path: "/task/updateTaskParameters",
    body: { taskId, actions: [url] },
    did: (emulator) => assert.equal(emulator.inspect.task(taskId)?.actions[0]?.properties.Url, "http://new.test/"),
  },
  {
    sends: "loopItems without actions",
    path: "/task/updateTaskParameters",
    body: { taskId, loopItems: [loop] },
    did: itemsAre(["http://new.test/1"]),
  },
  {
    sends: "both, and null for what an action does not have",
    path: "/task/updateTaskParameters",
    body: { taskId, actions: [{ ...url, loopItems: null }], loopItems: [loop] },
    refused: ["InvalidParameter", "actions.0.loopItems must be object"],
  },
  { sends: "neither", path: "/task/updateTaskParameters", body: { taskId } },
  {
    sends: "one action in place of a list",
    path: "/task/updateActionProperties",
    body: { taskId, actions: url },
    refused: ["InvalidParameter", "actions must be array"],
  },
  {
    sends: "a number as the value of a property",
    path: "/task/updateActionProperties",
    body: { taskId, actions: [{ ...url, properties: [{ name: "Timeout", value: 30 }] }] },
    refused: ["InvalidParameter", "actions.0.properties.0.value must be string"],
  },
  {
    sends: "UrlList, and isAppend",
    path: "/task/updateLoopItems",
    body: { taskId, ...loop, loopType: "UrlList", isAppend: true },
    did: itemsAre(["http://new.test/1", "http://new.test/1"]),
  },
  {
    sends: "loop items without isAppend, which replace",
    path: "/task/updateLoopItems",
    body: { taskId, ...loop, loopType: "UrlList", loopItems: ["http://new.test/2"], isAppend: undefined },
    did: itemsAre(["http://new.test/2"]),
  },
  // Reads of actions.
  {
    sends: "the three documented types",
    path: "/task/getActions",
    body: { taskIds: [taskId], actionTypes: ["NavigateAction", "EnterTextAction", "LoopAction"] },
    did: (_emulator, data) => assert.equal((data as { actions: unknown[] }[])[0]?.actions.length, 2),
  },
  {
    sends: "no types",
    path: "/task/getActions",
    body: { taskIds: [taskId] },
    refused: ["InvalidParameter.Required", "actionTypes is required"],
  },
  {
    sends: "an empty list of types",
    path: "/task/getActions",
    body: { taskIds: [taskId], actionTypes: [] },
    refused: ["InvalidParameter", "actionTypes must not be empty"],
  },
  // Copies.
  { sends: "a copy without a group", path: `/task/copy?taskId=${taskId}`, body: {} },
  { sends: "a copy with an empty group", path: `/task/copy?taskId=${taskId}&taskGroupId=`, body: {} },
  {
    sends: "the group as a number",
    path: `/task/copy?taskId=${taskId}&taskGroupId=4711`,
    body: {},
    did: (emulator) => assert.equal(emulator.inspect.tasks().at(-1)?.taskGroupId, "4711"),
  },
  {
    sends: "a group that does not exist",
    path: `/task/copy?taskId=${taskId}&taskGroupId=4712`,
    body: {},
    refused: ["GroupNotFound", "The task group is not found!"],
  },
  // The upload.
  { sends: "the upload with the key", path: "/task/urls:file", body: upload("file"), with: "apiKey" },
  { sends: "the upload with Bearer, and an encoded colon", path: "/task/urls%3Afile", body: upload("file") },
  {
    sends: "the file under another name",
    path: "/task/urls:file",
    body: upload("urls"),
    refused: ["InvalidParameter.Required", "file is required"],
  },
  // Credentials.
  { sends: "the key for a read", path: `/data/notexported?taskId=${taskId}&size=10`, with: "apiKey" },
  {
    sends: "both credentials",
    path: `/data/notexported?taskId=${taskId}&size=10`,
    with: "both",
    refused: ["InvalidParameter", "getNotExportedData takes Authorization: Bearer or x-api-key, not both"],
  },
  {
    sends: "no credential",
    path: "/data/markexported",
    body: { taskId },
    with: "none",
    refused: ["Invalid.Token", "markExported needs the header Authorization: Bearer or x-api-key"],
  },
  // Sizes.
  {
    sends: "more than 1,000 rows a page",
    path: `/data/all?taskId=${taskId}&offset=0&size=2000`,
    refused: ["InvalidParameter", "size must be at most 1000"],
  },
  {
    sends: "more than 20 subtasks a page",
    path: `/cloudextraction/task/subtasks?taskId=${taskId}&page=1&size=100`,
    refused: ["InvalidParameter", "size must be at most 20"],
  },
  // Operations of live services that the contract does not have.
  { sends: "a stop of a task", path: "/cloudextraction/stop", body: { taskId }, refused: noOperation },
  {
    sends: "the statuses of tasks",
    path: "/cloudextraction/statuses/v2",
    body: { taskIds: [taskId] },
    refused: noOperation,
  },
  { sends: "a list of groups", path: "/taskGroup", refused: noOperation },
  { sends: "a search of tasks", path: "/task/search?taskGroupId=4711", refused: noOperation },
];

describe("the emulator with the documented behaviours, and a request as public clients send it", () => {
  let emulator: Emulator;
  before(async () => {
    const behaviour = { ...documentedBehaviour, requestsPerSecond: 0 };
    emulator = await startWith([], { behaviour });
    emulator.change.addTask({ taskId: "other", taskGroupId: "4711", actions: [] });
  });
  after(() => emulator.close());

  for (const { sends, path, body, with: credential = "bearer", refused, did } of cases) {
    it(`${sends}: ${refused === undefined ? "is taken" : "is refused, and the message says why"}`, async () => {
      const { accessToken, apiKey } = emulator.credentials;
      const isForm = body instanceof FormData;
      const response = await fetch(emulator.url + path, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          ...(credential === "bearer" || credential === "both" ? { Authorization: `Bearer ${accessToken}` } : {}),
          ...(credential === "apiKey" || credential === "both" ? { "x-api-key": apiKey } : {}),
          ...(body === undefined || isForm ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const { error, data } = (await response.json()) as { error?: { code: string; message: string }; data?: unknown };
      assert.deepEqual(error && [error.code, error.message], refused);
      assert.equal(response.status, refused === undefined ? 200 : 400);
      did?.(emulator, data);
    });
  }
});
