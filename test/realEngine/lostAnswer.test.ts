import assert from "node:assert/strict";
import { World } from "./world";

const copyProgram = (extra = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1"${extra} });
new CloudRun("run", { taskId: copy.id, rerunOn: [copy] });
exports.taskId = copy.id;
`;
const runProgram = (extra = ""): string => `
const run = new CloudRun("run", { taskId: "template-1"${extra} });
exports.lotNo = run.id;
`;

/** The next commands of a user or a CI job. None may create a second copy or run. */
const nextSteps: Record<string, (world: World) => Promise<unknown>> = {
  "an up": (world) => world.project.up({ expect: "failure" }),
  "an up --refresh": (world) => world.project.up({ args: ["--refresh"], expect: "failure" }),
  "a refresh and an up": async (world) => {
    await world.project.refresh();
    await world.project.up({ expect: "failure" });
  },
};

describe("a copy without a response", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: copyProgram() });
  });
  after(() => world.remove());

  it("fails with an error that names the task, the group and the solutions", async () => {
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /A copy of task "template-1" may exist in group "group-1", sent at 20\d\d-/);
    assert.match(output, /set adoptTaskId to the id; if it did not, set retry to a new string/);
    assert.equal(world.copies().length, 1);
  });

  for (const [name, step] of Object.entries(nextSteps)) {
    it(`is not sent again by ${name}`, async () => {
      await step(world);
      assert.equal(world.copies().length, 1);
    });
  }

  it("is adopted with adoptTaskId, which may stay or be removed later without a change or a new run", async () => {
    const [taskId] = world.copies();
    world.program(copyProgram(`, adoptTaskId: "${taskId}"`));
    const adopted = await world.project.up();
    assert.doesNotMatch(adopted.output, /warning/);
    assert.deepEqual(await world.project.outputs(), { taskId });
    assert.equal(world.copies().length, 1);
    world.program(copyProgram());
    const { output } = await world.project.up();
    assert.match(output, /3 unchanged/);
    const made = world.operations().filter((operation) => operation === "copyTask" || operation === "startTask");
    assert.deepEqual(made, ["copyTask", "startTask"]);
  });
});

describe("a copy that was not executed and had no response", () => {
  it("is sent again with a new value of retry", async () => {
    const world = await World.create({ program: copyProgram() });
    try {
      world.emulator.fault({ operation: "copyTask", kind: "reset", when: "before" });
      await world.project.up({ expect: "failure" });
      assert.equal(world.copies().length, 0);
      world.program(copyProgram(', retry: "looked, it is not there"'));
      await world.project.up();
      assert.equal(world.copies().length, 1);
      assert.deepEqual(await world.project.outputs(), { taskId: world.copies()[0] });
    } finally {
      await world.remove();
    }
  });

  it("is removed from the state by a destroy, which makes no request and says so", async () => {
    const world = await World.create({ program: copyProgram() });
    try {
      world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
      await world.project.up({ expect: "failure" });
      world.operations();
      const { output } = await world.project.destroy();
      assert.match(output, /warning: A copy of task "template-1" may exist in group "group-1"/);
      assert.deepEqual(world.operations(), []);
    } finally {
      await world.remove();
    }
  });
});

describe("a start without a response", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: runProgram() });
  });
  after(() => world.remove());

  it("fails with an error that names the task and the solutions", async () => {
    world.emulator.fault({ operation: "startTask", kind: "truncated" });
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /A paid run of task "template-1" may have started/);
    assert.match(output, /set adoptLotNo to the lotNo/);
    assert.equal(world.emulator.inspect.runs().length, 1);
  });

  for (const [name, step] of Object.entries(nextSteps)) {
    it(`is not sent again by ${name}`, async () => {
      await step(world);
      assert.equal(world.emulator.inspect.runs().length, 1);
    });
  }

  it("is adopted with adoptLotNo, which may stay, be removed and be added again without a change", async () => {
    const lotNo = world.emulator.inspect.runs()[0]?.lotNo;
    world.program(runProgram(`, adoptLotNo: "${lotNo}"`));
    const { output } = await world.project.up();
    assert.doesNotMatch(output, /warning/);
    assert.deepEqual(await world.project.outputs(), { lotNo });
    for (const extra of ["", `, adoptLotNo: "${lotNo}"`, ""]) {
      world.program(runProgram(extra));
      await world.project.up({ args: ["--expect-no-changes"] });
    }
    assert.equal(world.emulator.inspect.runs().length, 1);
  });
});
