import assert from "node:assert/strict";
import { join } from "node:path";
import type { Seed } from "webextract-emulator";
import { slowIt } from "../environment";
import { World } from "./world";

const tasks = ["first", "byId", "byStatus", "byTask"];
const seed: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: tasks.map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    syntheticRows: 2,
    syntheticSubtasks: 1,
    actions: [],
  })),
};

/** A run, and three that get one output of it each as their trigger. Only the id is another one after a new run. */
const program = (trigger: number): string => `
const stopped = { onDelete: "stop", pollSeconds: 0 };
const first = new CloudRun("first", { taskId: "first", triggers: [${trigger}], ...stopped });
const ofProgram = { runOnLabel: false, ...stopped };
new CloudRun("byId", { taskId: "byId", triggers: [first.id], ...ofProgram });
new CloudRun("byStatus", { taskId: "byStatus", triggers: [first.status], ...ofProgram });
new CloudRun("byTask", { taskId: "byTask", triggers: first.taskId, ...ofProgram }, { replaceOnChanges: ["triggers"] });
`;

const under = (label: string, args: string[] = []) => ({ env: { WEBEXTRACT_RUN_LABEL: label }, args });

describe("runs with outputs of another run as triggers, on the engine", () => {
  let world: World;
  before(async () => {
    // Every run is in progress until it is stopped.
    world = await World.create({ program: program(1), seed, emulator: { behaviour: { readsUntilFinished: 1000 } } });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  /** The starts and stops since the last call. */
  function sent(): string[] {
    const calls = world.emulator.requests.flatMap(({ operation, body }) =>
      ["startTask", "stopSubtasks"].includes(operation) ? [`${operation} ${(body as { taskId?: string }).taskId}`] : [],
    );
    world.emulator.clearRequests();
    return calls;
  }
  const again = (task: string): string[] => [`stopSubtasks ${task}`, `startTask ${task}`];
  const id = (name: string): unknown => world.project.resource(name).id;

  it("show as replaced in a preview only if the value is not known yet", async () => {
    const plan = await world.project.previewJson(under("a"));
    const replaced = plan.steps.filter(({ op }) => op === "replace").map(({ urn }) => urn.split("::").at(-1));
    assert.deepEqual(replaced.sort(), ["byId", "byStatus", "first"]);
  });

  it("neither start nor stop under a label that --target gives to the other run only", async () => {
    const before = tasks.map(id);
    await world.project.up(under("a", ["--target", world.project.resource("first").urn]));
    assert.deepEqual(sent(), again("first"));
    assert.deepEqual(tasks.slice(1).map(id), before.slice(1));
  });

  it("start once for the new id, and never for an equal value", async () => {
    await world.project.up(under("a"));
    assert.deepEqual(sent(), again("byId"));
    world.program(program(2));
    await world.project.up();
    assert.deepEqual(sent(), [...again("first"), ...again("byId")]);
  });

  slowIt("start once after the user replaces the other run by name", async () => {
    await world.project.up({ args: ["--replace", world.project.resource("first").urn] });
    assert.deepEqual(sent(), [...again("first"), ...again("byId")]);
  });

  slowIt("keep running if the start of the other run fails", async () => {
    const before = tasks.map(id);
    world.emulator.fault({ operation: "startTask", kind: "error", code: "PermissionDenied" });
    await world.project.up({ ...under("b"), expect: "failure" });
    // A real stop, before the refused start. The others are not touched.
    assert.deepEqual(sent(), again("first"));
    await world.project.up();
    assert.deepEqual(sent(), []);
    assert.deepEqual(tasks.map(id), before);
  });

  slowIt(
    "follow a saved plan; the engine reports a planned replace that is not needed, and starts nothing for it",
    async () => {
      const plan = join(world.project.root, "plan.json");
      await world.project.preview(under("c", ["--save-plan", plan]));
      const { output } = await world.project.up({ ...under("c", ["--plan", plan]), expect: "failure" });
      assert.match(output, /expected resource operations for .*::byStatus but none were seen/);
      await world.project.up(under("c", ["--expect-no-changes"]));
      // The failed up before has stopped the first run already.
      assert.deepEqual(sent(), ["startTask first", ...again("byId")]);
    },
  );

  slowIt("start when the user replaces them by name", async () => {
    await world.project.up({ args: ["--replace", world.project.resource("byTask").urn] });
    assert.deepEqual(sent(), again("byTask"));
  });
});
