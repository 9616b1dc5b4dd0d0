import assert from "node:assert/strict";
import { newest } from "../../harness";
import { nativeWorld, prelude } from "../../plugin/nativeWorld";
import type { World } from "../../world";
import { withHookHost } from "../hookEngine";

const program = (options: string): string =>
  `native("CloudRun", "run", { taskId: "template-1", onDelete: "stop", pollSeconds: 0.1 }, ${options});`;

// The engine asks no Diff for such a replace, so the plugin cannot say that the old run must be deleted first. The classes say it.
describe("a run of the plugin without the classes, with a new replacementTrigger", function () {
  this.timeout(300_000);
  let world: World;
  beforeEach(async () => {
    const { engine, ...others } = await newest();
    world = await nativeWorld({
      ...others,
      engine: withHookHost(engine),
      program: program("{}"),
      emulator: { behaviour: { readsUntilFinished: 1000, startWhileRunning: "newRun" } },
    });
    await world.project.up();
    declare(program('{ replacementTrigger: "one" }'));
    await world.project.up();
    assert.deepEqual(world.emulator.inspect.runs("template-1").length, 1);
    world.operations();
  });
  afterEach(() => world.remove());

  function declare(text: string): void {
    world.program(prelude + text);
  }

  it("starts once, and warns that the old run was not stopped", async () => {
    declare(program('{ replacementTrigger: "two" }'));
    const { output } = await world.project.up();
    assert.match(output, /was not stopped: the service now lists the subtasks of another run/);
    assert.deepEqual(world.emulator.inspect.runs("template-1").length, 2);
    assert.ok(!world.operations().includes("stopSubtasks"));
  });

  it("is stopped before the one start, with deleteBeforeReplace", async () => {
    declare(program('{ replacementTrigger: "two", deleteBeforeReplace: true }'));
    const { output } = await world.project.up();
    assert.doesNotMatch(output, /warning/);
    const sent = world.operations().filter((operation) => !operation.startsWith("get"));
    assert.deepEqual(sent, ["stopSubtasks", "startTask"]);
  });
});
