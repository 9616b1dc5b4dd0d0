import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSeed, startEmulator } from "webextract-emulator";
import { data, runTemplate, startWith } from "./caller";
import { emulator } from "./emulatorProcess";
import type { Store } from "./internals";
import { createFromDocument } from "./internals";

/** Work that grows with the square of the number does not end before the timeout of a test. */
describe("an emulator with much content", () => {
  it("checks a seed of 500,000 tasks", () => {
    // This takes about 2 s, and minutes with a search of all ids for each id.
    const ids = Array.from({ length: 500_000 }, (_, index) => `t${index}`);
    const seed = {
      taskGroups: ids.map((taskGroupId) => ({ taskGroupId })),
      tasks: ids.map((taskId) => ({ taskId, taskGroupId: taskId, actions: [] })),
    };
    assert.equal(checkSeed(seed), seed);
  }).timeout(120_000);

  it("refuses a document of a pipe that is too long", async () => {
    const running = emulator("import", join(tmpdir(), "never-created.db"), "-");
    const { stdin } = running.process;
    // It ends while the document still arrives.
    stdin.on("error", () => undefined);
    const part = Buffer.alloc(16 * 1024 * 1024, " ");
    for (let count = 0; count < 40 && stdin.writable; count += 1) {
      if (!stdin.write(part)) await Promise.race([once(stdin, "drain").catch(() => undefined), running.ended]);
    }
    assert.equal(await running.ended, 1);
    assert.match(
      running.output(),
      /^error: the standard input has more than 512 MB, and a document can have at most 512 MB/,
    );
  });

  it("continues with 50,000 finished runs, and starts another one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emulator-many-"));
    const first = await startWith();
    await runTemplate(first);
    const state = first.exportState();
    await first.close();
    const [run] = state.runs;
    assert.ok(run !== undefined);
    state.runs = Array.from({ length: 50_000 }, (_, index) => ({
      ...run,
      lotNo: String(BigInt(run.lotNo) + BigInt(index)),
    }));
    const stateFile = join(folder, "state.db");
    createFromDocument(stateFile, state);
    const second = await startEmulator({ stateFile });
    try {
      const { store } = second.inspect as unknown as { store: Store };
      const { lotNo } = await data(second, "startTask", { taskId: "template" });
      await second.settled();
      assert.ok(BigInt(lotNo) > BigInt(state.runs.at(-1)?.lotNo ?? 0));
      const read = [...store.runs.keys()].filter((each) => store.runs.isRead(each));
      assert.deepEqual(read, [lotNo], "no finished run is read");
      assert.equal(second.inspect.runs("template").length, 50_001);
    } finally {
      await second.close();
      rmSync(folder, { recursive: true });
    }
  });
});
