import assert from "node:assert/strict";
import { noteUrn } from "../internals/engine";
import { InProcess, unknownText } from "../program/inProcess";

const origin = "http://127.0.0.1:1";

describe("diffs", () => {
  const providers = new InProcess({ baseUrl: origin });
  const diff = (type: string, state: Record<string, unknown>, args: Record<string, unknown>) =>
    providers.provider(type).diff("id", { stateVersion: 1, origin, ...state }, args);
  /** A diff of what the program gives, after its check. */
  const given = async (type: string, state: Record<string, unknown>, args: Record<string, unknown>) => {
    const process = new InProcess({ baseUrl: origin });
    await process.provider(type).check({}, args);
    return process.provider(type).diff("id", { stateVersion: 1, origin, ...state }, args);
  };

  it("leave the comparison to the engine, so that only changed arguments are shown", async () => {
    const state = { taskId: "t", actions: { a: { actionType: "X", properties: { p: "1" } } } };
    const args = { taskId: "t", actions: { a: { actionType: "X", properties: { p: "2" } } } };
    assert.deepEqual(await diff("TaskActionConfig", state, args), {});
  });

  it("replace when the task changes, never because it is unknown", async () => {
    const state = { taskId: "t", actions: {} };
    assert.deepEqual(await diff("TaskActionConfig", state, { ...state, taskId: "u" }), {
      replaces: ["taskId"],
      deleteBeforeReplace: false,
    });
    assert.deepEqual(await given("TaskActionConfig", state, { ...state, taskId: unknownText }), {});
  });

  it("replace an ExtractionTask for another source, never because the source is unknown", async () => {
    const from = { sourceTaskId: "s", taskGroupId: "g" };
    const state = { from, taskId: "t" };
    assert.deepEqual(await diff("ExtractionTask", state, { from: { ...from, sourceTaskId: "other" } }), {
      replaces: ["from"],
      deleteBeforeReplace: false,
    });
    for (const unknownFrom of [unknownText, { ...from, sourceTaskId: unknownText }]) {
      assert.deepEqual(await given("ExtractionTask", state, { from: unknownFrom }), {});
    }
  });

  it("start a new run only for a changed or unknown trigger", async () => {
    const state = { taskId: "t", lotNo: "1", triggers: ["a"] };
    const again = { replaces: ["triggers"], deleteBeforeReplace: true };
    assert.deepEqual(await diff("CloudRun", state, { taskId: "t", triggers: ["a"], timeoutSeconds: 5 }), {});
    assert.deepEqual(await diff("CloudRun", state, { taskId: "t", triggers: ["b"] }), again);
    assert.deepEqual(await given("CloudRun", state, { taskId: "t", triggers: [unknownText] }), again);
  });

  it("start no run for a value that only the delete of another resource makes unknown", async () => {
    const run = new InProcess({ baseUrl: origin }).provider("CloudRun");
    const state = { stateVersion: 1, origin, taskId: "t", lotNo: "1", triggers: ["a"], rerunOn: ["h"] };
    const of = <T extends object>(urn: string | undefined, news: T): T => {
      if (urn !== undefined) {
        noteUrn(news, urn);
      }
      return news;
    };
    const check = (urn: string | undefined, triggers: unknown) => run.check({}, of(urn, { taskId: "t", triggers }));
    const isReplaced = async (urn: string | undefined, changed: object): Promise<boolean> => {
      const { replaces, changes } = await run.diff("1", state, of(urn, { taskId: "t", triggers: ["a"], ...changed }));
      assert.ok(replaces !== undefined || changes === false);
      return replaces !== undefined;
    };
    await check("changed", ["b"]);
    for (const name of ["triggers", "rerunOn", "taskId"]) {
      assert.equal(await isReplaced("changed", { [name]: unknownText }), false);
      assert.equal(await isReplaced("not checked yet", { [name]: unknownText }), false);
    }
    await check("given", [unknownText]);
    assert.equal(await isReplaced("given", { triggers: [unknownText] }), true);
    assert.equal(await isReplaced("changed", { triggers: unknownText }), false);
    // A diff without a URN can be about any resource.
    assert.equal(await isReplaced(undefined, { triggers: unknownText }), true);
    // The first check of a process has no URN. It can be about any resource.
    await check(undefined, [unknownText]);
    assert.equal(await isReplaced("changed", { triggers: unknownText }), true);
  });

  it("warn once that a paid run may start when a trigger is unknown, and not when the diff shows the change", async () => {
    const process = new InProcess({ baseUrl: origin });
    const state = { stateVersion: 1, origin, taskId: "t", lotNo: "7", triggers: ["a"], rerunOn: ["h"] };
    const seen = async (urn: string, args: Record<string, unknown>): Promise<string[]> => {
      const news = { taskId: "t", triggers: ["a"], rerunOn: ["h"], ...args };
      noteUrn(news, urn);
      await process.provider("CloudRun").check({}, news);
      await process.provider("CloudRun").diff("7", state, news);
      return process.warnings.splice(0);
    };
    const warning =
      'Run 7 of task "t" shows as a replace because its triggers are not known yet. The up may start a paid run. ' +
      "It starts none if the values turn out to be unchanged.";
    assert.deepEqual(await seen("run", { triggers: ["a", { b: unknownText }] }), [warning]);
    assert.deepEqual(await seen("run", { triggers: unknownText }), []);
    assert.deepEqual(await seen("other", { rerunOn: unknownText }), [
      warning.replace("its triggers are", "its rerunOn is"),
    ]);
    assert.deepEqual(await seen("changed", { triggers: ["b"] }), []);
    assert.deepEqual(await seen("same", {}), []);
    assert.deepEqual(await seen("replaced anyway", { adoptLotNo: "8", triggers: unknownText }), []);
    assert.deepEqual(await seen("of another task", { taskId: "u", triggers: unknownText }), []);
  });

  it("show no change when the present id is added or removed as adoptTaskId", async () => {
    const copy = { sourceTaskId: "s", taskGroupId: "g" };
    const state = { ...copy, taskId: "t" };
    assert.deepEqual(await diff("TaskCopy", state, { ...copy, adoptTaskId: "t" }), { changes: false });
    assert.deepEqual(await diff("TaskCopy", { ...state, adoptTaskId: "t" }, copy), { changes: false });
    assert.deepEqual(await diff("TaskCopy", state, { ...copy, adoptTaskId: "other" }), {
      replaces: ["adoptTaskId"],
      deleteBeforeReplace: false,
    });
    assert.deepEqual(await diff("TaskCopy", state, { ...copy, sourceTaskId: "s2" }), {
      replaces: ["sourceTaskId"],
      deleteBeforeReplace: false,
    });
  });

  it("leave the comparison of equal arguments to the engine, because a value can have become a secret", async () => {
    const from = { sourceTaskId: "s", taskGroupId: "g" };
    const actions = { a: { actionType: "X", properties: { p: "1" } } };
    assert.deepEqual(await diff("ExtractionTask", { from, actions, taskId: "t" }, { from, actions }), {});
    assert.deepEqual(await diff("TaskCopy", { ...from, taskId: "t" }, from), {});
  });

  it("force an update while something is pending, although nothing changed", async () => {
    const state = { taskId: "t", lotNo: "1", pending: ["wait"] };
    assert.deepEqual(await diff("CloudRun", state, { taskId: "t" }), { changes: true });
  });

  it("replace an unknown outcome when an id to adopt or a new retry is set, delete first", async () => {
    const args = { taskId: "t" };
    const state = { ...args, outcome: "unknown" };
    assert.deepEqual(await diff("CloudRun", state, args), { changes: true });
    assert.deepEqual(await diff("CloudRun", state, { ...args, adoptLotNo: "5" }), {
      replaces: ["adoptLotNo"],
      deleteBeforeReplace: true,
    });
    assert.deepEqual(await diff("CloudRun", state, { ...args, retry: "1" }), {
      replaces: ["retry"],
      deleteBeforeReplace: true,
    });
    assert.deepEqual(await diff("CloudRun", { ...args, lotNo: "1" }, { ...args, retry: "1" }), {});
    // A CloudRun is deleted first in any case.
    const copy = { sourceTaskId: "s", taskGroupId: "g" };
    for (const [name, value] of [
      ["adoptTaskId", "t"],
      ["retry", "1"],
    ] as const) {
      assert.deepEqual(await diff("TaskCopy", { ...copy, outcome: "unknown" }, { ...copy, [name]: value }), {
        replaces: [name],
        deleteBeforeReplace: true,
      });
    }
  });

  it("refuse a resource of another service until movedFrom names its origin", async () => {
    const state = { taskId: "t", origin: "https://old.test" };
    await assert.rejects(diff("CloudRun", state, { taskId: "t" }), {
      message:
        /^This resource was made at https:\/\/old.test, and the configuration names http:\/\/127.0.0.1:1. Nothing was changed/,
    });
    const moved = new InProcess({ baseUrl: origin, movedFrom: "https://old.test" });
    assert.deepEqual(await moved.provider("CloudRun").diff("1", state, { taskId: "t" }), { changes: true });
  });

  it("know the service by its address with the path, in each spelling, and each one below an origin of an earlier version", async () => {
    const here = new InProcess({ baseUrl: `${origin}/eu/v1` });
    const diffOf = (made: string) =>
      here.provider("CloudRun").diff("1", { taskId: "t", origin: made }, { taskId: "t" });
    for (const same of [origin, `${origin}/eu/v1`, `${origin.toUpperCase()}/eu/./x/../v1/`]) {
      assert.deepEqual(await diffOf(same), {}, same);
    }
    for (const other of [`${origin}/us/v1`, `${origin}/EU/v1`, `${origin}/eu`, "http://127.0.0.1:2"]) {
      await assert.rejects(diffOf(other), { message: new RegExp(`^This resource was made at ${other}, `) });
    }
  });

  it("name the arguments that are missing for a lookup, before any request", async () => {
    const problem = (type: string, state: Record<string, unknown> = {}): Promise<string> =>
      providers
        .provider(type)
        .read("7", state)
        .then(
          () => assert.fail("it should have been refused"),
          (error: Error) => error.message,
        );
    const missing = {
      TaskActionConfig: ["actions"],
      TaskParameters: ["actions"],
      TaskLoopItems: ["actionId", "loopType"],
      CloudRun: ["taskId"],
      CloudSubtasks: ["subTaskIds", "desired"],
    };
    for (const [type, names] of Object.entries(missing)) {
      const list = names.map((name) => `${name} is missing: it must be [^;.]+`).join("; ");
      assert.match(
        await problem(type),
        new RegExp(`^The ${type} "7" cannot be looked up: .*: ${list}\\. Nothing was sent\\.$`),
      );
    }
    const whole = { actions: { open: { properties: { Url: "?" } } } };
    assert.match(
      await problem("ExtractionTask", whole),
      /: actions.open.actionType is missing: it must be a non-empty string. Nothing was sent/,
    );
  });

  it("refuse state of a newer version", async () => {
    await assert.rejects(
      diff("CloudRun", { taskId: "t", stateVersion: 3 }, { taskId: "t" }),
      /newer version of pulumi-webextract/,
    );
  });

  it("throw errors that the host prints as one line, without a stack", async () => {
    const error = await diff("CloudRun", { taskId: "t", stateVersion: 3 }, {}).catch((each: Error) => each);
    assert.equal(`${error}`, (error as Error).message);
    assert.equal((error as Error).stack, "shown at its resource");
  });
});
