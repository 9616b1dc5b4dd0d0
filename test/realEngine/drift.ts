import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

const fleet = (count: number): string => `
for (let index = 0; index < ${count}; index++) {
  new ExtractionTask("task-" + index, {
    from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
    actions: { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" + index } } },
  });
}
`;

const reads = (operations: readonly string[]): number =>
  operations.filter((operation) => operation === "getActions").length;

const writes = (operations: readonly string[]): string[] =>
  operations.filter((operation) => !["getActions", "getData"].includes(operation)).sort();

/** Arguments of a refresh. By default, the engine reads 8 resources at a time. */
export type RefreshArguments = readonly string[];

/** The engine reads all resources at the same time. */
const atOnce: RefreshArguments = ["--parallel", "200"];

/** For the slow tests: each refresh both ways. */
export const bothWays: readonly RefreshArguments[] = [[], atOnce];

/**
 * Tests the drift of many tasks, and the number of requests of a refresh.
 * @param refused The ways of a refresh whose merged reads are refused, for the slow tests: the requests depend on how many reads the engine sends at a
 * time. `test/resources/task/actionReader.test.ts` shows them without the engine.
 */
export function testDriftOf(count: number, refused: readonly RefreshArguments[] = []): void {
  const waves = Math.ceil(count / 8);
  let world: World;
  before(async () => {
    // No retries: a failing task fails at once.
    world = await World.create({ program: fleet(count), config: { "webextract:maxRetries": "0" } });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());
  afterEach(() => world.emulator.setBehaviour({ getActionsMissing: "refusedNamed", taskGone: "invalidTaskId" }));

  const urlOf = (taskId: string): string | undefined => world.emulator.inspect.task(taskId)?.actions[0]?.properties.Url;

  /** Deletes one task and changes another. */
  const drift = (): { gone: string; changed: string; declared: string } => {
    const [gone = "", changed = ""] = world.copies();
    const declared = urlOf(changed) ?? "";
    world.emulator.change.deleteTask(gone);
    world.emulator.change.setProperty(changed, "open", "Url", "https://somebody.test/");
    world.operations();
    return { gone, changed, declared };
  };

  // Not one request: on a busy machine, reads that are sent at once do not arrive within one window.
  const few = Math.max(2, count / 10);

  it(`is checked with at most ${few} requests if all reads are sent at once`, async () => {
    const { output } = await world.project.refresh({ args: atOnce });
    assert.match(output, new RegExp(`${count + 1} unchanged`));
    const operations = world.operations();
    assert.equal(operations.length, reads(operations));
    assert.ok(operations.length <= few, `${operations.length} requests`);
  });

  slowIt(`is checked with at most ${waves + 2} requests if 8 reads are sent at a time`, async () => {
    await world.project.refresh({ args: ["--parallel", "8"] });
    const operations = world.operations();
    assert.ok(reads(operations) <= waves + 2, `${reads(operations)} requests`);
  });

  it("fails preview --refresh --expect-no-changes, which changes nothing", async () => {
    const { changed, declared } = drift();
    const state = JSON.stringify(world.project.state());
    const { output } = await world.project.preview({
      args: ["--refresh", "--expect-no-changes", "--diff"],
      expect: "failure",
    });
    assert.match(output, /no changes were expected/);
    assert.match(output, /Url\s*: "https:\/\/somebody.test\/" => "https:\/\/shop.test\/\d+"/);
    assert.equal(JSON.stringify(world.project.state()), state);
    assert.ok(reads(world.operations()) <= count);
    assert.notEqual(urlOf(changed), declared);
  });

  it(`is found with at most ${count} requests, and shown: a changed value and a missing task`, async () => {
    const { output } = await world.project.refresh({ args: ["--diff"] });
    const operations = world.operations();
    assert.ok(operations.length <= count, `${operations.length} requests`);
    assert.match(output, /Url\s*: "https:\/\/shop.test\/\d+" => "https:\/\/somebody.test\/"/);
    assert.match(output, /~ 1 updated\s+- 1 deleted/);
  });

  it("is corrected by one copy and one write", async () => {
    const { output } = await world.project.up();
    assert.match(output, /\+ 1 created\s+~ 1 updated/);
    const operations = world.operations();
    assert.deepEqual(writes(operations), ["copyTask", "updateTaskParameters", "updateTaskParameters"]);
    // Of the template: whether its actions have the properties.
    assert.ok(reads(operations) <= 1, `${reads(operations)} reads`);
    // Whether the base URL is right: before the first copy, unless the other task was answered already.
    assert.ok(operations.filter((operation) => operation === "getData").length <= 1);
    assert.equal(world.copies().length, count);
  });

  slowIt("is also found and corrected by up --refresh", async () => {
    const { changed, declared } = drift();
    await world.project.up({ args: ["--refresh"] });
    const operations = world.operations();
    // One of the template.
    assert.ok(reads(operations) <= count + 1, `${reads(operations)} reads`);
    assert.deepEqual(writes(operations), ["copyTask", "updateTaskParameters", "updateTaskParameters"]);
    assert.equal(urlOf(changed), declared);
    assert.equal(world.copies().length, count);
  });

  for (const args of refused) {
    it(`is found with at most one more request for each task if the service refuses reads of several tasks because of an unnamed task: ${args}`, async () => {
      world.emulator.setBehaviour({ getActionsMissing: "refusedUnnamed", taskGone: "unnamed" });
      drift();
      const { output } = await world.project.refresh({ args });
      const operations = world.operations();
      assert.ok(operations.length <= waves + 2 + count, `${operations.length} requests`);
      assert.match(output, /~ 1 updated\s+- 1 deleted/);
      await world.project.up();
      assert.equal(world.copies().length, count);
    });
  }

  for (const args of refused) {
    it(`is found for all other tasks with at most one more request for each task if the account may not read one task: ${args}`, async () => {
      const [changed = "", , , denied = ""] = world.copies();
      const declared = urlOf(changed) ?? "";
      world.emulator.change.setProperty(changed, "open", "Url", "https://somebody.test/");
      const fault = { operation: "getActions", kind: "error", code: "PermissionDenied", taskId: denied } as const;
      world.emulator.fault({ ...fault, times: 1000 });
      world.operations();
      const { output } = await world.project.refresh({ args: ["--diff", ...args], expect: "failure" });
      const operations = world.operations();
      assert.ok(operations.length <= waves + 2 + count, `${operations.length} requests`);
      assert.equal(output.match(/^error: .*\bgetActions /gm)?.length, 1, output);
      assert.ok(output.includes(`task ${denied})`));
      assert.match(output, /Url\s*: "https:\/\/shop.test\/\d+" => "https:\/\/somebody.test\/"/);
      world.emulator.clearFaults();
      await world.project.up();
      assert.equal(urlOf(changed), declared);
    });
  }

  it("is found for all other tasks if the service fails at one task, which stays in the state", async () => {
    const { gone } = drift();
    world.emulator.setBehaviour({ taskGone: "serverError" });
    const { output } = await world.project.refresh({ args: ["--diff"], expect: "failure" });
    assert.equal(output.match(/^error: .*\bgetActions /gm)?.length, 1, output);
    assert.match(output, /Url\s*: "https:\/\/shop.test\/\d+" => "https:\/\/somebody.test\/"/);
    assert.ok(world.project.state().resources.some(({ id }) => id === gone));
  });

  it("does not prevent a destroy if tasks are missing", async () => {
    const { gone } = drift();
    assert.ok(world.project.state().resources.some(({ id }) => id === gone));
    await world.project.destroy();
    assert.equal(world.project.state().resources.length, 0);
  });
}

const copies = (count: number): string => `
for (let index = 0; index < ${count}; index++) {
  const copy = new TaskCopy("copy-" + index, { sourceTaskId: "template-1", taskGroupId: "group-1" });
  new TaskLoopItems("loop-" + index, { taskId: copy.id, actionId: "each", loopType: "UrlList", items: ["a"] });
}
`;

/**
 * Tests the drift of many tasks if no action types are configured and the service refuses reads without types.
 * @param ways The ways of a refresh.
 * @param refusals How the service names a missing task. The actions are read in the same way for each.
 */
export function testReadsWithoutTypes(
  count: number,
  ways: readonly RefreshArguments[],
  refusals: readonly ("refusedNamed" | "refusedUnnamed")[],
): void {
  let world: World;
  before(async () => {
    world = await World.create({
      program: copies(count),
      config: { "webextract:actionTypes": "" },
      emulator: { behaviour: { getActionsEmptyTypes: "refused" } },
    });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  /** Refreshes, and asserts that the only other reads are one page of rows for each copy. */
  const refresh = async (args: RefreshArguments): Promise<string> => {
    const { output } = await world.project.refresh({ args });
    const operations = world.operations();
    // Merged reads are refused, so each task is asked alone: once for each of its two resources, and a few times together.
    assert.ok(reads(operations) <= 3 * count, `${reads(operations)} reads of actions`);
    assert.equal(operations.length - reads(operations), count);
    return output;
  };

  it("ask each task alone, and then read the rows of each copy", async () => {
    for (const args of ways) {
      assert.match(await refresh(args), new RegExp(`${2 * count + 1} unchanged`));
    }
  });

  it("still find one missing task", async () => {
    const [gone = ""] = world.copies();
    world.emulator.change.deleteTask(gone);
    for (const getActionsMissing of refusals) {
      world.emulator.setBehaviour({ getActionsMissing });
      await world.project.preview({ args: ["--refresh"] });
      assert.ok(reads(world.operations()) <= 3 * count);
    }
    assert.match(await refresh([]), /1 deleted/);
  });
}
