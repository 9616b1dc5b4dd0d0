import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../environment";
import { template, World } from "./world";

const program = (run: string, rest = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
const config = new TaskActionConfig("config", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" } } } });
const loop = new TaskLoopItems("loop", { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ["https://shop.test/1"] });
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://shop.test/a"] });
const run = new CloudRun("run", { taskId: copy.id, pollSeconds: 0, ${run} });
const rows = new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "out/rows.ndjson" });
${rest}
exports.lotNo = run.lotNo;
exports.file = rows.file;
exports.rowCount = rows.rowCount;
`;

describe("a cloud run and its export on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: program('waitFor: "finished", rerunOn: [config, loop]'),
      emulator: { behaviour: { readsUntilFinished: 4, subtaskListLag: 1 } },
    });
  });
  after(() => world.remove());

  it("starts after the last configuration and exports after the end without dependsOn, in pages of 200 rows", async () => {
    await world.project.up({ args: ["--parallel", "200"] });
    const reads = world.emulator.requests.filter(({ operation }) => operation === "getBatchData");
    const operations = world.operations();
    const start = operations.indexOf("startTask");
    for (const write of ["updateActionProperties", "updateLoopItems", "updateTaskUrls"]) {
      assert.ok(operations.indexOf(write) >= 0 && operations.indexOf(write) < start, `${write} before the start`);
    }
    assert.equal(reads.filter(({ query }) => Number(query.size) > 1).length, 1);
    assert.equal(operations.at(-1), "getBatchData");
    const { lotNo, file, rowCount } = await world.project.outputs();
    assert.match(String(lotNo), /^\d{18}$/);
    const [taskId = ""] = world.copies();
    const expected = world.emulator.inspect.rows(taskId, String(lotNo));
    assert.equal(rowCount, 25);
    const lines = readFileSync(join(world.project.folder, String(file)), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected,
    );
  });

  slowIt("starts nothing in an up without a changed trigger, also if wait options change", async () => {
    world.program(program('waitFor: "finished", rerunOn: [config, loop], timeoutSeconds: 100'));
    await world.project.up();
    assert.deepEqual(world.operations(), []);
  });

  const rerun = 'waitFor: "finished", triggers: ["monday"], rerunOn: [config, loop]';

  it("starts once if a trigger changes, and exports the new run into the same file", async () => {
    world.program(program(rerun));
    await world.project.up();
    assert.equal(world.operations().filter((operation) => operation === "startTask").length, 1);
    const { lotNo, file } = await world.project.outputs();
    const [taskId = ""] = world.copies();
    const lines = readFileSync(join(world.project.folder, String(file)), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      world.emulator.inspect.rows(taskId, String(lotNo)),
    );
    assert.equal(world.emulator.inspect.runs(taskId).length, 2);
  });

  it("starts once if a resource of rerunOn changes", async () => {
    world.program(program(rerun).replace("https://shop.test/1", "https://shop.test/2"));
    const { output } = await world.project.up();
    assert.match(output, /CloudRun run created replacement .*\[diff: \+?~?rerunOn\]/);
    assert.equal(world.operations().filter((operation) => operation === "startTask").length, 1);
  });
});

describe("a wait for a cloud run on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: program('waitFor: "finished", timeoutSeconds: 0'),
      emulator: { behaviour: { readsUntilFinished: 3 } },
    });
  });
  after(() => world.remove());

  slowIt("keeps the run at its timeout, and the next up continues to wait and starts nothing", async () => {
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /was not seen to finish within 0 s.*It may continue at the service.*Run "pulumi up" again/s);
    const { id } = world.project.resource("run");
    assert.equal(world.operations().filter((operation) => operation === "startTask").length, 1);
    world.program(program('waitFor: "finished"'));
    await world.project.up({ args: ["--refresh"] });
    assert.equal(world.operations().filter((operation) => operation === "startTask").length, 0);
    assert.equal(world.project.resource("run").id, id);
    assert.equal(world.project.resource("run").outputs?.status, "finished");
  });
});

describe("a run with failed subtasks", () => {
  slowIt(
    "fails the up, names the subtasks, what to do and the page, exports nothing, and fails each later up again",
    async () => {
      const world = await World.create({
        program: program('waitFor: "finished"'),
        seed: {
          ...template,
          tasks: template.tasks.map((task) => ({ ...task, syntheticRows: undefined, syntheticSubtasks: undefined })),
        },
      });
      try {
        // All subtasks fail, because the emulator opens no page outside of this machine.
        for (let attempt = 1; attempt <= 2; attempt++) {
          const { output } = await world.project.up({ expect: "failure" });
          assert.match(output, /ended failed.*\(Failed\).*change triggers\.\s+More: \S+troubleshooting\.md#runs/s);
        }
        assert.equal(world.operations().filter((operation) => operation === "startTask").length, 1);
        assert.equal(existsSync(join(world.project.folder, "out")), false);
      } finally {
        await world.remove();
      }
    },
  );
});
