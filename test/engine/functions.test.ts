import assert from "node:assert/strict";
import { World } from "./world";

const program = `
const w = require("pulumi-webextract");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
exports.rows = w.getBatchDataOutput({ taskId: copy.id, lotNo: run.id, maxRows: 3 });
exports.again = w.getBatchDataOutput({ taskId: copy.id, lotNo: run.id, maxRows: 3 }, { plain: true }).rows.length;
exports.subtasks = w.getSubtasksOutput({ taskId: run.taskId }).apply((list) => list.length);
exports.actions = w.getActionsOutput({ taskIds: ["template-1"], actionTypes: ["NavigateAction"] });
`;

describe("functions on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program });
  });
  after(() => world.remove());

  it("are unknown in a preview where an argument is, and ask nothing then", async () => {
    const { output } = await world.project.preview();
    assert.match(output, /rows\s*: \[unknown\]/);
    assert.deepEqual(world.operations(), ["getActions"]);
  });

  it("answer after the update, ask once for the same arguments, and are secret unless said otherwise", async () => {
    const { output } = await world.project.up();
    assert.match(output, /rows\s*: \[secret\]/);
    assert.match(output, /actions\s*: \[secret\]/);
    assert.match(output, /again\s*: 3/);
    assert.match(output, /subtasks\s*: 3/);
    // A wait asks for one row at a time, to show how many there are.
    const reads = world.emulator.requests.filter(({ operation }) => operation === "getBatchData");
    assert.equal(reads.filter(({ query }) => Number(query.size) > 1).length, 1);
    const [taskId = ""] = world.copies();
    const { rows } = (await world.project.outputs()) as { rows: { rows: unknown[]; total: number } };
    assert.deepEqual(rows.rows, world.emulator.inspect.rows(taskId).slice(0, 3));
    assert.equal(rows.total, 25);
  });

  it("never use up a refresh token in a preview: without another credential they are unknown, with one warning", async () => {
    await world.project.run(["config", "rm", "webextract:accessToken"]);
    await world.project.configure({}, { "webextract:refreshToken": world.emulator.credentials.refreshToken });
    world.operations();
    const { output } = await world.project.preview();
    assert.equal(output.match(/^ +warning: pulumi-webextract: in a preview reads use accessToken/gm)?.length, 1);
    assert.deepEqual(world.operations(), []);
  });
});
