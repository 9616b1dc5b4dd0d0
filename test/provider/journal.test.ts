import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { join } from "node:path";
import sinon from "sinon";
import { setEnvironment } from "../environment";
import { noteUrn } from "../internals/engine";
import { InitFailure, Journal, JournalFiles } from "../internals/provider";
import { canonical } from "../internals/resources";
import type { Declared } from "../resources/life";
import { failure, otherAddress, World } from "../resources/life";

const copyArgs = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const runArgs = { taskId: "task-1" };
const appendArgs = { taskId: "task-1", actionId: "each", loopType: "UrlList", mode: "append" };
const hour = 3600 * 1000;

const urnOf = (type: string, name = type): string =>
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/webextract:${type}::${name}`;

describe("the journal of requests that must not be sent twice", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create();
  });
  afterEach(async () => {
    sinon.restore();
    await world.remove();
  });

  const copies = (): string[] =>
    world.emulator.inspect
      .tasks()
      .map(({ taskId }) => taskId)
      .filter((taskId) => taskId !== "task-1");
  const runs = () => world.emulator.inspect.runs();
  const items = () => world.emulator.inspect.task("task-1")?.actions[1]?.loopItems;
  const folder = () => world.path(join("tokens", "journal"));
  const forget = (): void => {
    world.warnings = [];
  };

  /** Copies, and loses what came of it with the engine. */
  const copiedUnsaved = async (): Promise<Declared> => {
    const copy = world.declare("TaskCopy");
    const saved = await world.unsaved(copy, () => copy.up(copyArgs));
    forget();
    return saved;
  };

  /** Makes what the journal holds older. */
  const letPass = (milliseconds: number): void => {
    for (const name of readdirSync(folder())) {
      const path = join(folder(), name);
      const entry = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...entry, time: entry.time - milliseconds }));
    }
  };

  describe("after a copy whose result was not saved", () => {
    it("takes the copy over, with a warning that names it and its time", async () => {
      const copy = await copiedUnsaved();
      letPass(3 * 60 * 1000);
      await copy.up(copyArgs);
      assert.deepEqual(copies(), [copy.id]);
      assert.equal(world.warnings.length, 1);
      assert.match(
        String(world.warnings[0]),
        new RegExp(
          `^"${copy.id}" \\(a copy of task "task-1" in group "group-2"\\) was made at 20\\d\\d-\\S+Z by .* It was taken over`,
        ),
      );
    });

    it("takes the copy over when the resource has moved to the native plugin since, and back", async () => {
      await copiedUnsaved();
      const native = world.declare("TaskCopy", undefined, "native");
      await world.unsaved(native, () => native.up(copyArgs));
      const dynamic = world.declare("TaskCopy");
      await dynamic.up(copyArgs);
      assert.deepEqual(copies(), [dynamic.id]);
    });

    it("takes the copy over from an entry that an earlier version has named without its salt, and keeps it until then", async () => {
      const copy = await copiedUnsaved();
      const [name = ""] = readdirSync(folder()).filter((each) => each.endsWith(".json"));
      renameSync(join(folder(), name), join(folder(), name.replace(/\.[0-9a-f]{32}\.json$/, ".json")));
      await world.declare("TaskCopy", "another").up(copyArgs);
      assert.equal(world.journal().length, 1);
      await copy.up(copyArgs);
      assert.equal(copies().length, 2);
      assert.ok(copies().includes(String(copy.id)));
      assert.deepEqual(world.journal(), []);
    });

    it("is empty after the engine has saved the state and ended as usual", async () => {
      const copy = await copiedUnsaved();
      assert.equal(world.journal().length, 1);
      await copy.up(copyArgs);
      assert.deepEqual(world.journal(), []);
    });

    it("is empty if the step failed after the copy, so that no other resource takes over an object in the state", async () => {
      const whole = { from: copyArgs, actions: { open: { actionType: "NavigateAction", properties: { Url: "a" } } } };
      const books = world.declare("ExtractionTask", "books");
      world.emulator.fault({ operation: "updateTaskParameters", kind: "error", code: "PermissionDenied" });
      await failure(books.up(whole));
      assert.deepEqual(copies(), [books.id]);
      assert.deepEqual(world.journal(), []);
    });

    it("is empty after the engine shows the copy under another name, so that a new resource of the old name makes its own copy", async () => {
      const copy = await copiedUnsaved();
      const renamed = world.declare("TaskCopy", "renamed");
      renamed.id = copies()[0];
      renamed.state = { ...copyArgs, taskId: renamed.id, stateVersion: 1, origin: world.emulator.url };
      await renamed.refresh();
      assert.deepEqual(world.journal(), []);
      await copy.up(copyArgs);
      assert.equal(copies().length, 2);
      assert.deepEqual(world.warnings, []);
    });

    it("copies again for another name, source, group or profile, and leaves the entry", async () => {
      await copiedUnsaved();
      await world.declare("TaskCopy", "another").up(copyArgs);
      assert.equal(copies().length, 2);
      assert.deepEqual(world.warnings, []);
      assert.equal(world.journal().length, 1);
    });

    it("copies again for other arguments, with a warning that names the unmanaged copy", async () => {
      const copy = await copiedUnsaved();
      const [orphan] = copies();
      await copy.up({ ...copyArgs, taskGroupId: "group-1" });
      assert.equal(copies().length, 2);
      assert.match(
        String(world.warnings[0]),
        new RegExp(
          `^"${orphan}" \\(a copy .*\\) was made .* This resource is "${copy.id}" now, and no state holds any other one`,
        ),
      );
      assert.deepEqual(world.journal(), []);
    });

    it("takes the copy over when only options changed", async () => {
      const copy = await copiedUnsaved();
      await copy.up({ ...copyArgs, onDelete: "retain" });
      assert.equal(copies().length, 1);
    });

    it("copies again when the copy is gone, and after a second kill takes over the newer copy without a word of the other", async () => {
      const copy = await copiedUnsaved();
      world.emulator.change.deleteTask(copies()[0] ?? "");
      const saved = await world.unsaved(copy, () => copy.up(copyArgs));
      assert.deepEqual(world.warnings, []);
      await saved.up(copyArgs);
      assert.deepEqual(copies(), [saved.id]);
      assert.equal(world.warnings.length, 1);
      assert.match(String(world.warnings[0]), new RegExp(`^"${saved.id}" .* It was taken over`));
      assert.deepEqual(world.journal(), []);
    });

    it("reads no other files of the folder, such as a copy that somebody made of an entry", async () => {
      const copy = await copiedUnsaved();
      const [name = ""] = readdirSync(folder()).filter((each) => each.endsWith(".json"));
      const others = [`${name}.bak`, `old-${name}`];
      for (const other of others) writeFileSync(join(folder(), other), "{");
      await copy.up(copyArgs);
      assert.deepEqual(copies(), [copy.id]);
      assert.deepEqual(readdirSync(folder()).sort(), others.sort());
    });

    it("refuses if the service does not show whether the copy exists, and names the copy", async () => {
      const copy = await copiedUnsaved();
      const [taskId] = copies();
      world.emulator.setBehaviour({ getActionsMissing: "leftOut", getActionsEmptyTypes: "refused" });
      world.emulator.fault({ operation: "getActions", kind: "error", code: "InvalidParameter", times: 2 });
      world.emulator.fault({ operation: "getData", kind: "error", code: "PermissionDenied" });
      world.configure({ actionTypes: "" });
      const message = await failure(copy.up(copyArgs));
      assert.match(message, new RegExp(`"${taskId}" .* whether it still exists.* Set adoptTaskId to "${taskId}"`));
      assert.equal(copies().length, 1);
      await copy.up({ ...copyArgs, adoptTaskId: taskId });
      assert.equal(copy.id, taskId);
      assert.equal(copies().length, 1);
      assert.deepEqual(world.journal(), []);
    });

    it("accepts adoptTaskId, and names the unmanaged copy if another task is adopted", async () => {
      const copy = await copiedUnsaved();
      const [orphan] = copies();
      await copy.up({ adoptTaskId: "task-1" });
      assert.match(String(world.warnings[0]), new RegExp(`^"${orphan}" .* This resource is "task-1"`));
      assert.deepEqual(world.journal(), []);
    });

    it("takes the copy over at another address when movedFrom names the old one", async () => {
      const copy = await copiedUnsaved();
      const [copied] = copies();
      const old = world.emulator.url;
      const moved = otherAddress(old);
      world.configure({ ...moved, movedFrom: old });
      await copy.up(copyArgs);
      assert.deepEqual([copies(), copy.id, copy.state.origin], [[copied], copied, moved.baseUrl]);
      assert.match(world.warnings.join(), /It was taken over/);
      assert.deepEqual(world.journal(), []);
    });

    it("at another address, removes the entry of a copy in the state, and names a copy in no state", async () => {
      const copy = await copiedUnsaved();
      const [orphan] = copies();
      const old = world.emulator.url;
      world.configure({ ...otherAddress(old), movedFrom: old });
      await copy.up({ ...copyArgs, taskGroupId: "group-1" });
      assert.match(String(world.warnings[0]), new RegExp(`^"${orphan}" .* no state holds any other one`));
      assert.deepEqual(world.journal(), []);
    });

    describe("and another name of the account,", () => {
      const profile = (credentials: object) => {
        const baseUrl = `${world.emulator.url.replace("http:", "HTTP:")}/./`;
        return JSON.stringify({ shop: { baseUrl, ...credentials } });
      };

      it("takes the copy over if its credentials are the same", async () => {
        const copy = await copiedUnsaved();
        const { accessToken, apiKey } = world.emulator.credentials;
        world.configure({ profiles: profile({ accessToken, apiKey }) });
        await copy.up({ ...copyArgs, profile: "shop" });
        assert.deepEqual(copies(), [copy.id]);
        assert.match(world.warnings.join(), /It was taken over/);
        assert.deepEqual(world.journal(), []);
      });

      for (const kill of ["before", "after"] as const) {
        it(`sends nothing if they are others, and names the copy (killed ${kill} the response)`, async () => {
          const copy = world.declare("TaskCopy");
          const saved =
            kill === "before"
              ? await world.killed(copy, () => copy.up(copyArgs), { operation: "copyTask", when: "after" })
              : await world.unsaved(copy, () => copy.up(copyArgs));
          const { apiKey } = world.emulator.credentials;
          world.configure({ profiles: profile({ apiKey, accessToken: "another-token" }) });
          for (let time = 0; time < 2; time++) {
            const message = await failure(saved.up({ ...copyArgs, profile: "shop" }));
            assert.match(
              message,
              /copy of task "task-1" .* with no profile at .* this resource has profile "shop" now/,
            );
            assert.doesNotMatch(message, /another-token/);
          }
          assert.equal(copies().length, 1);
          world.configure({ profiles: "" });
          const next = saved.up(copyArgs);
          await (kill === "before" ? failure(next) : next);
          assert.equal(copies().length, 1);
        });
      }

      it("sends nothing if the copy is gone for other credentials of the same name", async () => {
        const copy = await copiedUnsaved();
        const [taskId] = copies();
        world.emulator.change.deleteTask(String(taskId));
        const [entry] = world.journal();
        const name = String(readdirSync(folder()));
        writeFileSync(join(folder(), name), JSON.stringify({ ...entry, account: "0".repeat(64) }));
        assert.match(await failure(copy.up(copyArgs)), new RegExp(`"${taskId}" .* Set adoptTaskId to "${taskId}"`));
        assert.equal(copies().length, 0);
      });
    });

    it("counts what this user's own journal has, which was in use before the token store had a folder", async () => {
      const former = world.path(join("state", "pulumi-webextract", "journal"));
      const restore = setEnvironment({ XDG_STATE_HOME: world.path("state") });
      try {
        const copy = world.declare("TaskCopy");
        const saved = await world.unsaved(copy, () => copy.up(copyArgs));
        mkdirSync(join(former, ".."), { recursive: true });
        renameSync(folder(), former);
        await saved.up(copyArgs);
        assert.deepEqual([copies(), readdirSync(former)], [[saved.id], []]);
        const lost = world.declare("TaskCopy", "lost");
        const unknown = await world.killed(lost, () => lost.up(copyArgs), { operation: "copyTask", when: "after" });
        world.emulator.clearFaults();
        renameSync(join(folder(), String(readdirSync(folder()))), join(former, String(readdirSync(folder()))));
        assert.match(await failure(unknown.up(copyArgs)), /may exist.* The request is not sent again/);
        assert.equal(copies().length, 2);
      } finally {
        restore();
      }
    });

    it("copies again when the journal is off, and says so", async () => {
      world.configure({ journal: "off" });
      const copy = await copiedUnsaved();
      await copy.up(copyArgs);
      assert.match(
        world.warnings.join(),
        /^webextract:journal is off: a copy or a run of a killed command may be made a/,
      );
      assert.equal(copies().length, 2);
      assert.deepEqual(world.journal(), []);
    });
  });

  describe("in a replace of a copy", () => {
    const first = { ...copyArgs, onDelete: "retain" };
    const second = { ...first, taskGroupId: "group-1" };
    let copy: Declared;
    beforeEach(async () => {
      copy = world.declare("TaskCopy");
      await copy.up(first);
    });

    it("says nothing if nothing was killed", async () => {
      forget();
      assert.equal(await copy.up(second), "replaced");
      assert.deepEqual(
        world.warnings.filter((each) => !/stays at the service|was not touched/.test(each)),
        [],
      );
      assert.deepEqual(world.journal(), []);
    });

    it("takes over the copy made before the kill, and deletes the old one", async () => {
      const old = copy.id;
      copy = await world.unsaved(copy, () => copy.up(second));
      assert.equal(copy.id, old);
      forget();
      assert.equal(await copy.up(second), "replaced");
      assert.equal(copies().length, 2);
      assert.deepEqual(copies(), [old, copy.id]);
      assert.match(world.warnings.join(), /It was taken over/);
    });

    it("names the unmanaged copy if the change is reverted, also after a refresh", async () => {
      copy = await world.unsaved(copy, () => copy.up(second));
      const orphan = copies()[1];
      forget();
      await copy.refresh();
      assert.deepEqual(world.warnings, []);
      assert.equal(await copy.up(first), "nothing");
      assert.match(String(world.warnings[0]), new RegExp(`^"${orphan}" .* This resource is "${copy.id}"`));
      forget();
      await copy.up(first);
      assert.deepEqual(world.warnings, []);
    });

    it("names the unmanaged copy in a destroy", async () => {
      copy = await world.unsaved(copy, () => copy.up(second));
      const orphan = copies()[1];
      forget();
      await copy.destroy();
      assert.match(world.warnings.join("\n"), new RegExp(`"${orphan}" .* no state holds any other one`));
    });

    it("does not delete the copy that its replacement took over in a requested replace", async () => {
      const saved = world.declare("TaskCopy", "by hand");
      await world.unsaved(saved, () => saved.up(copyArgs));
      const { id } = saved;
      world.emulator.change.insertRows(String(id), [{ row: 1 }]);
      forget();
      await saved.replaceByHand();
      assert.equal(saved.id, id);
      assert.match(
        world.warnings.join("\n"),
        new RegExp(`"${id}" was taken over by the resource that replaces it, so it was not deleted`),
      );
      assert.equal(world.emulator.inspect.rows(String(id)).length, 1);
    });
  });

  describe("after a copy whose response was lost because of a kill", () => {
    for (const [when, made] of [
      ["before", 0],
      ["after", 1],
    ] as const) {
      it(`sends nothing, and says how to continue (killed ${when} the effect)`, async () => {
        const copy = world.declare("TaskCopy");
        const saved = await world.killed(copy, () => copy.up(copyArgs), { operation: "copyTask", when });
        const message = await failure(saved.up(copyArgs));
        assert.match(message, /The run that sent this request ended before it received the response/);
        assert.match(message, /A copy of task "task-1" in group "group-2" may exist, sent at 20\d\d-/);
        assert.match(message, /set adoptTaskId to the id; if not, set retry to a new string/);
        assert.match(await failure(saved.up(copyArgs)), /A copy of task "task-1" in group "group-2" may exist/);
        await saved.refresh();
        assert.match(await failure(saved.up(copyArgs)), /A copy of task "task-1" in group "group-2" may exist/);
        assert.equal(copies().length, made);
        await saved.up(made === 0 ? { ...copyArgs, retry: "looked" } : { ...copyArgs, adoptTaskId: copies()[0] });
        assert.equal(copies().length, 1);
        assert.deepEqual(world.journal(), []);
      });
    }
  });

  for (const journal of ["on", "off"]) {
    for (const [type, args, operation] of [
      ["CloudRun", runArgs, "startTask"],
      ["TaskCopy", copyArgs, "copyTask"],
    ] as const) {
      // Before the create of a new copy, the engine shows nothing of the old one: only the journal knows it.
      if (journal === "off" && type === "TaskCopy") continue;
      it(`sends nothing again in a replace that the user requests, nor after a deleted state (${type}, journal ${journal})`, async () => {
        if (journal === "off") world.configure({ journal });
        const lost = world.declare(type);
        world.emulator.fault({ operation, kind: "reset", when: "after", times: 1 });
        await failure(lost.up(args));
        const made = () => [copies().length, runs().length];
        const before = made();
        const replace = () => (type === "CloudRun" ? lost.replaceDeleteFirst(args) : lost.replaceByHand());
        for (let time = 0; time < 2; time++) {
          assert.match(await failure(lost.up(args)), / may (?:exist|have started), sent at /);
          assert.match(await failure(replace()), / may (?:exist|have started), sent at /);
          if (journal === "on") {
            assert.match(await failure(world.declare(type).up(args)), / may (?:exist|have started), sent at /);
          }
        }
        assert.deepEqual(made(), before);
        assert.deepEqual(world.warnings.join(), type === "CloudRun" ? world.warnings.join() : "");
        await lost.up({ ...args, retry: "looked" });
        assert.notDeepEqual(made(), before);
        assert.deepEqual(world.journal(), []);
      });
    }
  }

  it("sends nothing again after a lost response whose placeholder no state holds, as with pulumi do --stateless", async () => {
    const copy = world.declare("TaskCopy");
    const again = copy.asSaved();
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after", times: 1 });
    await failure(copy.up(copyArgs));
    assert.match(await failure(again.up(copyArgs)), /A copy of task "task-1" in group "group-2" may exist/);
    assert.equal(copies().length, 1);
    await again.up({ ...copyArgs, retry: "looked, it is not there" });
    assert.equal(copies().length, 2);
    assert.deepEqual(world.journal(), []);
  });

  for (const journal of ["on", "off"]) {
    describe(`with a step that the engine repeats in one command for a hook onError, the journal ${journal}`, () => {
      beforeEach(() => world.configure(journal === "on" ? {} : { journal }));

      /** The engine makes the step again as if there had been no first one. */
      const repeated = (declared: Declared, args: object): Promise<[string, string | undefined]> => {
        const again = declared.asSaved();
        return world.command(async () => [
          await failure(declared.up({ ...args })),
          await outcome(again.up({ ...args })),
        ]);
      };
      const outcome = (step: Promise<unknown>): Promise<string | undefined> =>
        step.then(
          () => undefined,
          (error: Error) => error.message,
        );

      for (const [operation, type, args] of [
        ["copyTask", "TaskCopy", copyArgs],
        ["startTask", "CloudRun", runArgs],
      ] as const) {
        it(`sends ${operation} once if its response was lost`, async () => {
          world.emulator.fault({ operation, kind: "reset", when: "after", times: 1 });
          const [first, second] = await repeated(world.declare(type), args);
          assert.match(first, /no complete response came/);
          assert.match(String(second), /The response to the first request was lost\.\nA .* may .*, sent at 20\d\d-/);
          assert.deepEqual([copies().length, runs().length], operation === "copyTask" ? [1, 0] : [0, 1]);
        });
      }

      it("keeps what it knows in the state if the engine repeats a failed create as an update, which fails too", async () => {
        world.emulator.fault({ operation: "startTask", kind: "reset", when: "after", times: 1 });
        const run = world.declare("CloudRun");
        await world.command(async () => {
          await failure(run.up(runArgs));
          await assert.rejects(run.up(runArgs), (error) => error instanceof InitFailure && error.id === run.id);
        });
        assert.match(await failure(run.up(runArgs)), /A paid run of task "task-1" may have started/);
        assert.equal(runs().length, 1);
      });

      it("copies a task once if its settings could not be written, and completes it", async () => {
        const actions = { open: { actionType: "NavigateAction", properties: { Url: "a" } } };
        const fault = { operation: "updateTaskParameters", kind: "error", code: "PermissionDenied", times: 1 } as const;
        world.emulator.fault(fault);
        const [, second] = await repeated(world.declare("ExtractionTask"), { from: copyArgs, actions });
        assert.equal(second, undefined);
        assert.equal(copies().length, 1);
        assert.equal(world.emulator.inspect.task(String(copies()[0]))?.actions[0]?.properties.Url, "a");
        assert.match(world.warnings.join(), /was made at \S+ by a step that failed later\. It was taken over/);
      });
    });
  }

  it("notes the response to the request in progress when the engine has ended, and sends no further request", async () => {
    const hold = world.emulator.hold({ operation: "copyTask" });
    const first = world.declare("TaskCopy", "first");
    const saved = first.asSaved();
    const step = world.unsaved(first, () => first.up(copyArgs));
    await hold.reached;
    const { providers } = world;
    const ended = providers.engineIsGone();
    const inputs = await providers.checked("TaskCopy", copyArgs);
    noteUrn(inputs, String(world.declare("TaskCopy", "second").urn));
    await assert.rejects(
      providers.provider("TaskCopy").create(inputs),
      /engine has ended, so no further request is sent/,
    );
    hold.release();
    await ended;
    await step;
    assert.deepEqual(world.operations(), ["getData", "copyTask"]);
    assert.equal(world.journal().length, 1);
    await saved.up(copyArgs);
    assert.equal(copies().length, 1);
  });

  it("does not send a request that was waiting for a free slot when the engine ended", async () => {
    world.configure({ concurrency: "1" });
    const hold = world.emulator.hold({ operation: "copyTask" });
    const { providers } = world;
    const create = async (name: string) => {
      const inputs = await providers.checked("TaskCopy", copyArgs);
      noteUrn(inputs, String(world.declare("TaskCopy", name).urn));
      return providers.provider("TaskCopy").create(inputs);
    };
    const first = create("first");
    await hold.reached;
    const second = assert.rejects(create("second"), /not sent/);
    while (readdirSync(folder()).length < 2) {
      await new Promise(setImmediate);
    }
    const ended = providers.engineIsGone();
    hold.release();
    await Promise.all([first, second, ended]);
    assert.deepEqual(world.operations(), ["getData", "copyTask"]);
    assert.equal(world.journal().length, 1);
  });

  describe("with an entry of another stack of the same names, whose command is running", () => {
    const loop = { ...appendArgs, items: ["a"] };
    const marked = { taskId: "task-1", scope: "notExported", path: "rows/{n}.ndjson", markExported: true };
    for (const [type, args] of Object.entries({
      TaskCopy: copyArgs,
      CloudRun: runArgs,
      TaskLoopItems: loop,
      DataExport: marked,
    })) {
      it(`is refused by name, and keeps the entry until that command has ended (${type})`, async () => {
        const here = world.declare(type);
        await world.unsaved(here, () => here.up(args));
        const { pid } = world.providers.name;
        world.running.add(pid);
        const before = world.journal();
        world.operations();
        const other = world.declare(type);
        assert.match(
          await failure(other.up(args)),
          new RegExp(
            `^Process ${pid} of this machine is running .*Nothing was sent\\. Wait until that command has ended`,
          ),
        );
        const writes = world.operations().filter((operation) => operation !== "getActions");
        assert.deepEqual(writes, []);
        // The state of another stack can show the same resource.
        await here.refresh();
        await here.destroy();
        assert.deepEqual(world.journal(), before);
        world.running.clear();
        await world.declare(type).up(args);
        assert.deepEqual(world.journal(), []);
      });
    }
  });

  describe("with a second actor", () => {
    it("keeps an entry until its process has noted a response, also at an ordinary end", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.killed(run, () => run.up(runArgs), { operation: "startTask", when: "after" });
      const before = world.journal();
      await world.providers.end();
      assert.deepEqual(world.journal(), before);
      assert.match(await failure(saved.up(runArgs)), /A paid run of task "task-1" may have started/);
      assert.equal(runs().length, 1);
    });

    it("keeps the entry of a step that ended after an interruption, whose result the engine may have dropped", async () => {
      const hold = world.emulator.hold({ operation: "startTask" });
      const run = world.declare("CloudRun");
      const step = world.unsaved(run, () => run.up(runArgs));
      await hold.reached;
      world.providers.interruption.abort();
      assert.match(world.providers.warnings.join(), /^Interrupted: A paid run of task "task-1" may have started\./);
      hold.release();
      const saved = await step;
      await world.providers.end();
      assert.equal(world.journal().length, 1);
      await saved.up(runArgs);
      assert.equal(runs().length, 1);
    });

    it("keeps at an ordinary end what another resource has not returned", async () => {
      const [one, two] = [world.declare("TaskCopy", "one"), world.declare("TaskCopy", "two")];
      await world.killed(one, () => one.up(copyArgs), { operation: "copyTask", when: "after" });
      world.emulator.clearFaults();
      await world.providers.provider("TaskCopy").create(await named(two, copyArgs));
      assert.equal(world.journal().length, 2);
      await world.providers.end();
      assert.deepEqual(
        world.journal().map(({ urn }) => urn),
        [one.urn],
      );
    });

    it("is not about a resource of another class with the same id", async () => {
      const copy = await copiedUnsaved();
      const [taskId] = copies();
      const config = world.declare("TaskActionConfig");
      await config.up({ taskId, actions: { open: { actionType: "NavigateAction", properties: { Url: "a" } } } });
      await config.refresh();
      await copy.up(copyArgs);
      assert.deepEqual(copies(), [taskId]);
    });

    const named = async (resource: Declared, args: Record<string, unknown>) => {
      const inputs = await world.providers.checked("TaskCopy", args);
      noteUrn(inputs, String(resource.urn));
      return inputs;
    };
    const here = "https://service.test";
    const journalOf = (pid: number, movedFrom: string[] = [], isRunning = () => false): Journal => {
      const processes = { own: { host: "here", pid }, isRunning };
      return new Journal(
        new JournalFiles(folder(), processes, () => undefined),
        (warning) => world.warnings.push(warning),
        { isPresent: (written, service) => [service, ...movedFrom].includes(written), skipsCheckpoints: false },
        processes,
      );
    };
    const name = { urn: urnOf("CloudRun"), origin: here, profile: "", credentials: "secret" };
    const start = { operation: "startTask", inputs: { taskId: "task-1" }, what: "paid run" } as const;
    const noRequest = () => assert.fail("a request was sent");
    const refused = async (): Promise<string> => {
      throw Object.assign(new Error("429"), { name: "ServiceError", kind: "throttled", outcome: "notExecuted" });
    };

    it("knows an entry of the same operation, URN and account, and refuses one that may be of another account", async () => {
      const made = { ...start, detail: { listBefore: 3 } };
      await journalOf(1)
        .of(name)
        .once(made, async () => "made", String);
      const known = (journal: Journal, of: object, operation: "startTask" | "copyTask" = "startTask") =>
        journal.of({ ...name, ...of }).earlier(operation, start.inputs);
      const [journal, origin] = [journalOf(2), "https://new.test"];
      assert.equal(await known(journal, {}, "copyTask"), undefined);
      assert.equal(await known(journal, { urn: urnOf("CloudRun", "other") }), undefined);
      const file = join(folder(), String(readdirSync(folder())));
      for (const [other, of, reason] of [
        [journal, { profile: "other", credentials: "others" }, 'this resource has profile "other" now'],
        [journal, { origin }, `this resource is at ${origin} now.*set webextract:movedFrom to ${here}\\.`],
        [journalOf(2, ["https://third.test"]), { origin }, "this resource is at"],
      ] as const) {
        const message = await failure(known(other, of));
        const made = '"made" \\(a paid run\\) was made at .*, with no profile at https://service\\.test, and';
        assert.match(message, new RegExp(`^${made} ${reason}.* Nothing was sent\\. .*set adoptLotNo to "made"`));
        assert.ok(message.includes(`set retry to a new string or delete ${file}.`), message);
      }
      for (const of of [{}, { credentials: "new ones" }, { profile: "renamed" }]) {
        const found = await known(journal, of);
        assert.deepEqual([found?.id, found?.hasOtherCredentials], ["made", "credentials" in of]);
      }
      for (const found of [await known(journal, {}), await known(journalOf(2, [here]), { origin })]) {
        assert.deepEqual([found?.id, found?.detail], ["made", { listBefore: 3 }]);
      }
      assert.equal(await journal.of(name).earlier("startTask", { taskId: "task-2" }), undefined);
      assert.equal((await journal.of(name).earlier("startTask"))?.id, "made");
    });

    for (const [what, end, found] of [
      ["has noted its response", () => undefined, ["made"]],
      ["has removed its entry", (first: Journal) => first.dropSaved(), []],
    ] as const) {
      it(`knows that a process ${what} that was running when the journal was read`, async () => {
        let isRunning = true;
        const [first, second] = [journalOf(1), journalOf(2, [], () => isRunning)];
        const earlier = () => second.of(name).earlier("startTask", start.inputs);
        const respond = async (): Promise<string> => {
          await assert.rejects(earlier(), /Process 1 of this machine is running/);
          return "made";
        };
        await first.of(name).once(start, respond, String);
        first.noteReturned(name);
        end(first);
        isRunning = false;
        const now = await earlier();
        assert.deepEqual(now === undefined ? [] : [now.id], found);
      });
    }

    it("has the earlier entry again if the request that replaced it was not executed, also at the ordinary end", async () => {
      await journalOf(1)
        .of(name)
        .once(start, async () => "made", String);
      const before = world.journal();
      const journal = journalOf(2);
      const other = { ...start, inputs: { taskId: "task-1", triggers: [2] } };
      await assert.rejects(journal.of(name).once(other, refused, String), /429/);
      journal.noteReturned(name);
      journal.dropSaved();
      assert.deepEqual(world.journal(), before);
    });

    it("sends and notes nothing after the engine has ended", async () => {
      const journal = journalOf(1);
      await journal.close();
      await assert.rejects(journal.of(name).once(start, noRequest, String), /engine has ended/);
      assert.deepEqual(world.journal(), []);
    });

    it("removes the entry of an append only for a state that has its arguments, and has it until then", async () => {
      const loopName = { ...name, urn: urnOf("TaskLoopItems") };
      const append = { operation: "append", inputs: { items: "a" }, what: "append" } as const;
      await journalOf(1)
        .of(loopName)
        .once(
          append,
          async () => undefined,
          () => undefined,
        );
      const stateWith = (items: string) => ({ type: "TaskLoopItems", id: "task-1", args: { items }, state: {} });
      await journalOf(2).saw(loopName, { ...stateWith("b"), final: "stays" });
      assert.equal(world.journal().length, 1);
      await journalOf(2).saw(loopName, stateWith("a"));
      assert.deepEqual([world.journal(), world.warnings], [[], []]);
    });

    it("keeps the entry of a run under a label for an up without the label", async () => {
      const labelled = { ...start, detail: { runLabel: "a" } };
      await journalOf(1)
        .of(name)
        .once(labelled, async () => "made", String);
      const other = { type: "CloudRun", id: "other", args: {}, state: {}, final: "stays" } as const;
      await journalOf(2).saw(name, other);
      assert.deepEqual([world.journal().length, world.warnings], [1, []]);
      await journalOf(2).saw(name, { ...other, final: "deleted" });
      assert.deepEqual([world.journal(), world.warnings.length], [[], 1]);
    });

    it("has no entry of a request that was not executed, and keeps one whose outcome is unknown", async () => {
      await assert.rejects(journalOf(1).of(name).once(start, refused, String), /429/);
      assert.deepEqual(world.journal(), []);
      const lost = async (): Promise<string> => {
        throw Object.assign(new Error("lost"), { name: "ServiceError", kind: "lost", outcome: "unknown" });
      };
      await assert.rejects(journalOf(1).of(name).once(start, lost, String), /lost/);
      assert.equal(world.journal().length, 1);
    });

    it("keeps an entry that a later command has written since this command began", async () => {
      const shownNow = { type: "CloudRun", id: "made", args: {}, state: {}, final: "stays" } as const;
      await journalOf(1)
        .of(name)
        .once(start, async () => "made", String);
      const journal = journalOf(2);
      await journal.saw({ ...name, urn: urnOf("CloudRun", "other") }, { ...shownNow, id: "another" });
      await journalOf(3)
        .of(name)
        .once(start, async () => "later", String);
      await journal.saw(name, shownNow);
      assert.deepEqual(
        world.journal().map(({ id }) => id),
        ["later"],
      );
      assert.deepEqual(world.warnings, []);
    });

    it("names what no state holds once, to the next command that shows the resource as it stays", async () => {
      await journalOf(1)
        .of(name)
        .once(start, async () => "made", String);
      const journal = journalOf(2);
      const other = { type: "CloudRun", id: "other", args: {}, state: {} };
      await journal.saw(name, other);
      assert.deepEqual(world.warnings, []);
      await journal.saw(name, { ...other, final: "stays" });
      await journal.saw(name, { ...other, final: "stays" });
      assert.match(world.warnings.join(), /^"made" \(a paid run\) was made at .* This resource is "other"[^"]*$/);
      assert.deepEqual(world.journal(), []);
    });

    it("says nothing of a request without a response when the state has its placeholder", async () => {
      const lost = async (): Promise<string> => Promise.reject(new Error("lost"));
      await assert.rejects(journalOf(1).of(name).once(start, lost, String), /lost/);
      for (const [final, left] of [
        [undefined, 1],
        ["stays", 1],
        ["deleted", 0],
      ] as const) {
        await journalOf(2).saw(name, { type: "CloudRun", id: "unknown-1", args: {}, state: {}, final });
        assert.deepEqual([world.journal().length, world.warnings], [left, []]);
      }
      await assert.rejects(journalOf(1).of(name).once(start, lost, String), /lost/);
      await journalOf(2).saw(name, { type: "CloudRun", id: "other", args: {}, state: {}, final: "deleted" });
      assert.match(
        world.warnings.join(),
        /^A paid run may exist\. It was requested at .* It can be "other" itself, .* No state holds any other one/,
      );
    });

    it("takes the last of two entries of the same request", async () => {
      for (const [pid, made] of ["old", "new"].entries()) {
        await journalOf(pid)
          .of(name)
          .once(start, async () => made, String);
        letPass(hour);
      }
      assert.equal((await journalOf(3).of(name).earlier("startTask", start.inputs))?.id, "new");
    });

    it("names what a late response made when the state has the placeholder of the request", async () => {
      const late = async (): Promise<string> => {
        assert.equal((await journalOf(2).of(name).earlier("startTask", start.inputs))?.id, undefined);
        return "made";
      };
      await journalOf(1).of(name).once(start, late, String);
      const placeholder = { type: "CloudRun", id: "unknown-1", args: {}, state: {} };
      await journalOf(3).saw(name, { ...placeholder, final: "stays" });
      assert.match(world.warnings.join(), /^"made" \(a paid run\) was made at .* This resource is "unknown-1" now/);
      assert.deepEqual(world.journal(), []);
    });

    it("has the entries of two commands, whichever gets its response last", async () => {
      const [first, second] = [journalOf(1), journalOf(2)];
      const sendFirst = async (): Promise<string> => {
        await second.of(name).once(start, async () => "second", String);
        return "first";
      };
      await first.of(name).once(start, sendFirst, String);
      assert.deepEqual(
        world
          .journal()
          .map(({ id }) => id)
          .sort(),
        ["first", "second"],
      );
    });

    const shown = { type: "CloudRun", id: "made", args: {}, state: {} };
    it("removes an entry only for a resource of the same profile", async () => {
      await journalOf(1)
        .of(name)
        .once(start, async () => "made", String);
      for (const urn of ["", urnOf("CloudRun", "renamed")]) {
        await journalOf(2).saw({ ...name, urn, profile: "other", credentials: "others" }, shown);
        assert.equal(world.journal().length, 1);
      }
      await journalOf(2).saw({ ...name, urn: urnOf("CloudRun", "renamed") }, shown);
      assert.deepEqual(world.journal(), []);
    });

    it("removes the entry of an export only for a state that holds the same content of the file", async () => {
      const made = { operation: "export", inputs: {}, what: "export", detail: { sha256: "new" } } as const;
      const exportName = { ...name, urn: urnOf("DataExport") };
      await journalOf(1)
        .of(exportName)
        .once(made, async () => "rows.csv", String);
      const stateWith = (sha256: string) => ({
        ...shown,
        type: "DataExport",
        id: "rows.csv",
        state: { file: "rows.csv", sha256 },
      });
      await journalOf(2).saw(exportName, stateWith("old"));
      assert.equal(world.journal().length, 1);
      await journalOf(2).saw(exportName, stateWith("new"));
      assert.deepEqual(world.journal(), []);
    });
  });

  describe("after an export whose result was not saved", () => {
    const marked = { taskId: "task-1", scope: "notExported", path: "rows/{n}.ndjson", markExported: true };
    const rows = () => readdirSync(world.path("rows")).filter((name) => name.endsWith(".ndjson"));

    it("takes over the file with the rows, which are not read or marked again", async () => {
      await world.finishedRun();
      const rowsOfTask = world.declare("DataExport");
      const saved = await world.unsaved(rowsOfTask, () => rowsOfTask.up(marked));
      forget();
      world.operations();
      await saved.up(marked);
      assert.deepEqual(saved.state, rowsOfTask.state);
      assert.deepEqual([saved.state.rowCount, saved.state.marked], [25, true]);
      assert.deepEqual(world.operations(), []);
      assert.match(
        world.warnings.join(),
        /The 25 rows of task "task-1" were exported to "rows\/1\.ndjson" .* The file was taken over/,
      );
      assert.deepEqual(world.journal(), []);
    });

    it("also in an update, and exports again for another trigger or if the file was changed", async () => {
      await world.finishedRun();
      const rowsOfTask = world.declare("DataExport");
      await rowsOfTask.up({ ...marked, triggers: [1] });
      await world.finishedRun();
      const saved = await world.unsaved(rowsOfTask, () => rowsOfTask.up({ ...marked, triggers: [2] }));
      const other = saved.asSaved();
      await saved.up({ ...marked, triggers: [2] });
      assert.equal(saved.state.file, "rows/2.ndjson");
      assert.deepEqual(rows(), ["1.ndjson", "2.ndjson"]);
      await other.up({ ...marked, triggers: [3] });
      assert.deepEqual(rows(), ["1.ndjson", "2.ndjson", "3.ndjson"]);
      const changed = await world.unsaved(other, () => other.up({ ...marked, triggers: [4] }));
      world.write("rows/4.ndjson", "changed");
      await changed.up({ ...marked, triggers: [4] });
      assert.equal(changed.state.file, "rows/5.ndjson");
    });

    it("says where the rows are if the kill came during the mark", async () => {
      await world.finishedRun();
      const rowsOfTask = world.declare("DataExport");
      const at = { operation: "markExported", when: "after" } as const;
      const saved = await world.killed(rowsOfTask, () => rowsOfTask.up(marked), at);
      assert.match(await failure(saved.up(marked)), /"rows\/1\.ndjson" .* They may be marked, so keep this file/);
      await saved.up(marked);
      assert.deepEqual([saved.state.file, saved.state.rowCount], ["rows/2.ndjson", 0]);
      assert.deepEqual(rows(), ["1.ndjson", "2.ndjson"]);
    });
  });

  describe("without checkpoints", () => {
    it("keeps its entries at the end of a command, and the next command drops what the state has", async () => {
      const restore = setEnvironment({ PULUMI_SKIP_CHECKPOINTS: "true" });
      try {
        world.configure({});
        const copy = world.declare("TaskCopy");
        await copy.up(copyArgs);
        assert.equal(world.journal().length, 1);
        await copy.up(copyArgs);
        assert.deepEqual(world.journal(), []);
      } finally {
        restore();
      }
    });
  });

  describe("after a start", () => {
    it("takes over the run, and distinguishes its subtasks from those of the previous run", async () => {
      await world.finishedRun();
      const run = world.declare("CloudRun");
      const saved = await world.unsaved(run, () => run.up(runArgs));
      forget();
      await saved.up(runArgs);
      assert.equal(runs().length, 2);
      assert.equal(saved.id, runs()[1]?.lotNo);
      assert.deepEqual(saved.state.listBefore, run.state.listBefore);
      assert.match(world.warnings.join(), /paid run of task "task-1"\) was made .* It was taken over/);
    });

    it("starts the next run if the state has a run whose response could not be noted, and tells it from another start", async () => {
      const run = world.declare("CloudRun");
      await world.unsaved(run, () => run.up({ ...runArgs, triggers: [1] }));
      const [name = ""] = readdirSync(folder());
      writeFileSync(join(folder(), name), JSON.stringify({ ...world.journal()[0], id: undefined }));
      await world.emulator.settled();
      await run.up({ ...runArgs, triggers: [2] });
      assert.deepEqual([runs().length, run.id], [2, runs()[1]?.lotNo]);
      await world.emulator.settled();
      const at = { operation: "startTask", when: "after" } as const;
      await world.killed(run, () => run.up({ ...runArgs, triggers: [3] }), at);
      await run.up({ ...runArgs, triggers: [2] });
      assert.equal(runs().length, 3);
      assert.match(world.warnings.join(), new RegExp(`A paid run .* may exist.*This resource is "${run.id}" now`));
    });

    it("takes over the run if rerunOn has another order or other names, and if an earlier version noted them", async () => {
      const rerunOn = ["a", "b"].map((each) => `TaskCopy ${each} ${each.repeat(64)}`);
      const renamed = rerunOn.map((each) => each.replace("TaskCopy ", "TaskCopy my ")).reverse();
      for (const [index, next] of [rerunOn, renamed, rerunOn].entries()) {
        const run = world.declare("CloudRun", `run-${index}`);
        const saved = await world.unsaved(run, () => run.up({ ...runArgs, rerunOn }));
        if (index === 2) {
          asNotedBefore({ ...runArgs, rerunOn: run.state.rerunOn });
        }
        await saved.up({ ...runArgs, rerunOn: next });
        assert.equal(runs().length, index + 1);
        await world.emulator.settled();
      }
    });

    /** Writes the inputs of the entry as earlier versions did. */
    const asNotedBefore = (inputs: object): void => {
      const [entry] = world.journal();
      const hash = createHash("sha256")
        .update(`${entry?.salt}\n${canonical(inputs)}`)
        .digest("hex");
      const name = readdirSync(folder())[0] ?? "";
      writeFileSync(join(folder(), name), JSON.stringify({ ...entry, inputs: hash }));
    };

    it("sends nothing at another address if the response was lost", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.killed(run, () => run.up(runArgs), { operation: "startTask", when: "after" });
      const old = world.emulator.url;
      world.configure({ ...otherAddress(old), movedFrom: old });
      assert.match(await failure(saved.up(runArgs)), /may have started.*set adoptLotNo/s);
      assert.equal(runs().length, 1);
    });

    it("starts a new run for another trigger, and names the unmanaged run", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.unsaved(run, () => run.up({ ...runArgs, triggers: [1] }));
      await world.emulator.settled();
      forget();
      await saved.up({ ...runArgs, triggers: [2] });
      assert.equal(runs().length, 2);
      assert.match(String(world.warnings[0]), new RegExp(`^"${runs()[0]?.lotNo}" \\(a paid run`));
    });

    it("sends nothing if the response was lost", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.killed(run, () => run.up(runArgs), { operation: "startTask" });
      assert.match(
        await failure(saved.up(runArgs)),
        /A paid run of task "task-1" may have started.* set adoptLotNo to the lotNo/s,
      );
      assert.equal(runs().length, 1);
      await saved.up({ ...runArgs, adoptLotNo: runs()[0]?.lotNo });
      assert.equal(runs().length, 1);
      assert.deepEqual(world.journal(), []);
    });
  });

  describe("after an append", () => {
    for (const when of ["before", "after"] as const) {
      it(`sends only the items that the list lacks (killed ${when} the effect)`, async () => {
        const loop = world.declare("TaskLoopItems");
        await loop.up({ ...appendArgs, items: ["a"] });
        const more = { ...appendArgs, items: ["a", "b", "c"] };
        const saved = await world.killed(loop, () => loop.up(more), { operation: "updateLoopItems", when });
        await saved.up(more);
        assert.deepEqual(items(), ["https://old.test/1", "a", "b", "c"]);
        assert.deepEqual(world.journal(), []);
      });
    }

    it("sends no item twice in a create", async () => {
      const loop = world.declare("TaskLoopItems");
      const saved = await world.unsaved(loop, () => loop.up({ ...appendArgs, items: ["a", "b"] }));
      await saved.up({ ...appendArgs, items: ["a", "b"] });
      assert.deepEqual(items(), ["https://old.test/1", "a", "b"]);
      world.operations();
      await saved.up({ ...appendArgs, items: ["a", "b", "c"] });
      assert.deepEqual(world.operations(), ["getActions", "updateLoopItems"]);
    });

    it("sends no item twice in an ExtractionTask, also after a step that failed", async () => {
      const task = world.declare("ExtractionTask");
      const withItems = (...list: string[]) => ({
        from: { adoptTaskId: "task-1" },
        actions: { each: { actionType: "LoopAction", loop: { loopType: "UrlList", mode: "append", items: list } } },
      });
      await task.up(withItems("a"));
      const saved = await world.unsaved(task, () => task.up(withItems("a", "b")));
      world.emulator.fault({ operation: "getActions", kind: "error", code: "PermissionDenied" });
      assert.match(await failure(saved.up(withItems("a", "b", "c"))), /403 PermissionDenied/);
      const nothingShown = { requestId: "r", data: [{ taskId: "task-1", actions: [] }] };
      world.emulator.fault({ operation: "getActions", kind: "status", status: 200, body: nothingShown, times: 10 });
      assert.match(await failure(saved.up(withItems("a", "b", "c"))), /whether an earlier append took effect/);
      world.emulator.setFaults({});
      await saved.up(withItems("a", "b", "c"));
      assert.deepEqual(items(), ["https://old.test/1", "a", "b", "c"]);
    });

    it("is refused when the list cannot be read; writing the whole list works", async () => {
      const loop = world.declare("TaskLoopItems");
      const saved = await world.unsaved(loop, () => loop.up({ ...appendArgs, items: ["a"] }));
      world.configure({ actionTypes: "" });
      assert.match(
        await failure(saved.up({ ...appendArgs, items: ["a"] })),
        /whether an earlier append took effect is not known/,
      );
      await saved.up({ ...appendArgs, mode: "replace", items: ["a"] });
      assert.deepEqual(items(), ["a"]);
      await saved.up({ ...appendArgs, items: ["a", "b"] });
      assert.deepEqual(items(), ["a", "b"]);
    });
  });

  describe("on the disk", () => {
    it("is readable by its owner only, and holds no argument", async () => {
      const run = world.declare("CloudRun");
      await world.unsaved(run, () => run.up({ ...runArgs, triggers: ["only in the arguments"] }));
      assert.equal(statSync(folder()).mode & 0o777, 0o700);
      const [file = ""] = readdirSync(folder());
      assert.equal(statSync(join(folder(), file)).mode & 0o777, 0o600);
      const [entry] = world.journal();
      const { salt, account, inputs, retry, time, detail, process: sender, ...rest } = entry ?? {};
      assert.deepEqual(sender, world.providers.name);
      assert.deepEqual(rest, {
        version: 1,
        operation: "startTask",
        urn: run.urn,
        origin: world.emulator.url,
        profile: "",
        what: 'paid run of task "task-1"',
        id: run.id,
      });
      assert.match(`${salt} ${account} ${inputs}`, /^[0-9a-f]{32} [0-9a-f]{64} [0-9a-f]{64}$/);
      assert.equal(JSON.stringify(entry).includes("only in the arguments"), false);
    });

    it("is salted: equal arguments have different hashes", async () => {
      for (const name of ["one", "two"]) {
        const copy = world.declare("TaskCopy", name);
        await world.unsaved(copy, () => copy.up(copyArgs));
      }
      const hashes = world.journal().map(({ inputs }) => inputs);
      assert.equal(new Set(hashes).size, 2);
    });

    for (const [what, content] of [
      ["is cut off", '{"version":1,"id":"cut o'],
      ["has no content", "null"],
      ["is of a later version", '{"version":2}'],
      ...Object.entries({ time: "x", salt: "..", urn: null, process: null, detail: "none" }).map(
        ([field, value]) => [`has a wrong ${field}`, { [field]: value }] as const,
      ),
      ["is of a time that no clock has", { time: 1e18 }],
    ] as const) {
      it(`sends nothing if an entry ${what}, and names the file to delete`, async () => {
        const copy = await copiedUnsaved();
        const path = join(folder(), String(readdirSync(folder())));
        const text = typeof content === "string" ? content : JSON.stringify({ ...world.journal()[0], ...content });
        writeFileSync(path, text);
        const message = await failure(copy.up(copyArgs));
        assert.match(message, /cannot be read \(it is corrupt\)\. It may name a copy .* and delete the file/);
        assert.ok(message.includes(path));
        assert.equal(copies().length, 1);
        await world.declare("TaskCopy", "another").up(copyArgs);
        rmSync(path);
        await copy.up(copyArgs);
        assert.equal(copies().length, 3);
      });
    }

    it("warns once if it cannot be written, and continues", async () => {
      // A program may make no folder there.
      world.configure({ journal: "/proc/none/journal" });
      await world.command(async () => {
        await world.declare("TaskCopy", "one").up(copyArgs);
        await world.declare("TaskCopy", "two").up(copyArgs);
      });
      assert.equal(copies().length, 2);
      assert.equal(world.warnings.length, 1);
      assert.match(String(world.warnings[0]), /^The journal in .* cannot be written \(ENOENT\)/);
    });

    it("sends nothing if an entry cannot be read", async () => {
      const copy = await copiedUnsaved();
      const before = world.journal();
      const realRead = files.readFile;
      sinon.replace(files, "readFile", (async (...args: Parameters<typeof realRead>) => {
        if (String(args[0]).startsWith(folder())) {
          throw Object.assign(new Error("no"), { code: "EACCES" });
        }
        return realRead(...args);
      }) as typeof realRead);
      try {
        assert.match(
          await failure(copy.up(copyArgs)),
          /^The journal entry .* cannot be read \(EACCES\)\. It may name a copy/,
        );
      } finally {
        sinon.restore();
      }
      assert.equal(copies().length, 1);
      assert.deepEqual(world.journal(), before);
    });

    it("removes the temporary files of killed processes, and none of others", async () => {
      const copy = await copiedUnsaved();
      const theirs = "report.0123abcd.tmp";
      const time = new Date(Date.now() - 25 * hour);
      for (const name of [`${"0".repeat(32)}.json.0123abcd.tmp`, theirs]) {
        writeFileSync(join(folder(), name), "");
        utimesSync(join(folder(), name), time, time);
      }
      await copy.up(copyArgs);
      assert.deepEqual(readdirSync(folder()), [theirs]);
    });

    it("names the unmanaged copy, however old its entry is", async () => {
      const copy = await copiedUnsaved();
      letPass(400 * 24 * hour);
      await copy.up({ adoptTaskId: "task-1" });
      assert.match(world.warnings.join(), /no state holds any other one/);
      assert.deepEqual(world.journal(), []);
    });

    for (const [when, days] of [
      ["old", 31],
      ["of the future", -31],
    ] as const) {
      for (const kill of ["before its response", "after its response"]) {
        it(`sends nothing if an entry is ${when} (killed ${kill}), and names it, until the user says so`, async () => {
          const run = world.declare("CloudRun");
          const saved =
            kill === "before its response"
              ? await world.killed(run, () => run.up(runArgs), { operation: "startTask", when: "after" })
              : await world.unsaved(run, () => run.up(runArgs));
          letPass(days * 24 * hour);
          for (let time = 0; time < 2; time++) {
            assert.match(
              await failure(saved.up(runArgs)),
              /paid run of task "task-1".* more than 30 days away from the time of this machine\. Nothing was sent\./,
            );
          }
          assert.equal(runs().length, 1);
          await saved.up({ ...runArgs, retry: "looked, it has ended" });
          assert.equal(runs().length, 2);
          assert.equal(world.warnings.filter((each) => each.includes("paid run")).length, 1);
          assert.deepEqual(world.journal(), []);
        });
      }
    }

    it("removes the entry of an export that is a month old, because its rows are not those of today", async () => {
      await world.finishedRun();
      const rows = world.declare("DataExport");
      const args = { taskId: "task-1", scope: "all", path: "rows/{n}.ndjson" };
      const saved = await world.unsaved(rows, () => rows.up(args));
      letPass(31 * 24 * hour);
      await saved.up(args);
      assert.equal(saved.id, "rows/2.ndjson");
    });

    for (const [type, args] of Object.entries({
      TaskCopy: copyArgs,
      CloudRun: runArgs,
      TaskLoopItems: { ...appendArgs, items: ["a"] },
    })) {
      it(`sends no request that it may have sent before if the folder cannot be read (${type})`, async () => {
        for (const code of ["EACCES", "EIO", "ESTALE", "EMFILE"]) {
          const fake = sinon.replace(
            files,
            "readdir",
            sinon.fake.rejects(Object.assign(new Error("no"), { code })) as unknown as typeof files.readdir,
          );
          world.operations();
          const message = await failure(world.declare(type).up(args));
          assert.match(
            message,
            new RegExp(`^The journal in .* cannot be read \\(${code}\\).* this request was not sent\\.`),
          );
          assert.equal(code === "EACCES", /Make the folder readable, or run the command as its user/.test(message));
          assert.ok((fake as unknown as sinon.SinonSpy).called);
          sinon.restore();
          assert.deepEqual(
            world.operations().filter((each) => each !== "getActions"),
            [],
          );
        }
      });
    }

    it("sends nothing as another user, who may not read the folder, and says whose it is", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.unsaved(run, () => run.up(runArgs));
      const asRoot = process.geteuid?.() === 0;
      chmodSync(world.folder, 0o755);
      chmodSync(world.path("tokens"), 0o755);
      chmodSync(folder(), asRoot ? 0o700 : 0);
      try {
        if (asRoot) process.seteuid?.(65534);
        const message = await failure(saved.up(runArgs));
        const whose = asRoot ? `: ${folder()} belongs to user 0, and this is user 65534` : "";
        assert.ok(message.startsWith(`The journal in ${folder()} cannot be read (EACCES)${whose}. It may`), message);
      } finally {
        if (asRoot) process.seteuid?.(0);
        chmodSync(folder(), 0o700);
      }
      await saved.up(runArgs);
      assert.equal(runs().length, 1);
    });

    for (const [what, place, put, says] of [
      [
        "is a link that leads nowhere",
        "tokens/journal",
        "gone",
        "(a link that leads nowhere): LINK leads to nothing that exists.",
      ],
      ["is below such a link", "tokens", "gone", "(a link that leads nowhere): LINK leads to nothing that exists."],
      ["is a link to itself", "tokens/journal", "journal", "(ELOOP): LINK is a link that leads in a circle."],
      ["is below such a link to itself", "tokens", "tokens", "(ELOOP): LINK is a link that leads in a circle."],
      ["is below a file", "tokens", undefined, "(ENOTDIR): LINK is a file, and a folder is expected there."],
    ] as const) {
      it(`sends nothing if the folder ${what}, and names what is in the way`, async () => {
        const run = world.declare("CloudRun");
        const saved = await world.unsaved(run, () => run.up(runArgs));
        const link = world.path(place);
        renameSync(link, world.path("aside"));
        put === undefined ? writeFileSync(link, "") : symlinkSync(put, link);
        const message = await failure(saved.up(runArgs));
        const start = `The journal in ${folder()} cannot be read ${says.replace("LINK", link)}`;
        assert.ok(message.startsWith(start), message);
        assert.doesNotMatch(message, /belongs to user|readable/);
        assert.equal(runs().length, 1);
        rmSync(link);
        renameSync(world.path("aside"), link);
        await saved.up(runArgs);
        assert.equal(runs().length, 1);
      });
    }

    it("sends nothing if an entry is a link that leads nowhere", async () => {
      const copy = await copiedUnsaved();
      const entry = join(folder(), String(readdirSync(folder())));
      rmSync(entry);
      symlinkSync("gone", entry);
      const message = await failure(copy.up(copyArgs));
      assert.ok(message.includes(`${entry} leads to nothing that exists. It may name a copy`), message);
      assert.equal(copies().length, 1);
    });

    it("takes nothing over from an entry that it could not delete, sends nothing, and says whose the folder is", async () => {
      const run = world.declare("CloudRun");
      const saved = await world.unsaved(run, () => run.up(runArgs));
      forget();
      const before = world.journal();
      const asRoot = process.geteuid?.() === 0;
      for (const name of ["", "tokens"]) chmodSync(world.path(name), 0o755);
      chmodSync(folder(), 0o555);
      if (asRoot) chownSync(join(folder(), String(readdirSync(folder()))), 65534, 65534);
      const whose = asRoot ? `: ${folder()} belongs to user 0, and this is user 65534` : "";
      try {
        if (asRoot) process.seteuid?.(65534);
        for (let time = 0; time < 2; time++) {
          const message = await failure(saved.up(runArgs));
          assert.match(message, new RegExp(`^"${run.id}" \\(a paid run\\b.* was made at `));
          const next = "Nothing was sent. Make the folder writable, or run the command as its user.";
          const says = `The journal in ${folder()} cannot be written (EACCES)${whose}, so its entry would be taken over again. ${next}`;
          assert.ok(message.includes(says), message);
        }
      } finally {
        if (asRoot) process.seteuid?.(0);
        chmodSync(folder(), 0o700);
      }
      assert.deepEqual([runs().length, world.journal(), world.warnings], [1, before, []]);
      const next = await saved.up(runArgs);
      assert.deepEqual([runs().length, saved.id], [1, run.id], String(next));
      await saved.refresh();
      assert.deepEqual(world.journal(), []);
    });

    it("is made again if somebody deletes its folder while a request is in progress", async () => {
      const run = world.declare("CloudRun");
      const hold = world.emulator.hold({ operation: "startTask" });
      const step = world.unsaved(run, () => run.up(runArgs));
      await hold.reached;
      rmSync(folder(), { recursive: true });
      hold.release();
      const saved = await step;
      await saved.up(runArgs);
      assert.equal(runs().length, 1);
    });
  });
});
