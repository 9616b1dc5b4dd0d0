import assert from "node:assert/strict";
import { unknownText } from "../../test/program/inProcess";
import { PluginFailure, secret, urnOf, usePluginWorld } from "./pluginClient";

const copyArgs = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const configArgs = (Url: unknown, taskId: unknown = "task-1") => ({
  taskId,
  actions: { open: { actionType: "NavigateAction", properties: { Url } } },
});
const loopArgs = (...items: unknown[]) => ({ taskId: "task-1", actionId: "each", loopType: "UrlList", items });

describe("resources in the native plugin", () => {
  const world = usePluginWorld();

  it("make no request in a preview, and one write for a change", async () => {
    const writes = () => world.operations().filter((name) => name !== "getActions");
    const args = await world.checked("TaskActionConfig", configArgs("https://a.test/"));
    await world.create("TaskActionConfig", args, { preview: true });
    assert.deepEqual(world.operations(), []);
    const made = await world.create("TaskActionConfig", args);
    assert.deepEqual([made.id, writes()], ["task-1", ["updateActionProperties"]]);
    const news = await world.checked("TaskActionConfig", configArgs("https://b.test/"), { olds: made.inputs });
    await world.diff("TaskActionConfig", made, news);
    await world.update("TaskActionConfig", made, news, { preview: true });
    assert.deepEqual(world.operations(), []);
    await world.update("TaskActionConfig", made, news);
    assert.deepEqual(world.operations(), ["updateActionProperties"]);
  });

  it("show every failure of a check, with the value only if it is a short plain one", async () => {
    const { failures } = await world.check("CloudRun", {
      taskId: secret(7.5),
      pollSeconds: -1,
      waitFor: "x".repeat(50),
      triggerz: 1,
    });
    assert.deepEqual(failures.map((each) => each.slice(0, 45)).sort(), [
      ": taskId must be a non-empty string; got a nu",
      ': waitFor must be "started" or "finished"; go',
      "pollSeconds: must be a number of at least 0; ",
      'triggerz: is not a valid name; did you mean "',
    ]);
  });

  it("show a list as the text of its lines", async () => {
    const loop = await world.create("TaskLoopItems", await world.checked("TaskLoopItems", loopArgs("a", "b")));
    const longer = await world.checked("TaskLoopItems", loopArgs("a", "c", "b"), { olds: loop.inputs });
    assert.equal(longer.items, "a\nc\nb\n");
    const changed = { changes: "some", replaces: [], deleteFirst: false };
    assert.deepEqual(await world.diff("TaskLoopItems", loop, longer), changed);
    assert.equal((await world.diff("TaskLoopItems", loop, loop.inputs)).changes, "none");
  });

  it("replace where another value is another object, and where a task is not known yet", async () => {
    const made = await world.create(
      "TaskActionConfig",
      await world.checked("TaskActionConfig", configArgs("https://a.test/")),
    );
    for (const taskId of ["task-2", unknownText]) {
      const news = await world.checked("TaskActionConfig", configArgs("https://a.test/", taskId), {
        olds: made.inputs,
      });
      assert.deepEqual((await world.diff("TaskActionConfig", made, news)).replaces, ["taskId"]);
    }
    const copy = await world.create("TaskCopy", await world.checked("TaskCopy", copyArgs));
    const news = await world.checked("TaskCopy", { ...copyArgs, sourceTaskId: unknownText }, { olds: copy.inputs });
    assert.deepEqual((await world.diff("TaskCopy", copy, news)).replaces, ["sourceTaskId"]);
  });

  it("tell a preview what is known of a create and an update", async () => {
    const copy = await world.create("TaskCopy", copyArgs, { preview: true });
    assert.deepEqual([copy.id, copy.state], ["", { ...copyArgs, taskId: unknownText, stateVersion: 2 }]);
    const adopted = await world.create("TaskCopy", { adoptTaskId: "task-1" }, { preview: true });
    assert.deepEqual([adopted.id, adopted.state.taskId], ["task-1", "task-1"]);
    const loop = await world.create("TaskLoopItems", await world.checked("TaskLoopItems", loopArgs("a")));
    const news = await world.checked("TaskLoopItems", loopArgs("b"), { olds: loop.inputs });
    const { items, count, sha256, taskId } = await world.update("TaskLoopItems", loop, news, { preview: true });
    assert.deepEqual([items, count, taskId, sha256], ["b\n", 1, "task-1", news.sha256]);
    const old = { id: "1.csv", state: { file: "1.csv" } };
    assert.equal((await world.update("DataExport", old, { lotNo: "2" }, { preview: true })).file, unknownText);
  });

  it("keep secrets secret, also what is derived from a secret item, and what the service showed", async () => {
    const loop = await world.checked("TaskLoopItems", loopArgs("a", secret("b")));
    assert.deepEqual([loop.items, loop.taskId], [secret("a\nb\n"), "task-1"]);
    assert.deepEqual(
      [loop.count, loop.sha256].map((each) => Object.keys(each as object).length),
      [2, 2],
    );
    const made = await world.create("TaskLoopItems", loop);
    assert.deepEqual([made.state.items, made.state.sha256], [loop.items, loop.sha256]);
    assert.deepEqual(world.emulator.inspect.task("task-1")?.actions[1]?.loopItems, ["a", "b"]);
    const read = await world.read("TaskLoopItems", made.id, made.state, made.inputs);
    assert.deepEqual([read.state.items, read.inputs.items, read.inputs.sha256], [loop.items, loop.items, loop.sha256]);

    const task = await world.checked("ExtractionTask", {
      from: { adoptTaskId: "task-1" },
      actions: { open: { actionType: "NavigateAction", properties: { Url: secret("https://a.test/") } } },
      startUrls: { urls: [secret("https://a.test/"), "https://b.test/"] },
    });
    const { startUrls, actions } = task as { startUrls: Record<string, object>; actions: object };
    assert.deepEqual(
      Object.values(startUrls).map((each) => "value" in each),
      [true, true, true, true],
    );
    assert.deepEqual(actions, {
      open: { actionType: "NavigateAction", properties: { Url: secret("https://a.test/") } },
    });

    const parameters = await world.create(
      "TaskParameters",
      await world.checked("TaskParameters", { ...configArgs("https://c.test/"), onDelete: "restore" }),
    );
    assert.deepEqual(
      ["previous", "updatedParameters"].map((name) => "value" in (parameters.state[name] as object)),
      [true, true],
    );
  });

  it("show a value that becomes secret as a change, so that the state encrypts it", async () => {
    const made = await world.create(
      "TaskActionConfig",
      await world.checked("TaskActionConfig", configArgs("https://a.test/")),
    );
    const news = await world.checked("TaskActionConfig", configArgs(secret("https://a.test/")), { olds: made.inputs });
    assert.equal((await world.diff("TaskActionConfig", made, news)).changes, "some");
  });

  it("keep what exists after a lost response, and refuse until the user says what happened", async () => {
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    const args = await world.checked("TaskCopy", copyArgs);
    const lost = await world.create("TaskCopy", args).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(lost instanceof PluginFailure && lost.made !== undefined);
    const { id, properties, reasons } = lost.made;
    assert.match(id, /^unknown-/);
    assert.match(reasons.join(), /set adoptTaskId to the id/);
    const made = { id, state: properties, inputs: args };
    assert.equal((await world.diff("TaskCopy", made, args)).changes, "some");
    await assert.rejects(world.update("TaskCopy", made, args), /not sent again/);
    const news = await world.checked("TaskCopy", { ...copyArgs, adoptTaskId: "task-1" }, { olds: args });
    const { replaces, deleteFirst } = await world.diff("TaskCopy", made, news);
    assert.deepEqual([replaces, deleteFirst], [["adoptTaskId"], true]);
  });

  it("keep of what the service returned what the engine can, because it refuses the rest after the write", async () => {
    const data = { taskId: "task-1", updatedParameters: { "a\ud800": "b\udc00", c: unknownText } };
    const body = JSON.stringify({ data, requestId: "r" });
    world.emulator.fault({ operation: "updateTaskParameters", kind: "status", status: 200, when: "after", body });
    const { state } = await world.create(
      "TaskParameters",
      await world.checked("TaskParameters", configArgs("https://a.test/")),
    );
    assert.deepEqual(state.updatedParameters, secret({ "a\ufffd": "b\ufffd", c: "\ufffd" }));
  });

  it("are gone only if the service says so", async () => {
    const copy = await world.create("TaskCopy", await world.checked("TaskCopy", copyArgs));
    await world.create("TaskCopy", await world.checked("TaskCopy", copyArgs, { name: "other" }), { name: "other" });
    assert.equal((await world.read("TaskCopy", copy.id, copy.state, copy.inputs)).id, copy.id);
    world.emulator.change.deleteTask(copy.id);
    await world.read("TaskCopy", "task-1", { ...copy.state, taskId: "task-1" }, copy.inputs, "other");
    assert.equal((await world.read("TaskCopy", copy.id, copy.state, copy.inputs)).id, "");
  });

  it("refuse a second owner of a property in the preview", async () => {
    await world.create("TaskActionConfig", configArgs("https://a.test/"), { name: "one", preview: true });
    const second = world.create("TaskParameters", configArgs("https://b.test/"), { name: "two", preview: true });
    await assert.rejects(second, /TaskActionConfig "one" .*both manage property "Url"/);
  });

  it("refuse to begin after Cancel, and name a resource that they do not have", async () => {
    await assert.rejects(world.check("TaskNothing", {}), /has no resource "TaskNothing"/);
    await world.cancel();
    await assert.rejects(world.create("TaskCopy", copyArgs), /interrupted before this step/);
    assert.deepEqual(world.operations(), []);
  });

  it("refuse a state of a newer version", async () => {
    const state = { ...copyArgs, taskId: "task-1", stateVersion: 99 };
    await assert.rejects(world.read("TaskCopy", "task-1", state), /written by a newer version/);
    assert.match(urnOf("TaskCopy", "copy"), /webextract:index:TaskCopy/);
  });
});
