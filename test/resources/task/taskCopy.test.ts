import assert from "node:assert/strict";
import { failure, useWorld } from "../life";

const source = { sourceTaskId: "task-1", taskGroupId: "group-2" };

describe("TaskCopy", () => {
  const world = useWorld();

  const copies = (): string[] =>
    world.emulator.inspect
      .tasks()
      .map(({ taskId }) => taskId)
      .filter((taskId) => taskId !== "task-1");

  it("copies with one request after a read, and an unchanged up makes none", async () => {
    const copy = world.declare("TaskCopy");
    assert.equal(await copy.up(source), "created");
    assert.equal(await copy.up(source), "nothing");
    assert.equal(await copy.up({ ...source, adoptTaskId: copy.id }), "nothing");
    assert.deepEqual(world.emulator.requests.at(-1)?.query, { taskId: "task-1", taskGroupId: "group-2" });
    assert.deepEqual(world.operations(), ["getData", "copyTask"]);
    assert.deepEqual([copy.id, copy.state.taskId], [copies()[0], copies()[0]]);
  });

  it("adopts a task without a request, and keeps the task and its rows on delete", async () => {
    await world.finishedRun();
    const adopted = world.declare("TaskCopy");
    await adopted.up({ adoptTaskId: "task-1" });
    await adopted.destroy();
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(world.warnings, []);
    assert.equal(world.emulator.inspect.visibleCount("task-1"), 25);
  });

  it("is replaced by the task that adoptTaskId names, and by a new copy if adoptTaskId is removed", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    world.operations();
    assert.equal(await copy.up({ adoptTaskId: "task-1" }), "replaced");
    assert.deepEqual([copy.id, world.operations()], ["task-1", ["getData"]]);
    assert.equal(await copy.up(source), "replaced");
    assert.deepEqual([copy.id, world.operations()], [copies()[1], ["copyTask"]]);
  });

  it("sends a copy only once after a lost response, whatever command follows", async () => {
    const copy = world.declare("TaskCopy");
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    const message = await failure(copy.up(source));
    assert.match(
      message,
      /A copy of task "task-1" in group "group-2" may exist.*set adoptTaskId to the id.*set retry/s,
    );
    assert.equal(message.match(/may (now )?exist/g)?.length, 1, message);
    assert.match(copy.id ?? "", /^unknown-/);
    assert.match(await failure(copy.up(source)), /in group "group-2" may exist/);
    assert.equal(await copy.refresh(), true);
    assert.match(await failure(copy.up({ ...source, forceDestroy: true })), /in group "group-2" may exist/);
    assert.deepEqual(world.operations(), ["getData", "copyTask"]);
    assert.equal(copies().length, 1);
  });

  for (const behaviour of [{}, { errorStatus: "all400" }, { errorBody: "html" }] as const) {
    it(`sends nothing to a wrong path, and keeps nothing: ${JSON.stringify(behaviour)}`, async () => {
      world.emulator.setBehaviour(behaviour);
      world.configure({ baseUrl: `${world.emulator.url}/api` });
      const copy = world.declare("TaskCopy");
      const message = await failure(copy.up(source));
      assert.match(
        message,
        /^The base URL seems wrong, and nothing was written\. getData \(GET .* Check that webextract:baseUrl .* whole path/,
      );
      assert.doesNotMatch(message, /exist/);
      assert.deepEqual([copy.id, world.journal()], [undefined, []]);
      assert.ok(!world.emulator.requests.some(({ path }) => path.includes("/task/copy")));
      world.configure({ baseUrl: world.emulator.url });
      assert.equal(await copy.up(source), "created");
      assert.equal(copies().length, 1);
    });
  }

  for (const status of [404, 500, 503]) {
    it(`reads once before all copies of a process, also if that read fails: ${status}`, async () => {
      world.emulator.fault({ operation: "getData", kind: "status", status });
      const names = ["a", "b", "c"];
      await world.command(() => Promise.all(names.map((name) => world.declare("TaskCopy", name).up(source))));
      // The second read is of a path that no service has.
      assert.deepEqual(world.operations().filter((each) => each !== "copyTask").length, status === 404 ? 2 : 1);
      assert.equal(copies().length, 3);
    });
  }

  it("continues after a lost response with the id of the copy, or with a new retry", async () => {
    const copy = world.declare("TaskCopy");
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    await failure(copy.up(source));
    assert.equal(await copy.up({ ...source, adoptTaskId: copies()[0] }), "replaced");
    assert.deepEqual([copy.id, copies().length], [copies()[0], 1]);
    assert.deepEqual(world.warnings, []);
    assert.equal(await copy.up(source), "nothing");

    const again = world.declare("TaskCopy");
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "before" });
    await failure(again.up(source));
    assert.equal(await again.up({ ...source, retry: "1" }), "replaced");
    assert.equal(copies().length, 2);
    assert.equal(again.id, copies()[1]);
    assert.deepEqual(world.warnings, [
      'A copy of task "task-1" in group "group-2" may exist: the response to the copy was lost, and its state is deleted now.',
    ]);
  });

  it("copies again after a refusal, because a refused copy was not made", async () => {
    const copy = world.declare("TaskCopy");
    world.emulator.setPlan("free");
    world.emulator.fault({ operation: "copyTask", kind: "error", code: "PermissionDenied" });
    await failure(copy.up(source));
    assert.equal(copy.id, undefined);
    await copy.up(source);
    assert.equal(copies().length, 1);
  });

  it("sends no removeData for a copy without rows", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    world.operations();
    await copy.destroy();
    assert.deepEqual(world.operations(), ["getData"]);
  });

  it("refuses to remove rows, unless a setting names the task", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    const id = copy.id ?? "";
    await world.finishedRun(id);
    world.operations();
    const message = await failure(copy.destroy());
    assert.match(message, /^The rows of task ".*" were not removed: the task still has 25 rows/);
    assert.deepEqual(world.operations(), ["getData"]);

    world.configure({ forceDestroy: "another-task" });
    await failure(copy.destroy());
    world.configure({ forceDestroy: id });
    await copy.destroy();
    assert.equal(world.emulator.inspect.visibleCount(id), 0);
    assert.ok(world.warnings.join().includes(`Task "${id}" stays at the service`));
  });

  it("removes rows without a read if its state has forceDestroy", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    await world.finishedRun(copy.id);
    await copy.up({ ...source, forceDestroy: true });
    world.operations();
    await copy.destroy();
    assert.deepEqual(world.operations(), ["removeData"]);
  });

  it("counts a refused read of the rows as rows", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    world.emulator.fault({ operation: "getData", kind: "error", code: "PermissionDenied" });
    assert.match(await failure(copy.destroy()), /does not show whether the task still has rows/);
    assert.equal(world.sent("removeData").length, 0);
  });

  it("keeps the rows with retain, and names the task that stays", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up({ ...source, onDelete: "retain" });
    await world.finishedRun(copy.id);
    world.operations();
    await copy.destroy();
    assert.deepEqual(world.operations(), []);
    assert.match(world.warnings.join(), /stays at the service.*its rows were not touched/);
  });

  it("counts a task as gone only if the service says so of this task", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    const id = copy.id ?? "";
    assert.equal(await copy.refresh(), true);
    for (const kind of ["serverError", "unnamed", "notFound"] as const) {
      world.emulator.setBehaviour({ taskGone: kind });
      if (world.emulator.inspect.task(id)) {
        world.emulator.change.deleteTask(id);
      }
      const { state } = copy;
      if (kind === "serverError") {
        await failure(copy.refresh());
      } else {
        assert.equal(await copy.refresh(), false, kind);
      }
      copy.id = id;
      copy.state = state;
    }
    await copy.destroy();
    assert.equal(world.warnings.length, 1);
    assert.match(world.warnings[0] ?? "", new RegExp(`^Task "${id}" is gone as far as this account can see`));
  });

  it("finds that a task is gone if getActions leaves it out or requires types", async () => {
    for (const getActionsEmptyTypes of ["none", "all", "refused"] as const) {
      for (const actionTypes of ["LoopAction", ""]) {
        world.configure({ actionTypes });
        const copy = world.declare("TaskCopy");
        world.emulator.setBehaviour({ getActionsEmptyTypes, getActionsMissing: "leftOut" });
        await copy.up(source);
        assert.equal(await copy.refresh(), true);
        world.configure({ actionTypes });
        world.emulator.change.deleteTask(copy.id ?? "");
        assert.equal(await copy.refresh(), false);
      }
    }
  });

  it("fails a refresh if the service refuses the types, or fails at a request without types", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    world.emulator.fault({ operation: "getActions", kind: "error", code: "InvalidParameter" });
    await failure(copy.refresh());
    world.configure({ actionTypes: "" });
    world.emulator.fault({ operation: "getActions", kind: "error", code: "ServerError" });
    await failure(copy.refresh());
  });

  it("is gone if the lookup of its source is refused, but not during an outage", async () => {
    for (const code of ["PermissionDenied", "ServerError"] as const) {
      const copy = world.declare("TaskCopy");
      await copy.up(source);
      world.emulator.change.deleteTask(copy.id ?? "");
      world.emulator.fault({ operation: "getActions", kind: "error", taskId: "task-1", code });
      if (code === "ServerError") {
        await failure(copy.refresh());
      } else {
        assert.equal(await copy.refresh(), false);
      }
    }
  });

  it("removes two gone tasks from the state if the subtasks of a third task show that the account is right", async () => {
    const lotNo = world.emulator.change.startRun("task-1");
    const ids = world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId);
    const third: [string, Record<string, unknown>][] = [
      ["CloudRun", { taskId: "task-1", adoptLotNo: lotNo }],
      ["CloudSubtasks", { taskId: "task-1", subTaskIds: ids, desired: "started" }],
    ];
    for (const [type, args] of third) {
      const seen = world.declare(type);
      await seen.up(args);
      const two = [world.declare("TaskCopy", "one"), world.declare("TaskCopy", "two")];
      for (const copy of two) {
        await copy.up(source);
        world.emulator.change.deleteTask(copy.id ?? "");
      }
      const found = await world.command(() => Promise.all([...two, seen].map((each) => each.refresh())));
      assert.deepEqual(found, [false, false, true], type);
    }
  });

  it("removes nothing from the state if all tasks of an account are gone, for each account separately", async () => {
    const other = world.emulator.change.addAccount("other");
    const profiles = JSON.stringify({ wrong: { accessToken: other.accessToken } });
    world.configure({ profiles });
    const right = world.declare("TaskCopy");
    const wrong = [world.declare("TaskCopy"), world.declare("TaskCopy")];
    for (const each of [right, ...wrong]) {
      await each.up(source);
    }
    for (const each of wrong) {
      each.state = { ...each.state, profile: "wrong" };
    }
    const results = await world.command(() => Promise.allSettled([right, ...wrong].map((each) => each.refresh())));
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "rejected"],
    );
    assert.match(String((results[1] as PromiseRejectedResult).reason), /2 tasks are gone, and has found no task/);
  });

  it("changes no resource of another address until webextract:movedFrom names that address", async () => {
    const copy = world.declare("TaskCopy");
    await copy.up(source);
    world.operations();
    const origin = "https://old.test";
    copy.state = { ...copy.state, origin };
    for (const step of [() => copy.refresh(), () => copy.destroy(), () => copy.up(source)]) {
      assert.match(await failure(step()), /^This resource was made at https:\/\/old.test/);
    }
    assert.deepEqual(world.operations(), []);
    world.configure({ movedFrom: origin });
    assert.equal(await copy.up(source), "updated");
    assert.equal(copy.state.origin, world.emulator.url);
    assert.deepEqual(world.operations(), []);
  });
});
