import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

const program = (copy: string): string => `
const copy = new TaskCopy("copy", { ${copy} });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
exports.taskId = copy.id;
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

  it("is refused with the possible solutions, also a second time, and one of them keeps the rows and starts no run", async () => {
    const [taskId = ""] = world.copies();
    const { output } = await world.project.destroy({ expect: "failure" });
    assert.match(output, /still has 25 rows\. Nothing of the task was changed/);
    assert.match(
      output,
      new RegExp(
        `To remove the rows, run the same command again with the environment variable WEBEXTRACT_FORCE_DESTROY=${taskId} \\(or =true, for all tasks\\)\\.`,
      ),
    );
    assert.match(
      output,
      /This command has deleted before: CloudRun "(?:run|\d+)"\. A "pulumi up" without --target starts a paid run for each CloudRun that the state no longer has/,
    );
    // The second time, when the run has left the state. The environment variable of another task permits nothing.
    const again = await world.project.destroy({
      expect: "failure",
      env: { WEBEXTRACT_FORCE_DESTROY: "another-task" },
    });
    assert.match(again.output, /A "pulumi up" without --target starts a paid run/);
    assert.doesNotMatch(again.output, /has deleted before/);
    assert.equal(removals(world), 0);
    assert.equal(world.emulator.inspect.rows(taskId).length, 25);

    // As the page says.
    assert.match(output, /More: https:\S+\/docs\/how-to\/destroy\.md#a-destroy-that-is-refused/);
    const target = "**:TaskCopy::copy";
    world.program(program(`${source}, onDelete: "retain"`));
    await world.project.up({ args: ["--target", target] });
    await world.project.destroy();
    const operations = world.operations();
    assert.ok(!operations.includes("removeData") && !operations.includes("startTask"), operations.join());
    assert.equal(world.emulator.inspect.rows(taskId).length, 25);
  });

  slowIt("is refused in a replace at the delete, and the solution of the error message works", async () => {
    const [first = ""] = world.copies();
    world.program(program(source.replace("group-1", "group-2")));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, new RegExp(`WEBEXTRACT_FORCE_DESTROY=${first}`));
    assert.match(output, /starts a paid run for each CloudRun that the state no longer has/);
    // The first resource that the next up checks is still declared, also where that check does not name it.
    const again = await world.project.up({ expect: "failure" });
    assert.match(again.output, new RegExp(`WEBEXTRACT_FORCE_DESTROY=${first}`));
    assert.doesNotMatch(again.output, /state delete/);
    assert.equal(world.emulator.inspect.rows(first).length, 25);
    world.operations();
    await world.project.up({ env: { WEBEXTRACT_FORCE_DESTROY: first } });
    assert.equal(removals(world), 1);
    assert.equal(world.emulator.inspect.rows(first).length, 0);
    const [, second = ""] = world.copies();
    assert.deepEqual(await world.project.outputs(), { taskId: second });
  });

  slowIt("is permitted by the configuration from the next up on", async () => {
    const [taskId = ""] = world.copies();
    await world.project.configure({ "webextract:forceDestroy": taskId });
    await world.project.destroy({ expect: "failure" });
    assert.equal(world.emulator.inspect.rows(taskId).length, 25);
    await world.project.up();
    await world.project.destroy();
    assert.equal(world.emulator.inspect.rows(taskId).length, 0);
  });
});

describe("one destroy of several tasks", () => {
  const task = (name: string, args: string): string => `
new CloudRun("run-of-${name}", { waitFor: "finished", pollSeconds: 0, taskId: new TaskCopy("${name}", { ${args} }).id });`;
  let world: World;
  let output: string;
  const ids: Record<string, string> = {};
  before(async () => {
    const forced = task("forced", `${source}, forceDestroy: true`);
    world = await World.create({
      program: [task("gone", source), task("named", source), forced, task("adopted", 'adoptTaskId: "template-1"')].join(
        "",
      ),
    });
    await world.project.up();
    for (const name of ["gone", "named", "forced"]) {
      const id = world.project.state().resources.find(({ urn }) => urn.endsWith(`:TaskCopy::${name}`))?.id;
      ids[name] = id ?? "";
    }
    world.emulator.change.deleteTask(ids.gone ?? "");
    world.operations();
    ({ output } = await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: ids.named ?? "" } }));
  });
  after(() => world.remove());

  it("removes the rows of a task with forceDestroy and of the task that the environment variable names, and names the tasks that stay", () => {
    assert.equal(removals(world), 2);
    for (const id of [ids.named ?? "", ids.forced ?? ""]) {
      assert.equal(world.emulator.inspect.rows(id).length, 0);
      assert.match(output, new RegExp(`warning: Task "${id}" stays at the service`));
    }
  });

  it("never removes the rows of an adopted task, and succeeds for a task that is gone", () => {
    assert.equal(world.emulator.inspect.rows("template-1").length, 25);
    assert.doesNotMatch(output, new RegExp(`Task "${ids.gone}" stays at the service`));
    assert.ok(output.includes(`Task "${ids.gone}" is gone as far as this account can see`), output);
    assert.deepEqual(world.project.state().resources, []);
  });
});
