import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { failedInputsKey, noteUrn } from "../internals/engine";
import { unknownText } from "../internals/resources";
import type { Declared } from "../resources/life";
import { failure, task, useWorld } from "../resources/life";

const exported = { taskId: "task-1", scope: "all", path: "rows.ndjson", onDelete: "removeFile" };
const adopted = { from: { adoptTaskId: "task-1" }, onDelete: "removeData", forceDestroy: true };

describe("a delete of what another resource has too", () => {
  const world = useWorld();
  let old: Declared;

  /** As the engine does: the delete of what left the program comes last. */
  const renamed = (type: string, args: object, change: object = {}): Promise<void> =>
    world.command(async () => {
      await world.declare(type, "new").up({ ...args, ...change });
      await old.destroy();
    });
  const up = async (type: string, args: object): Promise<Declared> => {
    old = world.declare(type, "old");
    await old.up({ ...args });
    world.operations();
    return old;
  };

  describe("leaves the file", () => {
    beforeEach(async () => {
      await world.finishedRun();
    });

    const stays = (file: string): void => {
      assert.ok(existsSync(world.path(file)));
      assert.deepEqual(world.warnings.slice(-1), [
        `The file "${file}" was not removed: DataExport "new" has the same path.`,
      ]);
    };

    it("of an export with another name", async () => {
      await up("DataExport", exported);
      await renamed("DataExport", exported);
      stays("rows.ndjson");
    });

    it("of an export that this command leaves unchanged", async () => {
      await up("DataExport", exported);
      const other = world.declare("DataExport", "new");
      await other.up({ ...exported });
      await world.command(async () => {
        assert.equal(await other.up({ ...exported }), "nothing");
        await old.destroy();
      });
      stays("rows.ndjson");
    });

    it("of an export that was skipped, because what it needs has failed", async () => {
      await up("DataExport", exported);
      await world.command(async () => {
        await world.providers.checked("DataExport", { ...exported, [failedInputsKey]: "CloudRun" });
        await old.destroy();
      });
      assert.ok(existsSync(world.path("rows.ndjson")));
    });

    for (const [how, path] of Object.entries({
      "a dot": "./rows/all.ndjson",
      "two slashes": "rows//all.ndjson",
      "a detour": "rows/../rows/all.ndjson",
      "a linked folder": "linked/all.ndjson",
    })) {
      it(`of an export that spells it with ${how}`, async () => {
        mkdirSync(world.path("rows"));
        symlinkSync(world.path("rows"), world.path("linked"));
        await up("DataExport", { ...exported, path: "rows/all.ndjson" });
        await renamed("DataExport", exported, { path });
        stays("rows/all.ndjson");
      });
    }

    it("of an export that spells it in full", async () => {
      await up("DataExport", exported);
      await renamed("DataExport", exported, { path: world.path("rows.ndjson") });
      stays("rows.ndjson");
    });

    it("with marked rows, of an export whose path counts up", async () => {
      const args = { ...exported, scope: "notExported", path: "rows-{n}.ndjson", markExported: true };
      await up("DataExport", args);
      await renamed("DataExport", args);
      stays("rows-1.ndjson");
      assert.equal(world.content("rows-1.ndjson").trim().split("\n").length, 25);
    });

    it("that the export has when the instance that it replaced is deleted by a later command", async () => {
      await up("DataExport", exported);
      const live = old.asDeleted();
      await live.up({ ...exported });
      await world.command(async () => {
        assert.equal(await live.up({ ...exported }), "nothing");
        await old.destroy();
      });
      assert.ok(existsSync(world.path("rows.ndjson")));
    });

    it("of the instance that a new one replaces, before or after it", async () => {
      await up("DataExport", exported);
      await old.replaceByHand();
      assert.ok(existsSync(world.path("rows.ndjson")));
      await world.finishedRun();
      await old.replaceDeleteFirst({ ...exported, triggers: "more" });
      assert.equal(old.state.rowCount, 50);
      assert.equal(world.content("rows.ndjson").trim().split("\n").length, 50);
    });
  });

  it("removes the file of a path that no export has any more", async () => {
    await world.finishedRun();
    await up("DataExport", exported);
    await renamed("DataExport", exported, { path: "other.ndjson" });
    assert.ok(!existsSync(world.path("rows.ndjson")));
    assert.deepEqual(world.warnings, []);
  });

  it("leaves a run that another resource has adopted, in this command or before", async () => {
    const run = { taskId: "task-1", onDelete: "stop" };
    await up("CloudRun", run);
    const other = world.declare("CloudRun", "new");
    const args = { ...run, adoptLotNo: old.id };
    await world.command(async () => {
      await other.up({ ...args });
      await old.asSaved().destroy();
    });
    await world.command(async () => {
      await other.up({ ...args });
      await old.destroy();
    });
    assert.ok(!world.operations().includes("stopSubtasks"));
    const warning = `Run ${old.state.lotNo} of task "task-1" was not stopped: CloudRun "new" has the same run.`;
    assert.deepEqual(world.warnings, [warning, warning]);
  });

  it("leaves a run whose rows an export still declares", async () => {
    await up("CloudRun", { taskId: "task-1", onDelete: "stop" });
    const { lotNo } = old.state;
    await renamed("DataExport", { taskId: "task-1", scope: "batch", lotNo, path: "rows.ndjson" });
    assert.ok(!world.operations().includes("stopSubtasks"));
    assert.deepEqual(world.warnings, [
      `Run ${lotNo} of task "task-1" was not stopped: DataExport "new" has the same run.`,
    ]);
  });

  for (const desired of ["started", "stopped"]) {
    it(`stops a run without the subtasks that another resource wants ${desired}`, async () => {
      world.emulator.change.holdRuns();
      await up("CloudRun", { taskId: "task-1", onDelete: "stop", pollSeconds: 0.01 });
      const ids = world.emulator.inspect.run(String(old.id))?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
      const [declared = ""] = ids;
      const other = world.declare("CloudSubtasks", "new");
      await other.up({ taskId: "task-1", subTaskIds: [declared], desired });
      // Somebody starts it in any case.
      await world
        .declare("CloudSubtasks", "other")
        .up({ taskId: "task-1", subTaskIds: [declared], desired: "started" });
      world.emulator.clearRequests();
      await world.command(async () => {
        assert.equal(await other.up({ taskId: "task-1", subTaskIds: [declared], desired }), "nothing");
        await old.destroy();
      });
      assert.deepEqual(world.sent("stopSubtasks"), [
        { taskId: "task-1", subTaskIds: ids.slice(desired === "started" ? 1 : 0) },
      ]);
      const warning = `Run ${old.state.lotNo} of task "task-1" was stopped without its subtask "${declared}": CloudSubtasks "new" wants it started.`;
      assert.deepEqual(world.warnings.slice(-1), desired === "started" ? [warning] : []);
    });
  }

  const restored = { taskId: "task-1", onDelete: "restore" };
  const open = { actionType: "NavigateAction", properties: { Url: "https://new.test/" } };
  for (const [type, args] of Object.entries({
    TaskActionConfig: { ...restored, actions: { open } },
    TaskParameters: { ...restored, actions: { open } },
    TaskLoopItems: { ...restored, actionId: "each", loopType: "UrlList", items: ["https://new.test/1"] },
  })) {
    it(`leaves the settings of ${type} when the instance that it replaced is deleted by a later command`, async () => {
      await up(type, args);
      const written = world.emulator.inspect.task("task-1");
      const live = old.asDeleted();
      await live.up({ ...args });
      await world.command(async () => {
        assert.equal(await live.up({ ...args }), "nothing");
        await old.destroy();
      });
      assert.deepEqual(world.emulator.inspect.task("task-1"), written);
      assert.match(world.warnings.join("\n"), /keeps the present values of .*: they were not restored/);
    });

    it(`restores the settings of ${type} before a replacement, and after it when both leave the program`, async () => {
      const before = world.emulator.inspect.task("task-1");
      await up(type, args);
      await world.command(async () => {
        await old.preview({ ...args });
        world.operations();
        await old.replaceDeleteFirst({ ...args });
        assert.equal(world.operations().filter((each) => each.startsWith("update")).length, 2);
      });
      await old.destroy();
      assert.deepEqual(world.emulator.inspect.task("task-1"), before);
    });
  }

  for (const [type, source] of Object.entries({
    TaskCopy: (taskGroupId: string) => ({ sourceTaskId: "task-1", taskGroupId }),
    ExtractionTask: (taskGroupId: string) => ({ from: { sourceTaskId: "task-1", taskGroupId } }),
  })) {
    it(`refuses to remove the rows of ${type} before the rest of the program is known`, async () => {
      const copy = (group: string) => ({ ...source(group), forceDestroy: true });
      await up(type, copy("group-1"));
      const { id = "" } = old;
      await world.finishedRun(id);
      const message = await failure(old.replaceDeleteFirst(copy("group-2")));
      assert.match(message, /^The rows of task ".*" were not removed: the task still has 25 rows/);
      assert.match(message, /\nRemove deleteBeforeReplace from the options, and run "pulumi up" again/);
      const removed = (): boolean => world.operations().includes("removeData");
      assert.ok(!removed());
      const replaced = old.asSaved();
      await world.command(async () => {
        await old.up(copy("group-2"));
        assert.ok(removed());
      });
      await world.finishedRun(id);
      const adopter = world.declare(type, "adopter");
      const args = type === "TaskCopy" ? { adoptTaskId: id } : { from: { adoptTaskId: id } };
      await world.command(async () => {
        await adopter.up({ ...args });
        await replaced.destroy();
      });
      assert.ok(!removed());
    });
  }

  for (const [type, args] of Object.entries({
    ExtractionTask: adopted,
    TaskCopy: { adoptTaskId: "task-1" },
    TaskActionConfig: {
      taskId: "task-1",
      actions: { open: { actionType: "NavigateAction", properties: { Wait: "5" } } },
    },
    CloudRun: { taskId: "task-1" },
  })) {
    it(`leaves the rows of a task that ${type} names`, async () => {
      await world.finishedRun();
      await up("ExtractionTask", adopted);
      await renamed(type, args);
      assert.ok(!world.operations().includes("removeData"));
      assert.match(
        world.warnings.join("\n"),
        new RegExp(`its rows were not removed, because ${type} "new" has the same task`),
      );
    });
  }

  it("removes the rows of a task that no resource has any more", async () => {
    await world.finishedRun();
    await up("ExtractionTask", adopted);
    await world.command(async () => {
      const copy = { from: { sourceTaskId: "task-1", taskGroupId: "group-1" } };
      await world.declare("ExtractionTask", "copy").up(copy);
      await old.destroy();
    });
    assert.ok(world.operations().includes("removeData"));
  });
});

describe("two exports with one file", () => {
  const world = useWorld({ tasks: [task, { ...task, taskId: "task-2" }] });

  const second = async (one: object, other: object): Promise<string[]> =>
    world.command(async () => {
      await world.declare("DataExport", "one").up({ ...exported, ...one });
      const message = await failure(world.declare("DataExport", "two").up({ ...exported, ...other }));
      return [message];
    });

  it("are refused by the check, by the resolved path, and both are named", async () => {
    mkdirSync(world.path("rows"));
    symlinkSync(world.path("rows"), world.path("linked"));
    const spelled = ["rows/x.csv", "./rows/x.csv", "rows//x.csv", world.path("rows/x.csv"), "linked/x.csv"];
    for (const path of spelled) {
      const [message = ""] = await second(
        { path: "rows/x.csv", format: "csv" },
        { path, format: "csv", taskId: "task-2" },
      );
      assert.match(message, /^path leads to ".*\/rows\/x\.csv", which is the file of DataExport "one" too: give each/);
    }
  });

  it("are refused in another case where the disk folds it", async () => {
    const other = { taskId: "task-2", path: "ROWS.ndjson" };
    mkdirSync(world.path("folds"));
    world.write("folds/name", "");
    linkSync(world.path("folds/name"), world.path("folds/NAME"));
    await world.command(async () => {
      await world.declare("DataExport", "one").up(exported);
      await world.declare("DataExport", "two").up({ ...exported, ...other });
    });
    const folded = { one: { path: "folds/rows.ndjson" }, other: { ...other, path: "folds/ROWS.ndjson" } };
    const [message = ""] = await second(folded.one, folded.other);
    assert.match(message, /folds\/rows\.ndjson", which is the file of DataExport "one" too/);
  });

  it("are refused with one object of S3, and not with two objects", async () => {
    const problems = async (name: string, path: string): Promise<string[]> => {
      const args = { ...exported, path };
      noteUrn(args, world.declare("DataExport", name).urn ?? "");
      return world.providers.problems("DataExport", args);
    };
    const found = await world.command(async () => [
      ...(await problems("one", "s3://bucket/a/x.ndjson")),
      ...(await problems("two", "s3://bucket/A/x.ndjson")),
      ...(await problems("three", "s3://bucket/a/x.ndjson")),
    ]);
    assert.deepEqual(found, [
      'path leads to "s3://bucket/a/x.ndjson", which is the file of DataExport "one" too: give each export a file of its own',
    ]);
  });

  it("are accepted when one leaves the file with this command, which stays as it is", async () => {
    const one = world.declare("DataExport", "one");
    const two = world.declare("DataExport", "two");
    await world.finishedRun();
    await one.up({ ...exported });
    const rows = world.content("rows.ndjson");
    await world.command(async () => {
      await one.up({ ...exported, path: "moved.ndjson" });
      const other = { ...exported, taskId: "task-2" };
      assert.match(await failure(two.up(other)), /^The file "rows.ndjson" exists. This export did not write it/);
    });
    assert.deepEqual([world.content("rows.ndjson"), world.content("moved.ndjson")], [rows, rows]);
    await one.destroy();
    await world.command(async () => {
      await one.up({ ...exported, path: "again.ndjson" });
      await one.up({ ...exported, path: "more.ndjson" });
      await two.up({ ...exported });
    });
    assert.equal(world.content("rows.ndjson"), rows);
  });

  it("are refused when one leaves an object, and the other has rows of a run to come", async () => {
    const path = "s3://bucket/x.ndjson";
    const one = world.declare("DataExport", "one");
    await world.finishedRun();
    await one.up({ ...exported });
    one.hasInState({ path }, { file: path });
    const problems = async (taskId: string): Promise<string[]> => {
      const args = { ...exported, taskId, path };
      noteUrn(args, world.declare("DataExport", "two").urn ?? "");
      return world.command(async () => {
        await one.preview({ ...exported, path: "y.ndjson" });
        return world.providers.problems("DataExport", args);
      });
    };
    assert.deepEqual(await problems(unknownText), [
      `path leads to "${path}", which DataExport "one" has written. It gets another path now, and that file stays and is never overwritten: remove it first, or use another path`,
    ]);
    assert.deepEqual(await problems("task-2"), []);
  });

  it("are accepted where each export writes a file of its own", async () => {
    const exports = ["one", "two", "three"].map((name) => world.declare("DataExport", name));
    await world.command(async () => {
      for (const [index, each] of exports.entries()) {
        await each.up({ ...exported, path: index < 2 ? "rows/{n}.ndjson" : "rows/all.ndjson" });
      }
    });
    assert.deepEqual(
      exports.map(({ state }) => state.file),
      ["rows/1.ndjson", "rows/2.ndjson", "rows/all.ndjson"],
    );
  });
});
