import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import { parse } from "yaml";
import type { OperationName } from "../../test/internals/service";
import { operations } from "../../test/internals/service";
import { call, data, refusal, runTemplate, useEmulator } from "./caller";

describe("the emulator's operations", () => {
  const emulator = useEmulator();

  const copy = async () =>
    String((await data(emulator, "copyTask", { taskId: "template", taskGroupId: "group" })).taskId);

  it("copies a task with its configuration and without its rows", async () => {
    await runTemplate(emulator);
    const taskId = await copy();
    const actions = { actionTypes: ["NavigateAction", "LoopAction"] };
    const [original] = await data(emulator, "getActions", { taskIds: ["template"], ...actions });
    const [copied] = await data(emulator, "getActions", { taskIds: [taskId], ...actions });
    assert.deepEqual(copied?.actions, original?.actions);
    assert.equal((await data(emulator, "getData", { taskId, offset: 0, size: 1 })).total, 0);
  });

  it("changes a copy without changing its source", async () => {
    const taskId = await copy();
    const before = emulator.inspect.task("template");
    await data(emulator, "updateTaskParameters", {
      taskId,
      actions: [
        {
          actionType: "LoopAction",
          actionId: "loop",
          properties: [{ name: "Wait", value: "2" }],
          loopItems: { actionId: "loop", loopType: "TextList", loopItems: ["ä"], isAppend: true },
        },
      ],
    });
    assert.deepEqual(emulator.inspect.task("template"), before);
    const loop = emulator.inspect.task(taskId)?.actions[1];
    assert.deepEqual(loop?.loopItems, ["http://127.0.0.1/1", "ä"]);
    assert.equal(loop?.loopType, "TextList");
    assert.deepEqual(loop?.properties, { Wait: "2" });
  });

  it("merges the given properties into an action", async () => {
    const actions = [
      { actionType: "NavigateAction", actionId: "open", properties: [{ name: "Url", value: "http://b/" }] },
    ];
    await data(emulator, "updateActionProperties", { taskId: "template", actions });
    assert.deepEqual(emulator.inspect.task("template")?.actions[0]?.properties, { Url: "http://b/", Timeout: "30" });
  });

  it("changes nothing if one of several actions is wrong", async () => {
    const before = emulator.inspect.task("template");
    const good = { actionType: "NavigateAction", actionId: "open", properties: [{ name: "Url", value: "http://b/" }] };
    const send = (second: object) =>
      refusal(emulator, "updateActionProperties", { fields: { taskId: "template", actions: [good, second] } });
    assert.equal(await send({ ...good, actionId: "nope" }), "400 TaskSettingsNotFound");
    assert.equal(await send({ ...good, actionType: "LoopAction" }), "400 InvalidParameter");
    assert.equal(await send({ ...good, actionId: undefined }), "400 InvalidParameter.Required");
    assert.equal(await send({ ...good, properties: [{ name: "Url" }] }), "400 InvalidParameter.Required");
    assert.deepEqual(emulator.inspect.task("template"), before);
  });

  it("replaces or appends loop items, depending on isAppend", async () => {
    const send = (loopItems: string[], isAppend: boolean) =>
      data(emulator, "updateLoopItems", {
        taskId: "template",
        actionId: "loop",
        loopType: "UrlList",
        loopItems,
        isAppend,
      });
    await send(["a", "b"], false);
    await send(["c"], true);
    assert.deepEqual(emulator.inspect.task("template")?.actions[1]?.loopItems, ["a", "b", "c"]);
  });

  it("accepts loop items for loops only", async () => {
    const fields = { taskId: "template", actionId: "open", loopType: "UrlList", loopItems: [] };
    assert.equal(await refusal(emulator, "updateLoopItems", { fields }), "400 InvalidParameter");
  });

  it("replaces the start URLs with the lines of an upload", async () => {
    const upload = (file: string) => call(emulator, "updateTaskUrls", { fields: { taskId: "template" }, file });
    assert.equal((await upload("http://a/\n")).status, 200);
    assert.equal((await upload("\uFEFFhttp://b/ä\r\n\r\n  \nhttp://c/")).status, 200);
    assert.deepEqual(emulator.inspect.startUrls("template"), ["http://b/ä", "http://c/"]);
    assert.equal((await upload("\n\n")).status, 400);
    assert.deepEqual(emulator.inspect.startUrls("template"), ["http://b/ä", "http://c/"]);
  });

  it("returns the actions of the requested types", async () => {
    const answer = await data(emulator, "getActions", { taskIds: ["template"], actionTypes: ["LoopAction"] });
    assert.deepEqual(answer, [
      {
        taskId: "template",
        actions: [
          {
            actionType: "LoopAction",
            actionId: "loop",
            properties: [],
            loopType: "UrlList",
            loopItems: ["http://127.0.0.1/1"],
          },
        ],
      },
    ]);
  });

  it("keeps the rows of each run in its own batch, and all rows in the task", async () => {
    const first = await runTemplate(emulator);
    const second = await runTemplate(emulator);
    assert.ok(BigInt(second) > BigInt(first));
    assert.notEqual(String(Number(second)), second, "a batch number must not fit a double");
    const page = await data(emulator, "getBatchData", { taskId: "template", lotno: second, offset: 5, size: 10 });
    assert.deepEqual([page.data.length, page.total, page.restTotal, page.offset], [2, 7, 0, 7]);
    const all = await data(emulator, "getData", { taskId: "template", offset: 5, size: 4 });
    assert.deepEqual([all.data.length, all.total, all.restTotal, all.offset], [4, 14, 5, 9]);
    const numbers = all.data.map((row) => row.number);
    assert.deepEqual(numbers, ["00000006", "00000007", "00000001", "00000002"]);
  });

  it("returns the rows that are not exported until they are marked", async () => {
    await runTemplate(emulator);
    const read = () => data(emulator, "getNotExportedData", { taskId: "template", size: 2 });
    assert.deepEqual(await read(), await read());
    assert.deepEqual([(await read()).total, (await read()).current], [7, 2]);
    assert.equal((await call(emulator, "markExported", { fields: { taskId: "template" } })).status, 200);
    assert.deepEqual(await read(), { data: [], total: 0, current: 0 });
    await runTemplate(emulator);
    assert.equal((await read()).total, 7);
    assert.equal(emulator.inspect.exportedCount("template"), 7);
  });

  it("removes the rows and keeps the batches", async () => {
    const lotno = await runTemplate(emulator);
    assert.equal((await call(emulator, "removeData", { fields: { taskId: "template" } })).status, 200);
    assert.equal((await data(emulator, "getBatchData", { taskId: "template", lotno, offset: 0, size: 1 })).total, 0);
    assert.equal((await data(emulator, "getNotExportedData", { taskId: "template", size: 1 })).total, 0);
  });

  it("stops and starts only the given subtasks of a run", async () => {
    emulator.change.holdRuns();
    await data(emulator, "startTask", { taskId: "template" });
    const list = () => data(emulator, "getSubtasks", { taskId: "template", page: 1, size: 10 });
    const [first] = await list();
    const subTaskId = first?.subTaskId ?? "";
    const fields = { taskId: "template", subTaskIds: [subTaskId] };
    assert.equal((await call(emulator, "stopSubtasks", { fields })).status, 200);
    emulator.change.releaseRuns();
    await emulator.settled();
    assert.deepEqual(await list(), [{ subTaskId, status: "Stopped" }]);
    assert.equal((await call(emulator, "startSubtasks", { fields })).status, 200);
    await emulator.settled();
    assert.deepEqual(await list(), [{ subTaskId, status: "Finished" }]);
    const unknown = { taskId: "template", subTaskIds: [subTaskId, "nope"] };
    assert.equal(await refusal(emulator, "stopSubtasks", { fields: unknown }), "400 InvalidParameter");
    assert.equal(
      await refusal(emulator, "stopSubtasks", { fields: { taskId: "template" } }),
      "400 InvalidParameter.Required",
    );
  });

  it("shows the subtasks of the latest run page by page", async () => {
    emulator.change.addTask({
      taskId: "wide",
      taskGroupId: "group",
      syntheticRows: 5,
      syntheticSubtasks: 5,
      actions: [],
    });
    await runTemplate(emulator, "wide");
    const page = async (number: number) =>
      (await data(emulator, "getSubtasks", { taskId: "wide", page: number, size: 2 })).map(
        (subtask) => subtask.subTaskId,
      );
    const pages = [await page(1), await page(2), await page(3), await page(4)];
    assert.deepEqual(
      pages.map((ids) => ids.length),
      [2, 2, 1, 0],
    );
    assert.equal(new Set(pages.flat()).size, 5);
    assert.equal(emulator.inspect.visibleCount("wide"), 5);
  });

  it("generates rows of one length, with prices that JSON can read as numbers", async () => {
    emulator.change.addTask({ taskId: "long", taskGroupId: "group", syntheticRows: 1000, actions: [] });
    const lotno = await runTemplate(emulator, "long");
    const page = await data(emulator, "getBatchData", { taskId: "long", lotno, offset: 0, size: 1000 });
    assert.deepEqual([...new Set(page.data.map((row) => JSON.stringify(row).length))], [201]);
    const prices = page.data.map(({ price }) => String(price));
    assert.deepEqual(
      prices.filter((price) => JSON.parse(price).toFixed(2) !== price),
      [],
    );
    assert.deepEqual(prices.slice(0, 3), ["0.00", "7.37", "14.74"]);
  });

  it("refuses ids that do not exist", async () => {
    const task = { taskId: "nope" };
    const read = { offset: 0, size: 1 };
    const loop = { actionId: "loop", loopType: "UrlList", loopItems: [] };
    const refusals: [OperationName, Record<string, unknown>][] = [
      ["copyTask", { ...task, taskGroupId: "group" }],
      ["updateTaskParameters", { ...task, actions: [] }],
      ["updateActionProperties", { ...task, actions: [] }],
      ["updateLoopItems", { ...task, ...loop }],
      ["updateTaskUrls", task],
      ["getActions", { taskIds: ["nope"], actionTypes: [] }],
      ["startTask", task],
      ["startSubtasks", { ...task, subTaskIds: ["a"] }],
      ["stopSubtasks", { ...task, subTaskIds: ["a"] }],
      ["getSubtasks", { ...task, page: 1, size: 1 }],
      ["getBatchData", { ...task, lotno: "1", ...read }],
      ["getData", { ...task, ...read }],
      ["getNotExportedData", { ...task, size: 1 }],
      ["markExported", task],
      ["removeData", task],
    ];
    for (const [name, fields] of refusals) {
      assert.equal(await refusal(emulator, name, { fields, file: "http://a/" }), "400 InvalidTaskId", name);
    }
    const elsewhere = { fields: { taskId: "template", taskGroupId: "nope" } };
    assert.equal(await refusal(emulator, "copyTask", elsewhere), "400 InvalidParameter");
    const batch = { fields: { taskId: "template", lotno: "1", ...read } };
    assert.equal(await refusal(emulator, "getBatchData", batch), "400 InvalidParameter");
  });

  it("refuses requests that break the contract, with the field but not its value", async () => {
    const cases: [OperationName, Record<string, unknown>, string, RegExp][] = [
      ["getData", { taskId: "template", offset: 0 }, "400 InvalidParameter.Required", /size/],
      ["getData", { taskId: "template", offset: -1, size: 1 }, "400 InvalidParameter", /offset/],
      ["getData", { taskId: "template", offset: "s3cret", size: 1 }, "400 InvalidParameter", /offset/],
      ["getData", { taskId: "template", offset: "", size: 1 }, "400 InvalidParameter.Required", /offset/],
      ["getData", { taskId: "template", offset: 0, size: 0 }, "400 InvalidParameter", /size/],
      ["getSubtasks", { taskId: "template", page: 0, size: 1 }, "400 InvalidParameter", /page/],
      ["startTask", {}, "400 InvalidParameter.Required", /taskId/],
      ["startTask", { taskId: 7 }, "400 InvalidParameter", /taskId/],
      ["getActions", { taskIds: "template", actionTypes: [] }, "400 InvalidParameter", /taskIds/],
      ["refreshToken", { refresh_token: "s3cret", grant_type: "password" }, "400 InvalidParameter", /grant_type/],
      ["refreshToken", { refresh_token: "s3cret", grant_type: "refresh_token" }, "400 Invalid.Grant", /refresh token/],
    ];
    for (const [name, fields, expected, message] of cases) {
      const { status, json, text } = await call(emulator, name, { fields });
      assert.equal(`${status} ${json.error?.code}`, expected, name);
      assert.match(String(json.error?.message), message);
      assert.ok(!text.includes("s3cret"), text);
    }
  });

  it("refuses a missing body, a body that is not JSON, and a body where none is expected", async () => {
    const authorization = `Bearer ${emulator.credentials.accessToken}`;
    const post = async (path: string, body?: string, type = "application/json") => {
      const response = await fetch(emulator.url + path, {
        method: "POST",
        headers: { authorization, "content-type": type },
        body,
      });
      const answer = (await response.json()) as { error?: { code: string } };
      return `${response.status} ${answer.error?.code}`;
    };
    assert.equal(await post("/data/remove"), "400 RequestModelNull");
    assert.equal(await post("/data/remove", "{"), "400 InvalidParameter");
    assert.equal(await post("/data/remove", "a=b", "application/x-www-form-urlencoded"), "400 InvalidParameter");
    const copy = "/task/copy?taskId=template&taskGroupId=group";
    assert.equal(await post(copy, '{"taskId":"template"}'), "400 InvalidParameter");
    assert.equal(await post(copy, "{}"), "200 undefined", "an empty object says nothing");
    assert.equal(await post(copy, undefined, "text/plain"), "200 undefined");
    assert.equal(await post("/task/none", "{}"), "404 NotFound");
  });

  it("sends responses that match openapi.yaml", async () => {
    const document = parse(readFileSync(join(__dirname, "../../emulator/openapi.yaml"), "utf8"));
    const ajv = new Ajv2020({ strict: false }).addSchema({ $id: "contract", ...document });
    const lotno = await runTemplate(emulator);
    const [subtask] = emulator.inspect.run(lotno)?.subtasks ?? [];
    const taskId = "template";
    const actions = [
      { actionType: "NavigateAction", actionId: "open", properties: [{ name: "Url", value: "http://b/" }] },
    ];
    const fields: Record<OperationName, Record<string, unknown>> = {
      refreshToken: { grant_type: "refresh_token", refresh_token: emulator.credentials.refreshToken },
      updateTaskParameters: { taskId, actions },
      updateTaskUrls: { taskId },
      updateActionProperties: { taskId, actions },
      updateLoopItems: { taskId, actionId: "loop", loopType: "UrlList", loopItems: [], isAppend: false },
      getActions: { taskIds: [taskId], actionTypes: ["NavigateAction"] },
      startTask: { taskId },
      startSubtasks: { taskId, subTaskIds: [subtask?.subTaskId] },
      stopSubtasks: { taskId, subTaskIds: [subtask?.subTaskId] },
      getSubtasks: { taskId, page: 1, size: 5 },
      getBatchData: { taskId, lotno, offset: 0, size: 5 },
      getData: { taskId, offset: 0, size: 5 },
      getNotExportedData: { taskId, size: 5 },
      markExported: { taskId },
      removeData: { taskId },
      copyTask: { taskId, taskGroupId: "group" },
    };
    for (const name of Object.keys(fields) as OperationName[]) {
      const { path, method } = operations[name];
      const answer = await call(emulator, name, { fields: fields[name], file: "http://a/" });
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      const { $ref } = document.paths[path][method.toLowerCase()].responses["200"].content["application/json"].schema;
      const validate = ajv.compile({ $ref: $ref.replace("#", "contract#") });
      assert.ok(validate(answer.json), `${name}: ${ajv.errorsText(validate.errors)}`);
    }
  });
});
