import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import type { Behaviour, BehaviourName, Emulator } from "webextract-emulator";
import { behaviourNames, parseBehaviour } from "webextract-emulator";
import { call, credentialOf, data, refusal, runTemplate, startWith } from "./caller";

const taskId = "template";
const types = ["NavigateAction", "LoopAction"];

/** One test for each behaviour: what a client sees under the default, and under each other value. */
const tests: { [Name in BehaviourName]: (emulator: Emulator, set: (value: Behaviour[Name]) => void) => Promise<void> } =
  {
    async errorBody(emulator, set) {
      const fail = () => call(emulator, "startTask", { fields: {} });
      assert.equal((await fail()).json.error?.code, "InvalidParameter.Required");
      set("legacy");
      assert.deepEqual((await fail()).json, {
        error: "InvalidParameter.Required",
        error_Description: "taskId is required",
      });
      set("html");
      assert.match((await fail()).headers.get("content-type") ?? "", /^text\/html/);
      set("empty");
      assert.equal((await fail()).text, "");
    },
    async errorStatus(emulator, set) {
      const noToken = () => refusal(emulator, "startTask", { headers: {} });
      assert.equal(await noToken(), "401 Invalid.Token");
      emulator.setPlan("free");
      const noPlan = () => refusal(emulator, "startTask", { fields: { taskId } });
      assert.equal(await noPlan(), "403 PermissionDenied");
      set("all400");
      assert.equal(await noPlan(), "400 PermissionDenied");
      emulator.fault({ operation: "getData", kind: "error", code: "ServerError" });
      assert.equal(await refusal(emulator, "getData"), "400 ServerError");
      emulator.fault({ operation: "getData", kind: "error", code: "TooManyRequests" });
      assert.equal(await refusal(emulator, "getData"), "429 TooManyRequests");
    },
    async successBody(emulator, set) {
      const bodies = async () => {
        const loop = { taskId, actionId: "loop", loopType: "UrlList", loopItems: ["http://a/"], isAppend: false };
        const found: unknown[] = [];
        for (const [name, fields] of [
          ["markExported", { taskId }],
          ["updateLoopItems", loop],
          ["getSubtasks", { taskId, page: 1, size: 1 }],
        ] as const) {
          const { requestId, ...rest } = (await call(emulator, name, { fields })).json;
          assert.equal(typeof requestId, "string");
          found.push(rest);
        }
        return found;
      };
      const message = { message: "loop items updated" };
      assert.deepEqual(await bodies(), [{}, { data: message }, { data: [] }]);
      set("nullData");
      assert.deepEqual(await bodies(), [{ data: null }, { data: message }, { data: [] }]);
      const words = { error: "success", error_Description: "Operation successes" };
      set("words");
      assert.deepEqual(await bodies(), [
        { data: null, ...words },
        { data: message, ...words },
        { data: [], ...words },
      ]);
      set("wordsWithoutData");
      assert.deepEqual(await bodies(), [
        { data: null, ...words },
        { data: null, ...words },
        { data: [], ...words },
      ]);
      assert.equal(await refusal(emulator, "startTask", { fields: {} }), "400 InvalidParameter.Required");
    },
    async expiredToken(emulator, set) {
      emulator.change.expireAccessTokens();
      const use = () => refusal(emulator, "getData", { fields: { taskId, offset: 0, size: 1 } });
      assert.equal(await use(), "401 Invalid.Token");
      set("status403");
      assert.equal(await use(), "403 Invalid.Token");
      set("status400");
      assert.equal(await use(), "400 Invalid.Token");
    },
    async accessTokenRequests(emulator, set) {
      set(2);
      const use = async () => (await call(emulator, "getData", { fields: { taskId, offset: 0, size: 1 } })).status;
      assert.deepEqual([await use(), await use(), await use(), await use()], [200, 200, 401, 401]);
      await data(emulator, "refreshToken", refreshWith(emulator));
      assert.equal(await use(), 200);
    },
    async tokenLifetime(emulator, set) {
      set(60);
      assert.equal((await data(emulator, "refreshToken", refreshWith(emulator))).expires_in, 60);
    },
    async expiresIn(emulator, set) {
      assert.equal((await data(emulator, "refreshToken", refreshWith(emulator))).expires_in, 86399);
      set("string");
      assert.equal((await data(emulator, "refreshToken", refreshWith(emulator))).expires_in, "86399");
    },
    async refreshRotation(emulator, set) {
      const old = refreshWith(emulator);
      const second = (await data(emulator, "refreshToken", old)).refresh_token;
      assert.notEqual(second, old.refresh_token);
      set("same");
      assert.equal((await data(emulator, "refreshToken", old)).refresh_token, old.refresh_token);
      set("oldDies");
      await data(emulator, "refreshToken", old);
      assert.equal(await refusal(emulator, "refreshToken", { fields: old }), "400 Invalid.Grant");
      assert.equal((await call(emulator, "refreshToken", { fields: { ...old, refresh_token: second } })).status, 200);
    },
    async refreshPath(emulator, set) {
      const at = async (path: string) =>
        (await call(emulator, "refreshToken", { fields: refreshWith(emulator), path })).status;
      const both = async () => [await at("/token"), await at("/token/refresh")];
      assert.deepEqual(await both(), [200, 404]);
      set("tokenRefresh");
      assert.deepEqual(await both(), [404, 200]);
      set("both");
      assert.deepEqual(await both(), [200, 200]);
    },
    async passwordLogin(emulator, set) {
      const { apiKey } = emulator.credentials;
      const fields = { grant_type: "password", username: "reader", password: apiKey };
      assert.equal(await refusal(emulator, "refreshToken", { fields }), "400 InvalidParameter.Required");
      set("taken");
      const { access_token, refresh_token } = await data(emulator, "refreshToken", fields);
      assert.deepEqual(
        [access_token, refresh_token],
        [emulator.credentials.accessToken, emulator.credentials.refreshToken],
      );
      assert.equal((await call(emulator, "refreshToken", { fields: refreshWith(emulator) })).status, 200);
      assert.equal(
        await refusal(emulator, "refreshToken", { fields: { ...fields, password: "x" } }),
        "400 Invalid.Grant",
      );
      assert.equal(
        await refusal(emulator, "refreshToken", { fields: { ...fields, username: "" } }),
        "400 InvalidParameter.Required",
      );
      assert.ok(!JSON.stringify(emulator.requests).includes(apiKey));
    },
    async credentialAcceptance(emulator, set) {
      const tried = async () => {
        const statuses: number[] = [];
        for (const kind of ["bearer", "apiKey"] as const) {
          const headers = credentialOf(emulator, kind);
          statuses.push((await call(emulator, "removeData", { fields: { taskId }, headers })).status);
          statuses.push(
            (await call(emulator, "updateTaskUrls", { fields: { taskId }, file: "http://a/", headers })).status,
          );
        }
        return statuses;
      };
      assert.deepEqual(await tried(), [200, 401, 401, 200]);
      set("apiKeyEverywhere");
      assert.deepEqual(await tried(), [200, 401, 200, 200]);
      set("bearerOnUpload");
      assert.deepEqual(await tried(), [200, 200, 401, 401]);
      set("either");
      assert.deepEqual(await tried(), [200, 200, 200, 200]);
    },
    async bothCredentials(emulator, set) {
      const headers = { ...credentialOf(emulator, "bearer"), ...credentialOf(emulator, "apiKey") };
      const read = () => call(emulator, "getData", { fields: { taskId, offset: 0, size: 1 }, headers });
      assert.equal((await read()).status, 200);
      set("refused");
      assert.equal((await read()).json.error?.code, "InvalidParameter");
      assert.equal((await call(emulator, "getData", { fields: { taskId, offset: 0, size: 1 } })).status, 200);
    },
    async plansNeeded(emulator, set) {
      emulator.setPlan("free");
      const read = () => refusal(emulator, "getData", { fields: { taskId, offset: 0, size: 1 } });
      assert.equal(await read(), "200 undefined");
      set("everyOperation");
      assert.equal(await read(), "403 PermissionDenied");
      assert.equal((await call(emulator, "refreshToken", { fields: refreshWith(emulator) })).status, 200);
      emulator.setPlan("professional");
      assert.equal(await read(), "200 undefined");
    },
    async requestsPerSecond(emulator, set) {
      set(1);
      const answers = await Promise.all(Array.from({ length: 40 }, () => call(emulator, "getData", read())));
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length > 0);
      assert.equal(refused[0]?.headers.get("retry-after"), null);
    },
    async refuseEvery(emulator, set) {
      set(2);
      const copy = async () => (await call(emulator, "copyTask", { fields: { taskId, taskGroupId: "group" } })).status;
      assert.deepEqual([await copy(), await copy(), await copy(), await copy()], [200, 429, 200, 429]);
      assert.equal(emulator.inspect.tasks().length, 3);
    },
    async retryAfter(emulator, set) {
      emulator.setBehaviour({ refuseEvery: 1 });
      const header = async () => (await call(emulator, "getData", read())).headers.get("retry-after");
      assert.equal(await header(), null);
      set("seconds");
      assert.equal(await header(), "1");
      set("date");
      assert.ok(Number.isFinite(Date.parse((await header()) ?? "")));
    },
    async badGatewayEvery(emulator, set) {
      set(2);
      const copy = () => call(emulator, "copyTask", { fields: { taskId, taskGroupId: "group" } });
      assert.deepEqual([(await copy()).status, (await copy()).status], [200, 502]);
      assert.equal(emulator.inspect.tasks().length, 3);
    },
    async badGatewayStatus(emulator, set) {
      emulator.setBehaviour({ badGatewayEvery: 1 });
      set("504");
      assert.equal((await call(emulator, "getData", read())).status, 504);
    },
    async idleSockets(emulator, set) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = () => statusOn(agent, emulator.url);
      assert.deepEqual([await ask(), await ask()], [404, 404]);
      assert.deepEqual(
        emulator.requests.map((entry) => entry.socket),
        [1, 1],
      );
      set("resetOnReuse");
      await assert.rejects(ask(), /ECONNRESET|hang up/);
      assert.equal(emulator.requests.length, 2, "a reset request must not take effect");
      set("closedAfterResponse");
      assert.equal(await ask(), 404);
      assert.equal(emulator.requests.at(-1)?.socket, 2);
      agent.destroy();
    },
    async startResponse(emulator, set) {
      set("null");
      assert.equal((await call(emulator, "startTask", { fields: { taskId } })).json.data, null);
      assert.equal(emulator.inspect.runs(taskId).length, 1);
      await emulator.settled();
      set("true");
      assert.equal((await call(emulator, "startTask", { fields: { taskId } })).json.data, true);
      assert.equal(emulator.inspect.runs(taskId).length, 2);
    },
    async startWhileRunning(emulator, set) {
      emulator.change.holdRuns();
      const { lotNo } = await data(emulator, "startTask", { taskId });
      assert.equal(await refusal(emulator, "startTask", { fields: { taskId } }), "400 TaskExecuting");
      set("sameRun");
      assert.equal((await data(emulator, "startTask", { taskId })).lotNo, lotNo);
      set("newRun");
      assert.notEqual((await data(emulator, "startTask", { taskId })).lotNo, lotNo);
      assert.equal(emulator.inspect.runs(taskId).length, 2);
    },
    async changeWhileRunning(emulator, set) {
      emulator.change.holdRuns();
      await data(emulator, "startTask", { taskId });
      const loop = { taskId, actionId: "loop", loopType: "UrlList", loopItems: [] };
      const change = async () => [
        (await call(emulator, "updateLoopItems", { fields: loop })).status,
        (await call(emulator, "updateTaskParameters", { fields: { taskId, actions: [] } })).status,
        (await call(emulator, "updateActionProperties", { fields: { taskId, actions: [] } })).status,
        (await call(emulator, "updateTaskUrls", { fields: { taskId }, file: "http://a/" })).status,
        (await call(emulator, "removeData", { fields: { taskId } })).status,
      ];
      assert.deepEqual(await change(), [200, 200, 200, 200, 200]);
      set("refused");
      assert.deepEqual(await change(), [400, 400, 400, 400, 400]);
      emulator.change.releaseRuns();
      await emulator.settled();
      assert.deepEqual(await change(), [200, 200, 200, 200, 200]);
    },
    async statusWords(emulator, set) {
      emulator.change.holdRuns();
      const { lotNo } = await data(emulator, "startTask", { taskId });
      const word = async () => (await data(emulator, "getSubtasks", { taskId, page: 1, size: 1 }))[0]?.status;
      assert.equal(await word(), "Waiting");
      set("withSent");
      assert.equal(await word(), "Sent");
      set("synonyms");
      assert.equal(await word(), "Queued");
      emulator.change.setSubtaskStatus(lotNo, "finished");
      assert.equal(await word(), "Completed");
      set("unknown");
      assert.equal(await word(), "Concluded");
      emulator.change.setSubtaskStatus(lotNo, "failed");
      assert.equal(await word(), "Failed");
      set("noFailed");
      assert.equal(await word(), "Stopped");
      set("sentNoFailed");
      assert.equal(await word(), "Stopped");
      emulator.change.setSubtaskStatus(lotNo, "waiting");
      assert.equal(await word(), "Sent");
    },
    async statusCase(emulator, set) {
      const words = async () => {
        const { status } = await data(emulator, "startTask", { taskId });
        await emulator.settled();
        return [status, (await data(emulator, "getSubtasks", { taskId, page: 1, size: 1 }))[0]?.status];
      };
      assert.deepEqual(await words(), ["Waiting", "Finished"]);
      set("lower");
      assert.deepEqual(await words(), ["waiting", "finished"]);
      set("upper");
      assert.deepEqual(await words(), ["WAITING", "FINISHED"]);
      set("mixed");
      assert.deepEqual(await words(), ["waiting", "Finished"]);
    },
    async readsUntilFinished(emulator, set) {
      set(3);
      await data(emulator, "startTask", { taskId });
      const words: (string | undefined)[] = [];
      for (let index = 0; index < 4; index += 1) {
        await emulator.settled();
        words.push((await data(emulator, "getSubtasks", { taskId, page: 1, size: 1 }))[0]?.status);
      }
      assert.deepEqual(words, ["Waiting", "Extracting", "Extracting", "Finished"]);
    },
    async splitting(emulator, set) {
      emulator.change.addTask({
        taskId: "listed",
        taskGroupId: "group",
        actions: [],
        startUrls: ["http://127.0.0.1:1/"],
      });
      emulator.change.addTask({ taskId: "single", taskGroupId: "group", actions: [] });
      const counts = async () => {
        const found: number[] = [];
        for (const task of ["listed", "single"]) {
          await runTemplate(emulator, task);
          found.push((await data(emulator, "getSubtasks", { taskId: task, page: 1, size: 9 })).length);
        }
        return found;
      };
      assert.deepEqual(await counts(), [1, 1]);
      set("listsOnly");
      assert.deepEqual(await counts(), [1, 0]);
      set("never");
      assert.deepEqual(await counts(), [0, 0]);
    },
    async subtaskListLag(emulator, set) {
      const list = () => data(emulator, "getSubtasks", { taskId, page: 1, size: 9 });
      set(2);
      await runTemplate(emulator);
      assert.deepEqual([(await list()).length, (await list()).length, (await list()).length], [0, 0, 1]);
      const before = await list();
      await runTemplate(emulator);
      assert.deepEqual([await list(), await list()], [before, before]);
      assert.notDeepEqual(await list(), before);
    },
    async subtaskPageMax(emulator, set) {
      set(20);
      const size = (wanted: number) => call(emulator, "getSubtasks", { fields: { taskId, page: 1, size: wanted } });
      assert.deepEqual([(await size(20)).status, (await size(21)).status], [200, 400]);
    },
    async dataPageMax(emulator, set) {
      set(3);
      await runTemplate(emulator);
      const size = (wanted: number) => call(emulator, "getData", { fields: { taskId, offset: 0, size: wanted } });
      assert.deepEqual([(await size(3)).status, (await size(4)).status], [200, 400]);
      assert.equal(
        await refusal(emulator, "getNotExportedData", { fields: { taskId, size: 4 } }),
        "400 InvalidParameter",
      );
    },
    async pageTooLarge(emulator, set) {
      emulator.setBehaviour({ dataPageMax: 3 });
      set("clamped");
      await runTemplate(emulator);
      const page = await data(emulator, "getData", { taskId, offset: 2, size: 100 });
      assert.deepEqual([page.data.length, page.total, page.restTotal], [3, 7, 2]);
    },
    async responseBytes(emulator, set) {
      const row = { text: "x".repeat(1024 * 1024) };
      emulator.change.insertRows(taskId, Array(10).fill(row));
      const rows = async (size: number) => (await data(emulator, "getData", { taskId, offset: 0, size })).data.length;
      assert.equal(await rows(10), 10);
      set("cut");
      assert.deepEqual([await rows(10), await rows(201)], [3, 7]);
      assert.equal((await data(emulator, "getNotExportedData", { taskId, size: 10 })).current, 3);
      set("refused");
      assert.equal(
        await refusal(emulator, "getData", { fields: { taskId, offset: 0, size: 10 } }),
        "400 InvalidParameter",
      );
      assert.equal(await rows(3), 3);
    },
    async rowsArriveLate(emulator, set) {
      set(2);
      const lotno = await runTemplate(emulator);
      const total = async () => (await data(emulator, "getBatchData", { taskId, lotno, offset: 0, size: 1 })).total;
      assert.deepEqual([await total(), await total(), await total(), await total()], [3, 5, 7, 7]);
    },
    async rowOrder(emulator, set) {
      const lotno = await runTemplate(emulator);
      const rows = emulator.inspect.rows(taskId);
      const range = { taskId, offset: 2, size: 3 };
      const read = async () => [
        (await data(emulator, "getData", range)).data,
        (await data(emulator, "getBatchData", { ...range, lotno })).data,
      ];
      assert.deepEqual(await read(), [rows.slice(2, 5), rows.slice(2, 5)]);
      set("newestFirst");
      const reversed = rows.toReversed().slice(2, 5);
      assert.deepEqual(await read(), [reversed, reversed]);
      assert.deepEqual((await data(emulator, "getData", { ...range, offset: 6 })).data, rows.slice(0, 1));
      assert.deepEqual((await data(emulator, "getData", { ...range, offset: 7 })).data, []);
      assert.deepEqual((await data(emulator, "getNotExportedData", { taskId, size: 1 })).data, rows.slice(0, 1));
    },
    async rowsWhileReading(emulator, set) {
      const lotno = await runTemplate(emulator);
      set(2);
      const read = async (offset: number, size: number) =>
        (await data(emulator, "getData", { taskId, offset, size })).total;
      assert.deepEqual([await read(0, 1), await read(0, 3), await read(6, 3), await read(0, 9)], [7, 7, 9, 9]);
      const batch = await data(emulator, "getBatchData", { taskId, lotno, offset: 6, size: 9 });
      assert.deepEqual(batch.data.slice(1), [{ arrivedAs: "row 8" }, { arrivedAs: "row 9" }]);
    },
    async batchRows(emulator, set) {
      const lotno = emulator.change.insertRows(taskId, [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 3 }]);
      const read = async () => {
        const page = await data(emulator, "getBatchData", { taskId, lotno, offset: 1, size: 3 });
        return [page.total, page.data.length, page.restTotal];
      };
      assert.deepEqual(await read(), [4, 3, 0]);
      set("distinct");
      assert.deepEqual(await read(), [3, 2, 0]);
      assert.equal((await data(emulator, "getData", { taskId, offset: 0, size: 9 })).total, 4);
    },
    async offsetResponse(emulator, set) {
      await runTemplate(emulator);
      const offsets = async (asked: number) => {
        const page = await data(emulator, "getData", { taskId, offset: asked, size: 3 });
        return [page.offset, page.data.length];
      };
      assert.deepEqual(await offsets(3), [6, 3]);
      set("asked");
      assert.deepEqual(await offsets(3), [3, 3]);
      set("zero");
      assert.deepEqual(await offsets(3), [0, 3]);
      set("cursor");
      assert.deepEqual(await offsets(0), [927, 3]);
      assert.deepEqual(await offsets(927), [930, 3]);
      assert.deepEqual(await offsets(930), [931, 1]);
      assert.equal(
        await refusal(emulator, "getData", { fields: { taskId, offset: 3, size: 3 } }),
        "400 InvalidParameter",
      );
    },
    async endOfData(emulator, set) {
      await runTemplate(emulator);
      const end = async () => {
        const page = await data(emulator, "getData", { taskId, offset: 5, size: 5 });
        return [page.data.length, page.restTotal, page.offset];
      };
      assert.deepEqual(await end(), [2, 0, 7]);
      set("emptyPage");
      assert.deepEqual(await end(), [2, 7, 7]);
      assert.equal((await data(emulator, "getData", { taskId, offset: 7, size: 5 })).data.length, 0);
      set("offsetStays");
      assert.deepEqual(await end(), [2, 7, 5]);
    },
    async emptyPageEvery(emulator, set) {
      await runTemplate(emulator);
      set(2);
      const read = async (offset: number) => {
        const page = await data(emulator, "getData", { taskId, offset, size: 3 });
        return [page.data.length, page.restTotal];
      };
      assert.deepEqual(
        [await read(0), await read(3), await read(3), await read(3)],
        [
          [3, 4],
          [3, 1],
          [0, 4],
          [3, 1],
        ],
      );
    },
    async notExported(emulator, set) {
      await runTemplate(emulator);
      set("handedOutOnce");
      const next = async () => {
        const page = await data(emulator, "getNotExportedData", { taskId, size: 4 });
        return [page.current, page.total];
      };
      assert.deepEqual(
        [await next(), await next(), await next()],
        [
          [4, 7],
          [3, 7],
          [0, 7],
        ],
      );
    },
    async notExportedCounts(emulator, set) {
      await runTemplate(emulator);
      await call(emulator, "markExported", { fields: { taskId } });
      const total = async () => (await data(emulator, "getNotExportedData", { taskId, size: 4 })).total;
      assert.equal(await total(), 0);
      set("allRows");
      assert.equal(await total(), 7);
      emulator.setBehaviour({ notExported: "handedOutOnce" });
      await runTemplate(emulator);
      set("notReturned");
      assert.deepEqual([await total(), await total(), await total()], [7, 3, 0]);
      set("usual");
      assert.equal(await total(), 7);
    },
    async markScope(emulator, set) {
      await runTemplate(emulator);
      set("returned");
      await data(emulator, "getNotExportedData", { taskId, size: 2 });
      await data(emulator, "getData", { taskId, offset: 0, size: 5 });
      await call(emulator, "markExported", { fields: { taskId } });
      assert.equal(emulator.inspect.exportedCount(taskId), 2);
      await call(emulator, "markExported", { fields: { taskId } });
      assert.equal(emulator.inspect.exportedCount(taskId), 2);
      set("task");
      await call(emulator, "markExported", { fields: { taskId } });
      assert.equal(emulator.inspect.exportedCount(taskId), 7);
    },
    async otherMarks(emulator, set) {
      await runTemplate(emulator);
      const left = async () => {
        const page = await data(emulator, "getNotExportedData", { taskId, size: 9 });
        return [page.total, page.current];
      };
      assert.deepEqual(await left(), [7, 7]);
      set("half");
      assert.deepEqual(
        [await left(), await left()],
        [
          [4, 4],
          [4, 4],
        ],
      );
      set("all");
      assert.deepEqual(await left(), [0, 0]);
      assert.equal(emulator.inspect.exportedCount(taskId), 7);
    },
    async copyGroup(emulator, set) {
      const copy = () => call(emulator, "copyTask", { fields: { taskId } });
      assert.equal((await copy()).json.error?.code, "InvalidParameter.Required");
      set("optional");
      assert.equal((await copy()).status, 200);
      assert.equal(emulator.inspect.tasks().at(-1)?.taskGroupId, "group");
    },
    async urlsFileTaskId(emulator, set) {
      const upload = async (fields: object, path?: string) => {
        const answer = await call(emulator, "updateTaskUrls", { fields: { ...fields }, file: "http://a/", path });
        return answer.json.error?.code;
      };
      const inQuery = `/task/urls:file?taskId=${taskId}`;
      assert.deepEqual([await upload({ taskId }), await upload({}, inQuery)], [undefined, "InvalidParameter.Required"]);
      set("query");
      assert.deepEqual([await upload({ taskId }), await upload({}, inQuery)], ["InvalidParameter.Required", undefined]);
      assert.deepEqual(emulator.inspect.startUrls(taskId), ["http://a/"]);
    },
    async loopsInActions(emulator, set) {
      const loop = { actionId: "loop", loopType: "UrlList", loopItems: ["http://a/"], isAppend: false };
      const inAction = [{ actionType: "LoopAction", actionId: "loop", loopItems: loop }];
      const items = () => emulator.inspect.task(taskId)?.actions[1]?.loopItems;
      const before = items();
      set("ignored");
      await data(emulator, "updateTaskParameters", { taskId, actions: inAction });
      assert.deepEqual(items(), before);
      const list = [{ ...loop, loopItems: ["http://b/"] }];
      const { updatedParameters } = await data(emulator, "updateTaskParameters", {
        taskId,
        actions: [],
        loopItems: list,
      });
      assert.deepEqual(updatedParameters, { actions: [], loopItems: list });
      assert.deepEqual(items(), ["http://b/"]);
      const wrong = { taskId, actions: [], loopItems: [{ actionId: "loop" }] };
      assert.equal(await refusal(emulator, "updateTaskParameters", { fields: wrong }), "400 InvalidParameter");
      set("repeatedOnly");
      const repeated = await data(emulator, "updateTaskParameters", { taskId, actions: inAction });
      assert.deepEqual([repeated.updatedParameters, items()], [{ actions: inAction }, ["http://b/"]]);
      set("taken");
      await data(emulator, "updateTaskParameters", { taskId, actions: inAction, loopItems: list });
      assert.deepEqual(items(), ["http://a/"]);
    },
    async updatedParameters(emulator, set) {
      const loopItems = { loopType: "UrlList", loopItems: ["http://a/"], isAppend: false };
      const open = { actionType: "NavigateAction", actionId: "open", properties: [{ name: "Timeout", value: "1" }] };
      const loop = { actionType: "LoopAction", actionId: "loop" };
      const actions = [open, { ...loop, loopItems }];
      const shown = async () => (await data(emulator, "updateTaskParameters", { taskId, actions })).updatedParameters;
      assert.deepEqual(await shown(), { actions });
      set("lists");
      assert.deepEqual(await shown(), { actions: [open, loop], loopItems: [{ actionId: "loop", ...loopItems }] });
      set("counts");
      assert.deepEqual(await shown(), {
        actions: [
          { actionId: "open", properties: ["Timeout"], loopItems: 0 },
          { actionId: "loop", properties: [], loopItems: 1 },
        ],
      });
      set("empty");
      assert.deepEqual(await shown(), {});
    },
    async getActionsMissing(emulator, set) {
      const ask = () => call(emulator, "getActions", { fields: { taskIds: [taskId, "gone"], actionTypes: types } });
      assert.match((await ask()).json.error?.message ?? "", /gone/);
      set("refusedUnnamed");
      assert.doesNotMatch((await ask()).json.error?.message ?? "gone", /gone/);
      set("leftOut");
      const found = await data(emulator, "getActions", { taskIds: ["gone", taskId], actionTypes: types });
      assert.deepEqual(
        found.map((task) => task.taskId),
        [taskId],
      );
    },
    async getActionsEmptyTypes(emulator, set) {
      const count = async () =>
        (await data(emulator, "getActions", { taskIds: [taskId], actionTypes: [] }))[0]?.actions.length;
      assert.equal(await count(), 0);
      set("all");
      assert.equal(await count(), 2);
      set("refused");
      const fields = { taskIds: [taskId], actionTypes: [] };
      assert.equal(await refusal(emulator, "getActions", { fields }), "400 InvalidParameter");
    },
    async actionShape(emulator, set) {
      const action = async () =>
        (await data(emulator, "getActions", { taskIds: [taskId], actionTypes: types }))[0]?.actions[0];
      assert.deepEqual((await action())?.properties, [
        { name: "Url", value: "http://127.0.0.1/" },
        { name: "Timeout", value: "30" },
      ]);
      set("map");
      assert.deepEqual((await action())?.properties, { Url: "http://127.0.0.1/", Timeout: "30" });
      set("flat");
      assert.equal((await action())?.Timeout, "30");
    },
    async propertyValues(emulator, set) {
      set("typed");
      emulator.setBehaviour({ actionShape: "map" });
      for (const [name, value] of [
        ["Flag", "true"],
        ["Zero", "007"],
        ["Price", "1.5"],
      ] as const) {
        emulator.change.setProperty(taskId, "open", name, value);
      }
      const [task] = await data(emulator, "getActions", { taskIds: [taskId], actionTypes: types });
      const expected = { Url: "http://127.0.0.1/", Timeout: 30, Flag: true, Zero: "007", Price: 1.5 };
      assert.deepEqual(task?.actions[0]?.properties, expected);
    },
    async loopTypeRead(emulator, set) {
      const loopType = async () =>
        (await data(emulator, "getActions", { taskIds: [taskId], actionTypes: types }))[0]?.actions[1]?.loopType;
      assert.equal(await loopType(), "UrlList");
      set("upperUrl");
      assert.equal(await loopType(), "URLList");
    },
    async loopTypeWritten(emulator, set) {
      const fields = { taskId, actionId: "loop", loopType: "URLList", loopItems: ["a"] };
      await data(emulator, "updateLoopItems", fields);
      set("strict");
      assert.equal(await refusal(emulator, "updateLoopItems", { fields }), "400 InvalidParameter");
      await data(emulator, "updateLoopItems", { ...fields, loopType: "UrlList" });
      for (const [loopType, result] of [
        ["UrlList", "400 InvalidParameter"],
        ["URLList", "200 undefined"],
      ] as const) {
        const loopItems = { actionId: "loop", loopType, loopItems: ["b"] };
        const actions = [{ actionId: "loop", actionType: "LoopAction", loopItems }];
        assert.equal(await refusal(emulator, "updateTaskParameters", { fields: { taskId, actions } }), result);
      }
    },
    async isAppendOmitted(emulator, set) {
      const fields = { taskId, actionId: "loop", loopType: "UrlList", loopItems: ["a"] };
      await data(emulator, "updateLoopItems", fields);
      set("appends");
      await data(emulator, "updateLoopItems", fields);
      assert.deepEqual(emulator.inspect.task(taskId)?.actions[1]?.loopItems, ["a", "a"]);
    },
    async taskGone(emulator, set) {
      const ask = async () => {
        const { status, json } = await call(emulator, "getData", { fields: { taskId: "gone", offset: 0, size: 1 } });
        return [status, json.error?.code, json.error?.message.includes("gone")];
      };
      assert.deepEqual(await ask(), [400, "InvalidTaskId", true]);
      set("unnamed");
      assert.deepEqual(await ask(), [400, "InvalidTaskId", false]);
      set("notFound");
      assert.deepEqual(await ask(), [404, "InvalidTaskId", true]);
      set("notYours");
      assert.deepEqual(await ask(), [400, "TaskNotBelongToYou", false]);
      set("serverError");
      assert.deepEqual(await ask(), [500, "ServerError", false]);
    },
  };

function refreshWith(emulator: Emulator): Record<string, string> {
  return { grant_type: "refresh_token", refresh_token: emulator.credentials.refreshToken };
}

/** Status of a request on a socket of the agent; the next turn lets the socket return to it. */
function statusOn(agent: Agent, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/none`, { agent }, (response) => {
      response.resume().on("end", () => setImmediate(resolve, response.statusCode));
    }).on("error", reject);
  });
}

function read(): { fields: Record<string, unknown> } {
  return { fields: { taskId, offset: 0, size: 1 } };
}

describe("a behaviour of the emulator", () => {
  for (const name of behaviourNames) {
    it(`${name} changes what a client sees`, async () => {
      const emulator = await startWith();
      try {
        const run = tests[name] as (started: Emulator, set: (value: unknown) => void) => Promise<void>;
        await run(emulator, (value) => emulator.setBehaviour({ [name]: value }));
      } finally {
        await emulator.close();
      }
    });
  }

  it("rejects an unknown name or value and lists the allowed ones", async () => {
    const unknown = { colour: "red" } as unknown as Partial<Behaviour>;
    await assert.rejects(startWith([], { behaviour: unknown }), /unknown behaviour "colour"; known: errorBody, /);
    const wrong = { markScope: "all" } as unknown as Partial<Behaviour>;
    await assert.rejects(startWith([], { behaviour: wrong }), /markScope cannot be "all"; allowed: task, returned/);
    await assert.rejects(startWith([], { behaviour: { tokenLifetime: 0 } }), /an integer of at least 1/);
    assert.throws(() => parseBehaviour("markScope"), /needs a value/);
    assert.deepEqual(parseBehaviour("dataPageMax=10"), { dataPageMax: 10 });
  });
});
