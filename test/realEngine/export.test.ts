import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "webextract-emulator";
import { template, World } from "./world";

/** Two templates whose runs return different rows. */
const seed: Seed = {
  ...template,
  tasks: [...template.tasks, { taskId: "template-2", taskGroupId: "group-1", actions: [], syntheticRows: 7 }],
};

const fixedPath = (source: string, path = "rows.ndjson"): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "${source}", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
const rows = new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "${path}" });
exports.lotNo = run.lotNo;
`;

const marking = (args: string): string => `
new DataExport("rows", { taskId: "template-1", path: "out/m-{n}.ndjson", markExported: true, ${args} });
`;

describe("an export with a fixed path on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ seed, program: fixedPath("template-1") });
  });
  after(() => world.remove());

  it("writes the rows of the new task into the same file after the task was replaced", async () => {
    await world.project.up();
    const before = readFileSync(join(world.project.folder, "rows.ndjson"), "utf8");
    world.program(fixedPath("template-2"));
    const plan = await world.project.previewJson();
    assert.deepEqual(
      plan.steps.filter(({ urn }) => urn.endsWith("::rows")).map(({ op }) => op),
      ["update"],
    );
    await world.project.up();
    const after = readFileSync(join(world.project.folder, "rows.ndjson"), "utf8");
    assert.deepEqual(
      [before, after].map((content) => content.split("\n").length - 1),
      [25, 7],
    );
    assert.equal(world.project.resource("rows").outputs?.rowCount, 7);
    const { output } = await world.project.up();
    assert.match(output, /4 unchanged/);
  });

  it("is refused before the copy and the run if a file of somebody else has its name", async () => {
    world.project.write("theirs.ndjson", "theirs");
    world.program(fixedPath("template-1", "theirs.ndjson"));
    world.operations();
    const { output } = await world.project.run(["up", "--yes"], { expect: "failure" });
    assert.match(output, /path names a file that exists/);
    assert.deepEqual(world.operations(), []);
    assert.equal(readFileSync(join(world.project.folder, "theirs.ndjson"), "utf8"), "theirs");
  });
});

describe("an export whose mark is refused on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: "" });
  });
  after(() => world.remove());
  const files = (): string[] => readdirSync(join(world.project.folder, "out")).sort();

  it("leaves one file after several attempts, and names the scope that marks every row", async () => {
    world.emulator.change.insertRows("template-1", ['{"other":1}']);
    const lotNo = world.emulator.change.startRun("template-1");
    await world.emulator.settled();
    world.program(marking(`scope: "batch", lotNo: "${lotNo}"`));
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /not marked as exported.*scope: "all"/s);
      assert.deepEqual(files(), ["m-1.ndjson"]);
      if (attempt === 2) {
        await world.project.refresh();
      }
    }
    assert.equal(world.emulator.inspect.exportedCount("template-1"), 0);
    world.program(marking(`scope: "all"`));
    await world.project.up();
    assert.equal(world.emulator.inspect.exportedCount("template-1"), 26);
    assert.deepEqual(files(), ["m-1.ndjson"]);
    assert.equal(world.project.resource("rows").outputs?.rowCount, 26);
  });

  it("writes nothing if the mark can be refused before the read", async () => {
    world.emulator.change.holdRuns();
    world.emulator.change.startRun("template-1");
    world.program(marking('scope: "all"').replace("out/", "other/"));
    await world.project.up({ expect: "failure" });
    assert.equal(existsSync(join(world.project.folder, "other")), false);
  });
});
