import assert from "node:assert/strict";
import type { Context } from "../internals/resources";
import { extractionTask } from "../internals/resources";
import { failure, useWorld } from "./life";

const copied = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const open = { actionType: "NavigateAction", properties: { Url: "https://new.test/", Wait: "9" } };
const each = { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["a", "b"] } };
const whole = { from: copied, actions: { open, each }, startUrls: { urls: ["https://a.test/"] } };

describe("ExtractionTask", () => {
  const world = useWorld();

  const stands = (taskId = "") => {
    const [first, second] = world.emulator.inspect.task(taskId)?.actions ?? [];
    return { properties: first?.properties, items: second?.loopItems };
  };
  const ours = { properties: open.properties, items: ["a", "b"] };

  it("is made with three requests and reads before and after the first loop, and any change of its actions is one request", async () => {
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    assert.deepEqual(world.operations(), [
      "getData",
      "copyTask",
      "getActions",
      "updateTaskParameters",
      "getActions",
      "updateTaskUrls",
    ]);
    assert.deepEqual([task.state.taskId, stands(task.id)], [task.id, ours]);
    assert.equal(await task.up(whole), "nothing");
    const actions = {
      open: { ...open, properties: { Url: "https://new.test/", Wait: "10" } },
      each: { ...each, loop: { ...each.loop, items: ["b"] } },
    };
    await task.up({ ...whole, actions });
    assert.deepEqual(world.operations(), ["updateTaskParameters", "getActions"]);
    assert.deepEqual(stands(task.id).items, ["b"]);
    assert.deepEqual(world.warnings, []);
  });

  it("is not made if the copy is refused, and the error is that of the copy", async () => {
    const task = world.declare("ExtractionTask");
    world.emulator.fault({ operation: "copyTask", kind: "error", code: "PermissionDenied" });
    assert.match(await failure(task.up(whole)), /PermissionDenied/);
    assert.deepEqual([task.id, world.operations()], [undefined, ["getData", "copyTask"]]);
  });

  it("names the values that stay when actions, properties, loops or start URLs leave the declaration, and writes nothing", async () => {
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    world.operations();
    const { Url } = open.properties;
    await task.up({ from: copied, actions: { open: { ...open, properties: { Url } } } });
    assert.deepEqual(world.warnings, [
      `Task "${task.id}" keeps the present values of open.Wait, the loop of action "each": they were not restored.`,
      `Task "${task.id}" keeps its 1 start URLs: the API has no call that removes them.`,
    ]);
    assert.deepEqual([world.operations(), stands(task.id)], [[], ours]);
  });

  it("looks at the owners of what stays only while nobody else writes to the task", async () => {
    const looks: boolean[] = [];
    let isExclusive = false;
    const context = {
      tasks: {
        exclusive: async (_taskId: string, work: () => Promise<unknown>) => {
          isExclusive = true;
          return work().finally(() => {
            isExclusive = false;
          });
        },
        isOwnedElsewhere: () => looks.push(isExclusive) < 0,
      },
      warn: () => undefined,
    } as unknown as Context;
    const state = { from: { adoptTaskId: "task-1" }, taskId: "task-1", actions: { open } };
    await extractionTask.update("task-1", state, { from: state.from }, context);
    await extractionTask.delete("task-1", state, context);
    assert.deepEqual(looks, [true, true, true, true]);
  });

  it("names the settings that stay in an adopted task", async () => {
    const task = world.declare("ExtractionTask");
    await task.up({ ...whole, from: { adoptTaskId: "task-1" } });
    await task.destroy();
    assert.match(world.warnings.join(), /keeps .*open.Url, open.Wait.*"each".*keeps its 1 start URLs/);
    assert.deepEqual(stands("task-1"), ours);
  });

  it("is gone with its task if it is a static get, without a known source", async () => {
    const read = (id: string) => world.providers.provider("ExtractionTask").read(id, { stateVersion: 1, taskId: id });
    assert.equal((await read("task-1")).id, "task-1");
    assert.deepEqual(await read("nothing"), {});
  });

  it("warns only that the task stays when a copy is deleted", async () => {
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    await task.destroy();
    assert.equal(world.warnings.length, 1);
    assert.match(world.warnings[0] ?? "", /stays at the service/);
  });

  it("sees no change when the id of the present task is added or removed, and replaces for another id", async () => {
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    const { id } = task;
    world.operations();
    assert.equal(await task.up({ ...whole, from: { ...copied, adoptTaskId: id } }), "nothing");
    assert.equal(await task.up(whole), "nothing");
    assert.deepEqual([task.id, world.operations()], [id, []]);
    assert.equal(await task.up({ ...whole, from: { adoptTaskId: "task-1" } }), "replaced");
    assert.equal(task.id, "task-1");
  });

  it("writes what was refused with the next up, and names the remaining steps", async () => {
    world.configure({ actionTypes: "" });
    const task = world.declare("ExtractionTask");
    const append = { ...each, loop: { ...each.loop, mode: "append" } };
    world.emulator.fault({ operation: "updateTaskParameters", kind: "error", code: "InvalidParameter" });
    const message = await failure(task.up({ ...whole, actions: { open, each: append } }));
    assert.match(message, /The next up continues with the remaining steps: actions, startUrls/);
    assert.equal(await task.refresh(), true);
    assert.equal(await task.up({ ...whole, actions: { open, each: append } }), "updated");
    assert.deepEqual(stands(task.id), { ...ours, items: ["https://old.test/1", "a", "b"] });
    assert.equal(task.state.pending, undefined);
  });

  it("adds no item twice if the response to an append is lost", async () => {
    const append = { from: copied, actions: { each: { ...each, loop: { ...each.loop, mode: "append" } } } };
    for (const when of ["before", "after"] as const) {
      const task = world.declare("ExtractionTask");
      world.emulator.fault({ operation: "updateLoopItems", kind: "reset", when });
      assert.match(await failure(task.up(append)), /may be in the list. The next up reads the list.*append\.$/);
      await task.up(append);
      assert.deepEqual(stands(task.id).items, ["https://old.test/1", "a", "b"], when);
    }
  });

  it("names its own argument after a copy whose response was lost, also in the next up", async () => {
    const task = world.declare("ExtractionTask");
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    assert.match(await failure(task.up(whole)), /set from\.adoptTaskId to the id; if not, set retry/);
    assert.match(await failure(task.up(whole)), /set from\.adoptTaskId to the id; if not, set retry/);
  });

  it("is looked up by its rows if getActions leaves it out", async () => {
    world.emulator.setBehaviour({ getActionsMissing: "leftOut", getActionsEmptyTypes: "refused" });
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    assert.equal(await task.refresh(), true);
    world.emulator.change.deleteTask(task.id ?? "");
    assert.equal(await task.refresh(), false);
  });

  it("does not count as gone if the task that it was copied from is gone too", async () => {
    const task = world.declare("ExtractionTask");
    await task.up(whole);
    world.emulator.change.deleteTask(task.id ?? "");
    world.emulator.change.deleteTask("task-1");
    assert.match(await failure(task.refresh()), /2 tasks are gone, and has found no task/);
  });
});
