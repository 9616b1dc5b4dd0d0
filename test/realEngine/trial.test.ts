import assert from "node:assert/strict";
import { isLarge, slowIt } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const ids = ["production-1", "production-2", "production-3"];
const seed = {
  taskGroups: [{ taskGroupId: "shops" }, { taskGroupId: "trials" }],
  tasks: ids.map((taskId) => ({
    taskId,
    taskGroupId: "shops",
    syntheticRows: 3,
    actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/" } }],
  })),
};

/** Tasks that production adopts: one resource for all, single resources, and a manifest. */
const program = (more = "") => `
const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } };
const whole = new ExtractionTask("whole", { from: { adoptTaskId: "production-1" }, actions });
const bare = new TaskCopy("bare", { adoptTaskId: "production-2" });
new TaskActionConfig("settings", { taskId: bare.id, actions });
for (const [name, { id: taskId }] of Object.entries({ whole, bare })) {
  const run = new CloudRun(name, { taskId, waitFor: "finished", pollSeconds: 0 });
  new DataExport(name, { taskId, scope: "batch", lotNo: run.id, path: name + "-{lotNo}.ndjson" });
}
new (require("pulumi-webextract").Manifest)("tasks", { path: "tasks" });
exports.ids = [whole.id, bare.id];
${more}`;

const manifest = `
from: { adoptTaskId: production-3 }
actions: { open: { actionType: NavigateAction, properties: { Url: "https://new.test/" } } }
run: { waitFor: finished, pollSeconds: 0 }
`;

const fronts = { "the classes": "false", ...(isLarge && { "the plugin": "true" }) };
for (const [front, native] of Object.entries(fronts)) {
  describe(`a trial stack of adopted tasks, with ${front}`, () => {
    let world: World;
    before(async () => {
      world = await World.create({
        program: program(),
        seed,
        stack: "trial",
        files: { "tasks/manifested.yaml": manifest },
        config: { "webextract:native": native, "webextract:trialGroup": "trials" },
        path: [pluginFolder()],
      });
    });
    after(() => world.remove());

    /** What was asked of the tasks of production since the last call, apart from copies and reads of what is copied. */
    const atProduction = (): string[] => {
      const asked = world.emulator.requests.filter((request) => ids.some((id) => JSON.stringify(request).includes(id)));
      world.emulator.clearRequests();
      return (
        asked
          // The look at the address before the first copy reads one row.
          .filter(({ operation, query }) => !(operation === "getData" && query.size === "1"))
          .map(({ operation }) => operation)
          .filter((operation) => !["copyTask", "getActions"].includes(operation))
      );
    };
    const copies = (): string[] => world.copies().filter((taskId) => !ids.includes(taskId));

    it("shows copies in the preview", async () => {
      const { output } = await world.project.preview({ args: ["--diff"] });
      for (const id of ids) {
        assert.match(output, new RegExp(`sourceTaskId *: "${id}"\\s+(?:\\[.*\\]\\s+)?taskGroupId *: "trials"`));
      }
      assert.doesNotMatch(output, /adoptTaskId/);
      assert.deepEqual(world.operations(), []);
    });

    it("configures and runs its copies, and sends the tasks of production nothing else", async () => {
      await world.project.up();
      assert.deepEqual(atProduction(), []);
      assert.equal(copies().length, 3);
      for (const taskId of copies()) {
        assert.equal(world.emulator.inspect.runs(taskId).length, 1);
      }
      for (const id of ids) {
        assert.equal(world.emulator.inspect.runs(id).length, 0);
        assert.equal(world.emulator.inspect.task(id)?.actions[0]?.properties.Url, "https://old.test/");
      }
      await world.project.up({ args: ["--expect-no-changes"] });
      assert.deepEqual(world.operations(), []);
    });

    it("refuses a task as a string and a run of another stack in the preview, and names both", async () => {
      world.program(program('new CloudRun("literal", { taskId: "production-1" });'));
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /names task "production-1", which this stack has not made, .* Pass the id of its/);
      world.program(program('new CloudRun("earlier", { taskId: whole.id, adoptLotNo: "7" });'));
      const other = await world.project.preview({ expect: "failure" });
      assert.match(other.output, /names a run that this stack has not made/);
      assert.deepEqual(world.operations(), []);
    });

    slowIt("changes a single resource of it with --target", async () => {
      world.program(program().replace(/whole-|name \+ "-/, 'name + "-again-'));
      const target = String(world.project.state().resources.find(({ urn }) => urn.endsWith("DataExport::whole"))?.urn);
      await world.project.up({ args: [`--target=${target}`] });
      assert.deepEqual(new Set(world.operations()), new Set(["getSubtasks", "getBatchData"]));
    });

    slowIt("adopts nothing of production when the key is removed", async () => {
      world.program(program());
      await world.project.up();
      world.operations();
      await world.project.configure({ "webextract:trialGroup": "" });
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(
        output,
        /is the copy of a trial, and webextract:trialGroup is not set: "production-\d" itself would take/,
      );
      assert.deepEqual(world.operations(), []);
      await world.project.configure({ "webextract:trialGroup": "trials" });
    });

    slowIt("adopts its own copy after a lost response, and nothing else", async () => {
      const lost = (args: string) => `new TaskCopy("lost", { ${args} });`;
      world.program(program(lost('adoptTaskId: "production-1"')));
      world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
      await world.project.up({ expect: "failure" });
      const [made = ""] = copies().slice(-1);
      world.program(program(lost(`sourceTaskId: "production-1", taskGroupId: "trials", adoptTaskId: "${made}"`)));
      await world.project.up();
      assert.equal(world.project.resource("lost").id, made);
      world.program(program(lost('adoptTaskId: "production-1"')));
      await world.project.up({ args: ["--expect-no-changes"] });
      world.program(program(lost('sourceTaskId: "production-1", taskGroupId: "trials", adoptTaskId: "production-2"')));
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /would adopt "production-2", which this stack has not made/);
      assert.equal(copies().length, 4);
      assert.deepEqual(atProduction(), []);
    });

    slowIt("refuses the key in a stack that has adopted tasks", async () => {
      world.program("");
      await world.project.up({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
      await world.project.configure({ "webextract:trialGroup": "" });
      world.program(program());
      await world.project.up();
      world.operations();
      await world.project.configure({ "webextract:trialGroup": "trials" });
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /names a task that this stack has adopted, and webextract:trialGroup is set/);
      assert.deepEqual(world.operations(), []);
    });
  });
}
