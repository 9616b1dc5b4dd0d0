import assert from "node:assert/strict";
import { World } from "./world";

const program = (copy: string, rest = ""): string => `
const copy = new TaskCopy("copy", { ${copy} });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
exports.taskId = copy.id;
${rest}
`;
const source = 'sourceTaskId: "template-1", taskGroupId: "group-1"';
const removals = (world: World): number => world.operations().filter((operation) => operation === "removeData").length;

describe("the destroy of a task that still has rows", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create({ program: program(source) });
    await world.project.up();
    world.operations();
  });
  afterEach(() => world.remove());

  it("is refused with the possible solutions, also a second time, and removes nothing", async () => {
    const [taskId = ""] = world.copies();
    const { output } = await world.project.destroy({ expect: "failure" });
    assert.match(output, /still has 25 rows\. Nothing of the task was changed/);
    const [way = "", ways = ""] = output.split("To remove the rows, ").slice(0, 2);
    assert.ok(way.endsWith("was changed. "), "the first way is the one that needs no up");
    assert.match(
      ways,
      new RegExp(
        `^run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId} \\(or =true, for all tasks\\)\\.`,
      ),
    );
    assert.match(
      ways,
      /Already out of the state: CloudRun "(?:run|\d+)"\. A "pulumi up" without --target makes again what has left the state, and starts a paid run for each CloudRun/,
    );
    // The second time, when the run has left the state.
    const again = await world.project.destroy({ expect: "failure" });
    assert.match(again.output, /set onDelete: "retain" on the resource, and run "pulumi up --target /);
    assert.match(
      again.output,
      /A "pulumi up" without --target makes again what has left the state, and starts a paid run/,
    );
    assert.equal(removals(world), 0);
    assert.equal(world.emulator.inspect.rows(taskId).length, 25);
  });

  it("removes the rows with forceDestroy, and names the task that stays", async () => {
    const [taskId = ""] = world.copies();
    world.program(program(`${source}, forceDestroy: true`));
    await world.project.up();
    const { output } = await world.project.destroy();
    assert.match(output, new RegExp(`warning: Task "${taskId}" stays at the service`));
    assert.equal(removals(world), 1);
    assert.equal(world.emulator.inspect.rows(taskId).length, 0);
  });

  it("removes the rows with the environment variable of the error message, for that task only", async () => {
    const [taskId = ""] = world.copies();
    await world.project.destroy({ expect: "failure", env: { WEBEXTRACT_FORCE_DESTROY: "another-task" } });
    assert.equal(removals(world), 0);
    await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: taskId } });
    assert.equal(removals(world), 1);
  });

  it("keeps the rows in the way that the error names, and starts no run", async () => {
    const [taskId = ""] = world.copies();
    const { output } = await world.project.destroy({ expect: "failure" });
    const [, target = ""] = /"pulumi up --target '([^']+)'"/.exec(output) ?? [];
    world.program(program(`${source}, onDelete: "retain"`));
    await world.project.up({ args: ["--target", target] });
    await world.project.destroy();
    assert.equal(removals(world), 0);
    assert.equal(world.emulator.inspect.rows(taskId).length, 25);
    assert.ok(!world.operations().includes("startTask"));
  });

  it("is refused in a replace at the delete, and the solution of the error message works", async () => {
    const [first = ""] = world.copies();
    world.program(program(source.replace("group-1", "group-2")));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, new RegExp(`WEBEXTRACT_FORCE_DESTROY=${first}`));
    assert.equal(world.emulator.inspect.rows(first).length, 25);
    world.operations();
    await world.project.up({ env: { WEBEXTRACT_FORCE_DESTROY: first } });
    assert.equal(removals(world), 1);
    assert.equal(world.emulator.inspect.rows(first).length, 0);
    const [, second = ""] = world.copies();
    assert.deepEqual(await world.project.outputs(), { taskId: second });
  });
});

describe("the destroy of an adopted task and of a task that is gone", () => {
  it("never removes the rows of the adopted one, and succeeds for the other", async () => {
    const adopted = `
new CloudRun("run-of-adopted", { waitFor: "finished", pollSeconds: 0,
  taskId: new TaskCopy("adopted", { adoptTaskId: "template-1" }).id });`;
    const world = await World.create({ program: program(source, adopted) });
    try {
      await world.project.up();
      const [copy = ""] = world.copies();
      world.emulator.change.deleteTask(copy);
      const { output } = await world.project.destroy();
      assert.equal(removals(world), 0);
      assert.equal(world.emulator.inspect.rows("template-1").length, 25);
      assert.doesNotMatch(output, new RegExp(`Task "${copy}" stays at the service`));
      assert.ok(output.includes(`Task "${copy}" is gone as far as this account can see`), output);
      assert.deepEqual(world.project.state().resources, []);
    } finally {
      await world.remove();
    }
  });
});
