import assert from "node:assert/strict";
import type { Declared } from "../life";
import { failure, useWorld } from "../life";

describe("CloudSubtasks", () => {
  const world = useWorld();
  let subtasks: Declared;
  let lotNo: string;
  let ids: string[];
  beforeEach(() => {
    world.emulator.change.holdRuns();
    lotNo = world.emulator.change.startRun("task-1");
    ids = world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
    subtasks = world.declare("CloudSubtasks");
  });

  const declared = (desired: string, subTaskIds: unknown = ids) => ({ taskId: "task-1", subTaskIds, desired });
  const id = (index: number): string => ids[index] ?? "";
  const sentIds = (operation: string): string[][] =>
    world.sent(operation).map((body) => (body as { subTaskIds: string[] }).subTaskIds);
  const statuses = (): string[] => world.emulator.inspect.run(lotNo)?.subtasks.map(({ status }) => status) ?? [];
  const set = (status: "stopped" | "finished" | "failed" | "extracting", ...which: string[]): void =>
    world.emulator.change.setSubtaskStatus(lotNo, status, which);

  it("stops them in one call, and has the id of the task", async () => {
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

  it("makes no call for another order, a duplicate id or a removed id", async () => {
    await subtasks.up(declared("stopped"));
    world.operations();
    assert.equal(await subtasks.up(declared("stopped", [...ids].reverse())), "nothing");
    assert.equal(await subtasks.up(declared("stopped", [...ids, id(0)])), "nothing");
    assert.equal(await subtasks.up(declared("stopped", [id(1)])), "updated");
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(statuses(), ["stopped", "stopped", "stopped"]);
  });

  it("sends only added subtasks, and all of them when desired changes", async () => {
    await subtasks.up(declared("stopped", [id(0)]));
    await subtasks.up(declared("stopped", [id(2), id(0)]));
    assert.deepEqual(sentIds("stopSubtasks"), [[id(0)], [id(2)]]);
    await subtasks.up(declared("started", [id(0), id(2)]));
    assert.deepEqual(
      sentIds("startSubtasks").map((each) => [...each].sort()),
      [[id(0), id(2)].sort()],
    );
  });

  it("counts finished as started, and starts only those that failed or were stopped since", async () => {
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

  it("counts each terminal status as stopped, and stops only those that run again", async () => {
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

  it("uses the configured statuses", async () => {
    world.emulator.setBehaviour({ statusWords: "unknown" });
    await subtasks.up(declared("stopped"));
    set("finished", ...ids);
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "updated");
    world.configure({ statuses: '{"finished": ["concluded"]}' });
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "nothing");
  });

  it("sees no drift in subtasks that a later run has replaced", async () => {
    await subtasks.up(declared("stopped"));
    world.emulator.change.startRun("task-1");
    await subtasks.refresh();
    assert.equal(await subtasks.up(declared("stopped")), "nothing");
  });

  it("makes no call when it is deleted", async () => {
    await subtasks.up(declared("stopped"));
    world.operations();
    await subtasks.destroy();
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(statuses(), ["stopped", "stopped", "stopped"]);
  });

  it("is removed from the state when its task is gone", async () => {
    await subtasks.up(declared("stopped"));
    world.emulator.change.deleteTask("task-1");
    assert.equal(await subtasks.refresh(), false);
  });

  it("is not created when the service refuses the call", async () => {
    assert.match(await failure(subtasks.up(declared("stopped", ["nobody"]))), /stopSubtasks .*task task-1.*nobody/);
    assert.equal(subtasks.id, undefined);
  });

  it("refuses an empty list and an unknown desired state", async () => {
    assert.match(await failure(subtasks.up(declared("stopped", []))), /^subTaskIds /);
    assert.match(await failure(subtasks.up(declared("paused"))), /^desired /);
    assert.deepEqual(world.operations(), []);
  });
});
