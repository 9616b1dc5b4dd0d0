import assert from "node:assert/strict";
import type { Declared } from "../life";
import { failure, World } from "../life";

describe("CloudSubtasks", () => {
  let world: World;
  let subtasks: Declared;
  let lotNo: string;
  let ids: string[];
  beforeEach(async () => {
    world = await World.create();
    world.emulator.change.holdRuns();
    lotNo = world.emulator.change.startRun("task-1");
    ids = world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
    subtasks = world.declare("CloudSubtasks");
  });
  afterEach(() => world.remove());

  const declared = (desired: string, subTaskIds: unknown = ids) => ({ taskId: "task-1", subTaskIds, desired });
  const id = (index: number): string => ids[index] ?? "";
  const sentIds = (operation: string): string[][] =>
    world.sent(operation).map((body) => (body as { subTaskIds: string[] }).subTaskIds);
  const statuses = (): string[] => world.emulator.inspect.run(lotNo)?.subtasks.map(({ status }) => status) ?? [];
  const set = (status: "stopped" | "finished" | "failed" | "extracting", ...which: string[]): void =>
    world.emulator.change.setSubtaskStatus(lotNo, status, which);

  it("stops them in one call, and its id is the task's", async () => {
    await subtasks.up(declared("stopped"));
    assert.deepEqual(world.operations(), ["stopSubtasks"]);
    assert.equal(subtasks.id, "task-1");
    assert.deepEqual(statuses(), ["stopped", "stopped", "stopped"]);
  });

  it("starts them in one call", async () => {
    set("stopped", ...ids);
    await subtasks.up(declared("started"));
    assert.deepEqual(world.operations(), ["startSubtasks"]);
    assert.deepEqual(statuses(), ["waiting", "waiting", "waiting"]);
  });

  it("makes no call for another order, for a name twice, or for one taken out", async () => {
    await subtasks.up(declared("stopped"));
    world.operations();
    assert.equal(await subtasks.up(declared("stopped", [...ids].reverse())), "nothing");
    assert.equal(await subtasks.up(declared("stopped", [...ids, id(0)])), "nothing");
    assert.equal(await subtasks.up(declared("stopped", [id(1)])), "updated");
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(statuses(), ["stopped", "stopped", "stopped"]);
  });

  it("sends those alone that were added, and all when the desired state changed", async () => {
    await subtasks.up(declared("stopped", [id(0)]));
    await subtasks.up(declared("stopped", [id(2), id(0)]));
    assert.deepEqual(sentIds("stopSubtasks"), [[id(0)], [id(2)]]);
    await subtasks.up(declared("started", [id(0), id(2)]));
    assert.deepEqual(
      sentIds("startSubtasks").map((each) => [...each].sort()),
      [[id(0), id(2)].sort()],
    );
  });

  it("takes the finished for started, and sees drift where one failed or was stopped, which the next up mends alone", async () => {
    await subtasks.up(declared("started"));
    set("finished", id(0));
    assert.equal(await subtasks.refresh(), true);
    assert.equal(await subtasks.up(declared("started")), "nothing");
    set("stopped", id(1));
    set("failed", id(2));
    await subtasks.refresh();
    world.operations();
    assert.equal(await subtasks.up(declared("started")), "updated");
    assert.deepEqual(
      sentIds("startSubtasks").map((each) => [...each].sort()),
      [[id(1), id(2)].sort()],
    );
    assert.deepEqual(statuses(), ["finished", "waiting", "waiting"]);
  });

  it("takes all that is at rest for stopped, and sees drift where one is at work again", async () => {
    await subtasks.up(declared("stopped"));
    set("finished", id(0));
    set("failed", id(1));
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "nothing");
    set("extracting", id(2));
    await subtasks.refresh();
    world.operations();
    assert.equal(await subtasks.up(declared("stopped")), "updated");
    assert.deepEqual(sentIds("stopSubtasks"), [[id(2)]]);
  });

  it("knows the words that are configured", async () => {
    world.emulator.setBehaviour({ statusWords: "unknown" });
    await subtasks.up(declared("stopped"));
    set("finished", ...ids);
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "updated");
    world.configure({ statuses: '{"finished": ["concluded"]}' });
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "nothing");
  });

  it("sees no drift in subtasks that the list no longer shows: a later run has others", async () => {
    await subtasks.up(declared("stopped"));
    world.emulator.change.startRun("task-1");
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "nothing");
  });

  it("makes no call when it is deleted, and another task replaces it", async () => {
    await subtasks.up(declared("stopped"));
    world.operations();
    await subtasks.destroy();
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(statuses(), ["stopped", "stopped", "stopped"]);
  });

  it("is gone with its task", async () => {
    await subtasks.up(declared("stopped"));
    world.emulator.change.deleteTask("task-1");
    assert.equal(await subtasks.refresh(), false);
  });

  it("keeps nothing of a call that was refused, and says which", async () => {
    assert.match(await failure(subtasks.up(declared("stopped", ["nobody"]))), /stopSubtasks .*task task-1.*nobody/);
    assert.equal(subtasks.id, undefined);
  });

  it("refuses an empty list, and names what is wrong", async () => {
    assert.match(await failure(subtasks.up(declared("stopped", []))), /^subTaskIds /);
    assert.match(await failure(subtasks.up(declared("paused"))), /^desired /);
    assert.deepEqual(world.operations(), []);
  });
});
