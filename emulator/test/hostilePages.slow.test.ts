import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator, EmulatorOptions, SeedAction } from "webextract-emulator";
import { eachTest } from "../../test/eachTest";
import { isLarge } from "../../test/environment";
import { runTemplate, startWith } from "./caller";
import { emulator as emulatorProcess } from "./emulatorProcess";
import { startSite } from "./pageSite";

const extract = (properties: Record<string, string>): SeedAction => ({
  actionType: "ExtractDataAction",
  actionId: "extract",
  properties,
});
const details = (properties: Record<string, string>): SeedAction => ({
  actionType: "DetailAction",
  actionId: "detail",
  properties,
});

/** A selector that takes more than a day on this page. */
const endless = { RowSelector: "body", "Field.a": "b ~ p ~ q ~ p ~ q ~ p ~ q" };
const siblings = "<p></p><q></q>".repeat(5000);

describe("a page that nobody expects", () => {
  let emulator: Emulator;
  // First, because its requests keep the site open.
  afterEach(() => emulator.close());
  const site = eachTest(startSite);

  const run = async (page: string, actions: SeedAction[], options: EmulatorOptions = {}) => {
    emulator = await startWith([], options);
    site.pages.set("/", page);
    site.pages.set("/small", "<b>small</b>");
    emulator.change.addTask({
      taskId: "task",
      taskGroupId: "group",
      actions,
      startUrls: [`${site.url}/`, `${site.url}/small`],
      urlsPerSubtask: 1,
    });
    await runTemplate(emulator, "task");
    const subtasks = emulator.inspect.runs("task")[0]?.subtasks ?? [];
    return subtasks.map(({ status, errors }) => [status, ...errors.map(({ message }) => message)]);
  };

  it("can have many rows with details", async () => {
    const count = isLarge ? 150_000 : 30_000;
    const rows = "<li><a></a>".repeat(count);
    const detail = details({ LinkSelector: "a", "Field.b": "b" });
    const statuses = await run(rows, [extract({ RowSelector: "li" }), detail], { pageTimeoutMs: 100_000 });
    assert.deepEqual(statuses, [["finished"], ["finished"]]);
    assert.equal(emulator.inspect.run(emulator.inspect.runs("task")[0]?.lotNo ?? "")?.rowCount, count);
  });

  it("fails its subtask if reading it takes too long, and the next page is read", async () => {
    assert.deepEqual(await run(siblings, [extract(endless)], { pageTimeoutMs: 2000 }), [
      ["failed", "reading it took more than 2000 ms"],
      ["finished"],
    ]);
  });

  it("fails its subtask if reading it takes too much memory, and the next page is read", async () => {
    const large = "<i>".repeat(3_000_000);
    assert.deepEqual(await run(large, [extract({ RowSelector: "b" })], { pageMemoryMb: 100, pageTimeoutMs: 60_000 }), [
      ["failed", "reading it took more than 100 MB of memory"],
      ["finished"],
    ]);
  });

  it("fails its subtask if its body never ends", async () => {
    emulator = await startWith([], { pageTimeoutMs: 500 });
    site.pages.set("/open", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).write("<b>");
    });
    emulator.change.addTask({
      taskId: "task",
      taskGroupId: "group",
      actions: [extract({ "Field.b": "b" })],
      startUrls: [`${site.url}/open`],
    });
    await runTemplate(emulator, "task");
    const [subtask] = emulator.inspect.runs("task")[0]?.subtasks ?? [];
    assert.equal(subtask?.status, "failed");
    assert.deepEqual(
      subtask.errors.map(({ message }) => message),
      ["no complete response within 500 ms"],
    );
  });

  it("names the property and the selector that cannot be used", async () => {
    const selectors: [SeedAction[], string][] = [
      [[extract({ RowSelector: "li[[" })], "RowSelector"],
      [[extract({ "Field.a": "li[[" })], "Field.a"],
      [[extract({}), details({ LinkSelector: "li[[" })], "LinkSelector"],
      [
        [extract({}), { actionType: "PaginationAction", actionId: "pages", properties: { NextSelector: "li[[" } }],
        "NextSelector",
      ],
      [[{ actionType: "EnterTextAction", actionId: "enter", properties: { Selector: "li[[" } }], "Selector"],
    ];
    emulator = await startWith();
    site.pages.set("/", "<li>");
    for (const [index, [actions, property]] of selectors.entries()) {
      const taskId = `task-${index}`;
      emulator.change.addTask({ taskId, taskGroupId: "group", actions, startUrls: [`${site.url}/`] });
      await runTemplate(emulator, taskId);
      const message = emulator.inspect.runs(taskId)[0]?.subtasks[0]?.errors[0]?.message;
      assert.equal(message, `${property}: "li[[" cannot be used as a selector: Expected name, found [`, property);
    }
  });
});

describe("webextract-emulator while it reads a page without end", () => {
  it("responds to requests and stops", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-pages-"));
    const site = await startSite();
    site.pages.set("/", siblings);
    const seed = join(folder, "seed.json");
    const task = {
      taskId: "task",
      taskGroupId: "group",
      actions: [extract(endless)],
      startUrls: [`${site.url}/`],
    };
    writeFileSync(seed, JSON.stringify({ taskGroups: [{ taskGroupId: "group" }], tasks: [task] }));
    const running = emulatorProcess("--port", "0", "--seed", seed, "--page-timeout", "3600000");
    const url = await running.says(/webextract:baseUrl (http:\S+)/);
    const token = await running.says(/--secret webextract:accessToken (\S+)/);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    await fetch(`${url}/cloudextraction/start`, { method: "POST", headers, body: JSON.stringify({ taskId: "task" }) });
    while (site.asked.length === 0) await new Promise(setImmediate);
    // Several requests, so that one of them arrives while the page is read.
    for (let read = 0; read < 100; read += 1) {
      const response = await fetch(`${url}/cloudextraction/task/subtasks?taskId=task&page=1&size=1`, { headers });
      assert.match(await response.text(), /"Extracting"/);
    }
    running.process.kill("SIGTERM");
    assert.equal(await running.ended, 0);
    assert.match(running.output(), /The emulator has stopped/);
    await site.close();
    rmSync(folder, { recursive: true });
  });
});
