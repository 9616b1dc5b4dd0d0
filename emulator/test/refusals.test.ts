import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Emulator, SeedAction } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../../test/eachTest";
import { slowIt } from "../../test/environment";
import { call, data, runTemplate, startWith } from "./caller";
import { startSite } from "./pageSite";

const extract: SeedAction = { actionType: "ExtractDataAction", actionId: "extract", properties: { "Field.a": "b" } };

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Counts the turns of the event loop until the function is called. */
function countTurns(): () => number {
  let turns = 0;
  let ended = false;
  const turn = () => {
    turns += 1;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    ended = true;
    return turns;
  };
}

describe("pages that cannot be opened", () => {
  let emulator: Emulator;
  const lines: string[] = [];
  beforeEach(async () => {
    lines.length = 0;
    emulator = await startWith([], { log: (line) => lines.push(line) });
  });
  afterEach(() => emulator.close());

  const add = (startUrls: string[], urlsPerSubtask = 100_000) =>
    emulator.change.addTask({ taskId: "task", taskGroupId: "group", actions: [extract], startUrls, urlsPerSubtask });

  const kinds = {
    "are outside of this machine": (number: number) => `http://example.test/${number}`,
    "are on hosts of their own": (number: number) => `http://host-${number}.test/`,
    "are no URLs": (number: number) => `no url ${number}`,
    "have a port that fetch refuses": (number: number) => `http://127.0.0.1:6000/${number}`,
    "do not respond": (number: number, closed: string) => `${closed}/${number}`,
  };
  for (const [kind, urlOf] of Object.entries(kinds)) {
    it(`each take a turn of the event loop, and hold no timer, if they ${kind}`, async () => {
      const pages = 1000;
      const closed = await startSite();
      await closed.close();
      add(Array.from({ length: pages }, (_, number) => urlOf(number, closed.url)));
      const timersBefore = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
      const turns = countTurns();
      await runTemplate(emulator, "task");
      assert.ok(turns() >= pages);
      const timersAfter = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
      assert.ok(timersAfter <= timersBefore + 1, `${timersAfter} timers, ${timersBefore} before`);
      const [subtask] = emulator.inspect.runs("task")[0]?.subtasks ?? [];
      assert.deepEqual([subtask?.status, subtask?.errors.length], ["failed", 100]);
      assert.equal(subtask?.errors.at(-1)?.others, pages - 100);
      assert.equal(lines.filter((line) => line.startsWith("subtask ")).length, 100);
    });
  }

  it("are all tried again when their subtask is started again", async () => {
    add(Array.from({ length: 300 }, (_, number) => `http://example.test/${number}`));
    await runTemplate(emulator, "task");
    const view = () => emulator.inspect.runs("task")[0]?.subtasks[0];
    const subTaskIds = [view()?.subTaskId];
    await call(emulator, "startSubtasks", { fields: { taskId: "task", subTaskIds } });
    await emulator.settled();
    assert.deepEqual([view()?.errors.length, view()?.errors.at(-1)?.others], [100, 200]);
  });

  it("can be stopped, started and reset between any two of them", async () => {
    add(Array.from({ length: 20_000 }, (_, number) => `http://example.test/${number}`));
    const { lotNo } = await data(emulator, "startTask", { taskId: "task" });
    const status = () => emulator.inspect.run(lotNo)?.subtasks[0]?.status;
    const subTaskIds = [emulator.inspect.run(lotNo)?.subtasks[0]?.subTaskId];
    for (let times = 0; times < 3; times += 1) {
      await call(emulator, "stopSubtasks", { fields: { taskId: "task", subTaskIds } });
      assert.equal(status(), "stopped");
      await call(emulator, "startSubtasks", { fields: { taskId: "task", subTaskIds } });
      assert.notEqual(status(), "stopped");
    }
    await emulator.reset();
    await emulator.settled();
    assert.equal(emulator.inspect.run(lotNo), undefined);
  });
});

describe("the timeout of a page", () => {
  let emulator: Emulator;
  // First, because its requests keep the site open.
  afterEach(() => emulator.close());
  const site = eachTest(startSite);

  const silent = {
    "a page that does not respond": "/page",
    "a body that does not end": "/body",
    "the target of a redirect that does not respond": "/redirect",
  };
  for (const [what, path] of Object.entries(silent)) {
    const test = what === Object.keys(silent)[0] ? it : slowIt;
    test(`ends ${what}, also if all garbage is collected meanwhile`, async () => {
      site.pages.set(path, (_request, response) => {
        if (path === "/body") response.writeHead(200, { "content-type": "text/html" }).write("<b>");
        if (path === "/redirect") response.writeHead(302, { location: "/silent" }).end();
      });
      site.pages.set("/silent", () => undefined);
      emulator = await startWith([], { pageTimeoutMs: 300 });
      emulator.change.addTask({
        taskId: "task",
        taskGroupId: "group",
        actions: [extract],
        startUrls: [1, 2, 3, 4].map(() => `${site.url}${path}`),
        urlsPerSubtask: 1,
      });
      await data(emulator, "startTask", { taskId: "task" });
      const subtasks = () => emulator.inspect.runs("task")[0]?.subtasks ?? [];
      while (subtasks().some(({ status }) => status === "waiting" || status === "extracting")) {
        collectGarbage();
        await new Promise(setImmediate);
      }
      const reason = "no complete response within 300 ms";
      assert.deepEqual(
        subtasks().map(({ errors }) => errors.map(({ message }) => message)),
        [[reason], [reason], [reason], [reason]],
      );
    });
  }
});

describe("an option of startEmulator", () => {
  it("has a value that timers and memory allow", async () => {
    const most = { latencyMs: 600_000, pageTimeoutMs: 3_600_000, pageMemoryMb: 65_536, port: 65_535 };
    for (const [name, allowed] of Object.entries(most)) {
      for (const value of [allowed + 1, 2 ** 31, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(
          startEmulator({ [name]: value }),
          new RegExp(`option ${name} cannot be ${value}; allowed: an integer from [01] to ${allowed}$`),
        );
      }
    }
  });
});
