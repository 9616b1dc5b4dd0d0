import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

interface Adopted {
  taskId?: string;
  lotNo?: string;
}

const copyProgram = (extra = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1"${extra} });
new CloudRun("run", { taskId: copy.id, rerunOn: [copy] });
exports.taskId = copy.id;
`;
const program = ({ taskId, lotNo }: Adopted = {}): string => `
${copyProgram(taskId === undefined ? "" : `, adoptTaskId: "${taskId}"`)}
const lost = new CloudRun("lost", { taskId: "template-1"${lotNo === undefined ? "" : `, adoptLotNo: "${lotNo}"`} });
exports.lotNo = lost.id;
`;

// Otherwise, the engine would stop at the first of the two.
const both = ["--continue-on-error"];

describe("a copy and a start without a response", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program() });
  });
  after(() => world.remove());

  const lotNos = (): string[] => world.emulator.inspect.runs("template-1").map(({ lotNo }) => lotNo);

  it("fail with errors that name the task, the group and the solutions", async () => {
    world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    // As Apache sends it, if its ErrorDocument is a path that the service does not have.
    const body = { error: { code: "NotFound", message: "there is no such operation" }, requestId: "of-another" };
    world.emulator.fault({ operation: "startTask", kind: "status", status: 404, when: "after", body });
    const { output } = await world.project.up({ args: both, expect: "failure" });
    assert.match(output, /A copy of task "template-1" in group "group-1" may exist, sent at 20\d\d-/);
    assert.match(output, /set adoptTaskId to the id; if not, set retry to a new string/);
    assert.match(output, /A paid run of task "template-1" may have started/);
    assert.match(output, /set adoptLotNo to the lotNo/);
    assert.deepEqual([world.copies().length, lotNos().length], [1, 1]);
  });

  // The test of an ExtractionTask continues with a refresh and an up.
  slowIt("are not sent again by an up --refresh", async () => {
    await world.project.up({ args: ["--refresh", ...both], expect: "failure" });
    assert.deepEqual([world.copies().length, lotNos().length], [1, 1]);
  });

  it("are adopted with adoptTaskId and adoptLotNo, without a second copy or start", async () => {
    const adopted = { taskId: world.copies()[0], lotNo: lotNos()[0] };
    world.program(program(adopted));
    const { output } = await world.project.up();
    assert.doesNotMatch(output, /warning/);
    assert.deepEqual(await world.project.outputs(), adopted);
    assert.deepEqual([world.copies().length, lotNos().length], [1, 1]);
  });

  it("stay adopted if adoptTaskId and adoptLotNo are removed, without a change or a new run", async () => {
    world.program(program());
    await world.project.up({ args: ["--expect-no-changes"] });
    const made = world.operations().filter((operation) => operation === "copyTask" || operation === "startTask");
    // The third is the run of the copy.
    assert.deepEqual(made.sort(), ["copyTask", "startTask", "startTask"]);
  });

  slowIt("stay adopted if adoptLotNo is added again, without a change or a new run", async () => {
    world.program(program({ lotNo: lotNos()[0] }));
    await world.project.up({ args: ["--expect-no-changes"] });
    assert.ok(!world.operations().includes("startTask"));
  });
});

describe("a copy that was not executed and had no response", () => {
  slowIt("is sent again with a new value of retry", async () => {
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

  slowIt("is removed from the state by a destroy, which makes no request and says so", async () => {
    const world = await World.create({ program: copyProgram() });
    try {
      world.emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
      await world.project.up({ expect: "failure" });
      world.operations();
      const { output } = await world.project.destroy();
      assert.match(output, /warning: A copy of task "template-1" in group "group-1" may exist/);
      assert.deepEqual(world.operations(), []);
    } finally {
      await world.remove();
    }
  });
});

describe("a copy and a start whose ids have half of a surrogate pair", () => {
  slowIt("count as lost, so the state contains them", async () => {
    const world = await World.create({ program: program() });
    try {
      for (const [operation, data] of [
        ["copyTask", { taskId: "copy-\ud800" }],
        ["startTask", { lotNo: "1\ud800", status: "Waiting" }],
      ] as const) {
        const body = JSON.stringify({ data, requestId: "r" });
        world.emulator.fault({ operation, kind: "status", status: 200, when: "after", body });
      }
      const { output } = await world.project.up({ args: both, expect: "failure" });
      assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
      assert.match(output, /A paid run of task "template-1" may have started/);
      const ids = ["copy", "lost"].map((name) => world.project.resource(name).id);
      assert.deepEqual(
        ids.filter((id) => !id?.startsWith("unknown-")),
        [],
      );
    } finally {
      await world.remove();
    }
  });
});
