import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { slowIt } from "../../test/environment";
import { repositoryRoot } from "../../test/realEngine/harness/package";
import { useEmulator } from "./caller";
import { startSite } from "./pageSite";

/** Runs 3,000 pages. In a process of its own, because a collection of new objects alone depends on all that the process does. */
const script = `
const { startEmulator } = require("webextract-emulator");
const pages = 3000;
async function run(emulator, taskId, urls) {
  emulator.change.addTask({ taskId, taskGroupId: "group", actions: [], startUrls: urls, urlsPerSubtask: urls.length });
  const lotNo = emulator.change.startRun(taskId);
  await emulator.settled();
  return emulator.inspect.run(lotNo).subtasks.flatMap(({ errors }) => errors.map(({ message }) => message));
}
async function measure(site) {
  const emulator = await startEmulator({ seed: { taskGroups: [{ taskGroupId: "group" }], tasks: [] } });
  const urls = Array.from({ length: pages }, (_, index) => site + "/" + index);
  const messages = await run(emulator, "first", urls.slice(0, 200));
  gc();
  const before = process.memoryUsage().heapUsed;
  await run(emulator, "task", urls);
  gc({ type: "minor" });
  gc({ type: "minor" });
  const bytesOfPage = (process.memoryUsage().heapUsed - before) / pages;
  await emulator.close();
  console.log(JSON.stringify({ messages: [...new Set(messages)], bytesOfPage }));
}
measure(process.argv[1]);
`;

async function inOwnProcess(site: string): Promise<{ messages: string[]; bytesOfPage: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "-e", script, site], {
    cwd: repositoryRoot,
  });
  return JSON.parse(stdout);
}

describe("a run whose pages cannot be opened", () => {
  const emulator = useEmulator();

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

  slowIt("leaves no memory behind that only a collection of all memory frees", async () => {
    const site = await startSite();
    await site.close();
    const { messages, bytesOfPage } = await inOwnProcess(site.url);
    assert.deepEqual(messages, ["could not be fetched (ECONNREFUSED)"]);
    assert.ok(bytesOfPage < 1000, `${Math.round(bytesOfPage)} bytes of each page`);
  });

  it("opens no port of a service that is no web site", async () => {
    assert.deepEqual(await run("task", ["http://127.0.0.1:1/", "http://127.0.0.1:6000/"]), [
      "no page is opened on port 1",
      "no page is opened on port 6000",
    ]);
  });
});
