import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Emulator } from "webextract-emulator";
import { startWith } from "./caller";
import { startSite } from "./pageSite";

setFlagsFromString("--expose-gc");
const collectGarbage: (options?: { type: "minor" }) => void = runInNewContext("gc");

describe("a run whose pages cannot be opened", () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startWith([], { crawling: { retries: 0 } });
  });
  afterEach(() => emulator.close());

  async function run(taskId: string, urls: string[]): Promise<readonly string[]> {
    emulator.change.addTask({
      taskId,
      taskGroupId: "group",
      actions: [],
      startUrls: urls,
      urlsPerSubtask: urls.length,
    });
    const lotNo = emulator.change.startRun(taskId);
    await emulator.settled();
    return emulator.inspect.run(lotNo)?.subtasks.flatMap(({ errors }) => errors.map(({ message }) => message)) ?? [];
  }

  it("leaves no memory behind that only a collection of all memory frees", async () => {
    const site = await startSite();
    await site.close();
    const pages = 3000;
    const urls = Array.from({ length: pages }, (_, index) => `${site.url}/${index}`);
    const messages = await run("first", urls.slice(0, 200));
    assert.deepEqual([...new Set(messages)], ["could not be fetched (ECONNREFUSED)"]);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await run("task", urls);
    collectGarbage({ type: "minor" });
    collectGarbage({ type: "minor" });
    const kept = (process.memoryUsage().heapUsed - before) / pages;
    assert.ok(kept < 1000, `${Math.round(kept)} bytes of each page`);
  });

  it("opens no port of a service that is no web site", async () => {
    assert.deepEqual(await run("task", ["http://127.0.0.1:1/", "http://127.0.0.1:6000/"]), [
      "no page is opened on port 1",
      "no page is opened on port 6000",
    ]);
  });
});
