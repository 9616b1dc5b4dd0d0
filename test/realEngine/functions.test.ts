import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

/** Calls all five functions, once for secrets and once plain, with arguments that only an update knows, and reads `template-1`, which a preview can read too. */
const program = `
const w = require("pulumi-webextract");
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
const reads = (options) => ({
  actions: w.getActionsOutput({ taskIds: [run.taskId], actionTypes: ["NavigateAction"] }, options),
  subtasks: w.getSubtasksOutput({ taskId: run.taskId }, options),
  rows: w.getDataOutput({ taskId: run.taskId, offset: 20 }, options),
  batch: w.getBatchDataOutput({ taskId: run.taskId, lotNo: run.id, maxRows: 3 }, options),
  notExported: w.getNotExportedDataOutput({ taskId: run.taskId, maxRows: 4 }, options),
});
exports.secret = reads();
exports.plain = Object.entries(reads({ plain: true })).map(([name, answer]) => answer.apply((known) => name + " " + (known.rows || known).length));
exports.known = w.getActionsOutput({ taskIds: ["template-1"], actionTypes: ["LoopAction"] }, { plain: true }).apply(([task]) => task.actions.length);
`;

describe("functions on the engine", () => {
  let world: World;
  let withAccessToken: Record<string, string>;
  let withRefreshToken: Record<string, string>;
  before(async () => {
    world = await World.create({ program, withCredentials: false });
    const { accessToken, refreshToken } = world.emulator.credentials;
    withAccessToken = { WEBEXTRACT_ACCESS_TOKEN: accessToken };
    withRefreshToken = { WEBEXTRACT_REFRESH_TOKEN: refreshToken };
  });
  after(() => world.remove());

  /** The reads of the copy, without duplicates: a list of subtasks is read to its last page, and the wait of a run reads one row at a time. */
  const asked = (): string[] =>
    world.emulator.requests
      .filter(({ body, query }) => JSON.stringify([body, query]).includes(world.copies()[0] ?? ""))
      .filter(({ query }) => (query.page === undefined || query.page === "1") && query.size !== "1")
      .map(({ operation }) => operation)
      .sort();

  it("return unknown values in a preview if an argument is unknown, and make no request", async () => {
    const { output } = await world.project.preview({ env: withAccessToken });
    // The newest engine shows an unknown secret as a secret.
    assert.equal(output.match(/\[unknown\]|\[secret\]/g)?.length, 10, output);
    assert.ok((output.match(/\[unknown\]/g)?.length ?? 0) >= 6, output);
    assert.match(output, /known\s*: 1/);
    assert.deepEqual(world.operations(), ["getActions"]);
  });

  it("return their results after the update", async () => {
    await world.project.up({ env: withAccessToken });
    const [taskId = ""] = world.copies();
    const rows = world.emulator.inspect.rows(taskId);
    const outputs = (await world.project.outputs()) as Record<string, Record<string, unknown>>;
    assert.deepEqual(outputs.plain, ["actions 1", "subtasks 3", "rows 5", "batch 3", "notExported 4"]);
    assert.deepEqual(outputs.secret?.rows, { rows: rows.slice(20), total: 25 });
    assert.deepEqual(outputs.secret?.batch, { rows: rows.slice(0, 3), total: 25 });
    assert.deepEqual(outputs.secret?.notExported, { rows: rows.slice(0, 4), total: 25 });
  });

  slowIt(
    "request again in the next run, also with a refresh token, and return secrets unless plain is set, in the output and in the state",
    async () => {
      world.operations();
      const { output } = await world.project.up({ env: withRefreshToken });
      assert.equal(world.emulator.findRequests({ operation: "refreshToken" }).length, 1);
      assert.deepEqual(
        [...new Set(asked())],
        ["getActions", "getBatchData", "getData", "getNotExportedData", "getSubtasks"],
      );
      for (const name of ["actions", "rows", "batch", "notExported"]) {
        assert.match(output, new RegExp(`${name}\\s*: \\[secret\\]`));
      }
      const [taskId = ""] = world.copies();
      const values = world.emulator.inspect.rows(taskId).flatMap((row) => Object.values(row).map(String));
      const telling = values.filter((value) => value.length >= 8);
      assert.ok(telling.length > 0);
      assert.deepEqual(world.project.findWritten(telling), []);
    },
  );

  it("never use a refresh token in a preview: without another credential they return unknown values, with one warning", async () => {
    world.operations();
    const { output } = await world.project.preview({ env: withRefreshToken });
    assert.equal(output.match(/^ +warning: pulumi-webextract: In a preview, reads use only accessToken/gm)?.length, 1);
    assert.match(output, /"rows 5" => \[unknown\]/);
    assert.deepEqual(world.operations(), []);
  });

  /** Reads of `template-1` that name no resource in their arguments. */
  const reading = (trigger: number): string => `
    const w = require("pulumi-webextract");
    class Job extends pulumi.ComponentResource {
      constructor(name) {
        super("test:index:Job", name);
        this.run = new CloudRun("run", { taskId: "template-1", waitFor: "finished", pollSeconds: 0, triggers: [${trigger}] }, { parent: this });
        this.early = w.getDataOutput({ taskId: "template-1", maxRows: 1 }, { parent: this, plain: true }).rows.length;
        this.registerOutputs();
      }
    }
    const job = new Job("job");
    const total = (options) => w.getDataOutput({ taskId: "template-1" }, { plain: true, ...options }).total;
    exports.run = total({ dependsOn: job.run });
    exports.list = total({ dependsOn: [pulumi.output(job.run)] });
    exports.component = total({ dependsOn: job });
    exports.child = total({ parent: job.run });
    exports.early = job.early.apply(() => "read");
  `;
  const rowsRead = (): number => world.operations().filter((operation) => operation === "getData").length;

  it("wait for their dependencies: in a preview they make no request before all dependencies exist", async () => {
    world.program(reading(1));
    world.operations();
    const { output } = await world.project.preview({ env: withAccessToken });
    for (const name of ["run", "list", "component", "child"]) {
      assert.match(output, new RegExp(`^ +\\+? *${name} *: \\[unknown\\]`, "m"));
    }
    assert.match(output, /early *: "read"/);
    assert.equal(rowsRead(), 1);
  });

  it("wait for their dependencies in an update", async () => {
    await world.project.up({ env: { ...withAccessToken, WEBEXTRACT_FORCE_DESTROY: "true" } });
    const outputs = await world.project.outputs();
    assert.deepEqual(outputs, { run: 25, list: 25, component: 25, child: 25, early: "read" });
  });

  slowIt(
    "read in a preview if their dependencies exist and will not be replaced, also with a credentialCommand",
    async () => {
      const answer = JSON.stringify({ Version: 1, AccessToken: world.emulator.credentials.accessToken });
      world.project.write("credentials.js", `console.log(${JSON.stringify(answer)});`);
      world.operations();
      const { output } = await world.project.preview({
        env: { WEBEXTRACT_CREDENTIAL_COMMAND: `${process.execPath} credentials.js` },
      });
      assert.doesNotMatch(output, /warning/);
      assert.equal(rowsRead(), 5);
      world.program(reading(2));
      await world.project.preview({ env: withAccessToken });
      // The read that depends only on the component itself.
      assert.equal(rowsRead(), 1);
    },
  );

  slowIt("return a promise only with plain: true, because a promise cannot be marked as a secret", async () => {
    world.program(`
      const w = require("pulumi-webextract");
      module.exports = async () => ({
        subtasks: (await w.getSubtasks({ taskId: "template-1" })).length,
        rows: (await w.getData({ taskId: "template-1" }, { plain: true })).total,
        refused: await w.getData({ taskId: "template-1" }).catch((error) => error.message),
      });
    `);
    await world.project.up({ env: { ...withAccessToken, WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.deepEqual(await world.project.outputs(), {
      subtasks: 3,
      rows: 25,
      refused: "getData: a promise cannot be marked as a secret. Use getDataOutput, or set { plain: true }.",
    });
  });
});
