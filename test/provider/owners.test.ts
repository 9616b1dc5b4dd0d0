import assert from "node:assert/strict";
import type { Declared } from "../resources/life";
import { failure, useWorld } from "../resources/life";

const open = (Url: string) => ({ open: { actionType: "NavigateAction", properties: { Url } } });
const wait = { open: { actionType: "NavigateAction", properties: { Wait: "5" } } };
const config = (actions: object) => ({ taskId: "task-1", actions });
const items = { taskId: "task-1", actionId: "each", loopType: "UrlList", items: ["a"] };

describe("two resources that manage the same part of one task, known only during an up", () => {
  const world = useWorld();
  let first: Declared;
  let second: Declared;
  beforeEach(() => {
    first = world.declare("TaskActionConfig", "first");
    second = world.declare("TaskActionConfig", "second");
  });

  const properties = () => world.emulator.inspect.task("task-1")?.actions[0]?.properties;
  const refusal = (part: string): RegExp =>
    new RegExp(
      `^TaskActionConfig "second" and TaskActionConfig "first" \\(urn:.*::first\\) both manage ${part} of task "task-1"\\. .* Nothing was sent for TaskActionConfig "second"`,
    );

  it("are refused before the second one sends anything, and both are named", async () => {
    await world.command(async () => {
      await first.up(config(open("https://one.test/")));
      world.operations();
      assert.match(
        await failure(second.up(config(open("https://two.test/")))),
        refusal('property "Url" of action "open"'),
      );
    });
    assert.deepEqual(world.operations(), []);
    assert.equal(second.id, undefined);
  });

  it("are refused when the first one is unchanged", async () => {
    await first.up(config(open("https://one.test/")));
    await world.command(async () => {
      assert.equal(await first.up(config(open("https://one.test/"))), "nothing");
      assert.match(
        await failure(second.up(config(open("https://two.test/")))),
        refusal('property "Url" of action "open"'),
      );
    });
  });

  it("are refused when two profiles are the same account", async () => {
    const { accessToken } = world.emulator.credentials;
    const other = world.emulator.change.addAccount("other");
    const profiles = { same: { accessToken }, other: { accessToken: other.accessToken } };
    world.configure({ profiles: JSON.stringify(profiles) });
    await world.command(async () => {
      await first.up(config(open("https://one.test/")));
      const second = { ...config(open("https://two.test/")), profile: "same" };
      assert.match(
        await failure(world.declare("TaskActionConfig", "second").up(second)),
        refusal('property "Url" of action "open"'),
      );
      assert.doesNotMatch(
        await failure(world.declare("TaskActionConfig", "third").up({ ...second, profile: "other" })),
        /both manage/,
      );
    });
  });

  it("are refused in an update too", async () => {
    await second.up(config(wait));
    await world.command(async () => {
      await first.up(config(open("https://one.test/")));
      assert.match(
        await failure(second.up(config(open("https://two.test/")))),
        refusal('property "Url" of action "open"'),
      );
    });
  });

  it("are refused when one manages the whole task", async () => {
    const whole = world.declare("ExtractionTask", "whole");
    const loop = world.declare("TaskLoopItems", "loop");
    const args = { from: { adoptTaskId: "task-1" }, actions: open("https://one.test/") };
    await world.command(async () => {
      await whole.up(args);
      assert.match(
        await failure(loop.up(items)),
        /^TaskLoopItems "loop" and ExtractionTask "whole" .* the loop of action "each" of task "task-1"/,
      );
    });
    await world.command(async () => {
      await loop.up(items);
      const other = { ...args, actions: open("https://two.test/") };
      assert.match(
        await failure(whole.up(other)),
        /^ExtractionTask "whole" and TaskLoopItems "loop" .* both manage task "task-1"/,
      );
    });
  });

  it("are refused when one copied the task in this run", async () => {
    const whole = world.declare("ExtractionTask", "whole");
    await world.command(async () => {
      await whole.up({ from: { sourceTaskId: "task-1", taskGroupId: "group-1" } });
      const loop = world.declare("TaskLoopItems", "loop");
      assert.match(await failure(loop.up({ ...items, taskId: whole.id })), /both manage the loop of action "each"/);
    });
  });

  it("are accepted with different properties or different tasks", async () => {
    await world.command(async () => {
      const copy = world.declare("TaskCopy");
      await copy.up({ sourceTaskId: "task-1", taskGroupId: "group-1" });
      await first.up(config(open("https://one.test/")));
      await second.up(config(wait));
      await world.declare("TaskLoopItems", "loop").up(items);
      await world.declare("TaskActionConfig", "third").up({ taskId: copy.id, actions: open("https://three.test/") });
    });
    assert.deepEqual(properties(), { Url: "https://one.test/", Wait: "5" });
  });

  it("are accepted if they are the same resource, updated twice or replaced", async () => {
    await world.command(async () => {
      await first.up(config(open("https://one.test/")));
      await first.up(config(open("https://two.test/")));
      await first.replaceByHand();
    });
    assert.equal(properties()?.Url, "https://two.test/");
  });

  it("are accepted when a part moves from one to the other in one run", async () => {
    await first.up(
      config({ open: { ...open("https://one.test/").open, properties: { Url: "https://one.test/", Wait: "1" } } }),
    );
    await world.command(async () => {
      await second.up(config(wait));
      await first.up(config(open("https://one.test/")));
    });
    assert.deepEqual(properties(), { Url: "https://one.test/", Wait: "5" });
  });

  it("are accepted when the engine does not name the resource", async () => {
    await world.command(async () => {
      await world.declare("TaskActionConfig", "").up(config(open("https://one.test/")));
      await first.up(config(open("https://two.test/")));
    });
    assert.equal(properties()?.Url, "https://two.test/");
  });
});
