import assert from "node:assert/strict";
import type { Declared } from "../life";
import { failure, useWorld } from "../life";

const source = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const why = /the id is wrong, or the task belongs to another account, or it was deleted/;

describe("a task that is not this account's, or gone", () => {
  const world = useWorld({ behaviour: { taskGone: "notYours" } });

  /** A copy that the user has deleted in the service's own interface. */
  const deletedCopy = async (name = "copy"): Promise<Declared> => {
    const copy = world.declare("TaskCopy", name);
    await copy.up(source);
    world.emulator.change.deleteTask(copy.id ?? "");
    return copy;
  };

  it("stays in the state at a refresh, with one warning for all resources of the task", async () => {
    const copy = await deletedCopy();
    const taskId = copy.id;
    const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://one.test/" } } };
    const others = [world.declare("TaskActionConfig"), world.declare("CloudRun"), world.declare("CloudSubtasks")];
    const args = [
      { taskId: "task-1", actions },
      { taskId: "task-1" },
      { taskId: "task-1", subTaskIds: ["s-1"], desired: "stopped" },
    ];
    for (const [index, other] of others.entries()) {
      await other.up(args[index] ?? {}).catch(() => undefined);
      other.state = { ...other.state, taskId, status: "started" };
    }
    const made = [copy, ...others.filter(({ id }) => id !== undefined)];
    assert.ok(made.length >= 3);
    const found = await world.command(() => Promise.all(made.map((each) => each.refresh())));
    assert.deepEqual(
      found,
      made.map(() => true),
    );
    assert.deepEqual(world.warnings.filter((warning) => why.test(warning)).length, 1, world.warnings.join("\n"));
  });

  for (const onDelete of ["removeData", "forceDestroy"] as const) {
    it(`ends the delete of a copy with a warning if another task responds (${onDelete})`, async () => {
      const copy = await deletedCopy();
      world.configure(onDelete === "forceDestroy" ? { forceDestroy: copy.id ?? "" } : {});
      await copy.destroy();
      assert.match(world.warnings.join(), why);
      assert.match(world.warnings.join(), /Another task responds, so TaskCopy "copy" is deleted from the state/);
    });
  }

  it("keeps a copy in the state if no other task responds, and names the way out", async () => {
    const copy = await deletedCopy();
    world.emulator.change.deleteTask("task-1");
    const message = await failure(copy.destroy());
    assert.match(message, why);
    assert.match(
      message,
      /stays in the state.*\nCheck the credentials\. If the task was deleted, run: pulumi state delete 'urn:/,
    );
  });

  it("keeps a copy in the state if one of the reads responds in another way", async () => {
    for (const operation of ["getActions", "getSubtasks"] as const) {
      const copy = await deletedCopy(operation);
      world.emulator.fault({ operation, kind: "error", code: "PermissionDenied" });
      assert.match(await failure(copy.destroy()), /stays in the state/);
    }
  });

  it("ends the deletes that restore settings or stop a run", async () => {
    const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://one.test/" } } };
    const settings = world.declare("TaskActionConfig");
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    await settings.up({ taskId: copy.id, actions, onDelete: "restore" });
    world.emulator.setBehaviour({ readsUntilFinished: 50 });
    const run = world.declare("CloudRun");
    await run.up({ taskId: copy.id, onDelete: "stop" });
    world.emulator.change.deleteTask(copy.id ?? "");
    await world.command(async () => {
      // The other resource of the stack names the task that responds.
      assert.equal(await world.declare("TaskActionConfig", "other").up({ taskId: "task-1", actions }), "created");
      await run.destroy();
      await settings.destroy();
    });
    assert.match(world.warnings.join(), /CloudRun "[^"]*" is deleted from the state/);
  });

  it("is refused at a copy, a start and an adoption: nothing was done, so nothing is unknown", async () => {
    const copy = world.declare("TaskCopy");
    const run = world.declare("CloudRun");
    for (const step of [
      () => copy.up({ ...source, sourceTaskId: "task-wrong" }),
      () => run.up({ taskId: "task-wrong" }),
      () =>
        world
          .declare("TaskCopy", "adopted")
          .up({ adoptTaskId: "task-wrong" })
          .then(() => run.up({ taskId: "task-wrong" })),
    ]) {
      assert.match(await failure(step()), why);
    }
    assert.deepEqual([copy.id, run.id], [undefined, undefined]);
    assert.equal(world.sent("copyTask").length, 1);
  });

  it("is not copied a second time if only the journal knows the copy", async () => {
    const copy = world.declare("TaskCopy");
    const saved = await world.unsaved(copy, () => copy.up(source));
    world.emulator.change.deleteTask(copy.id ?? "");
    assert.match(await failure(saved.up(source)), /does not show whether it still exists/);
    assert.equal(world.sent("copyTask").length, 1);
  });
});
