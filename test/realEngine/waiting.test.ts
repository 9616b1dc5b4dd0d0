import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../environment";
import { World } from "./world";

const program = (run: string): string => `
const run = new CloudRun("run", { taskId: "template-1", pollSeconds: 0.05, ${run} });
const rows = new DataExport("rows", { taskId: "template-1", scope: "batch", lotNo: run.id, path: "out/rows.ndjson" });
exports.status = run.status;
exports.subtasks = run.subtasks;
exports.complete = rows.complete;
exports.rowCount = rows.rowCount;
`;
const waiting = program('waitFor: "finished"');
const up = ["up", "--yes", "--skip-preview"];

describe("waiting for a run on the engine", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create({ program: waiting });
    world.emulator.change.holdRuns();
  });
  afterEach(() => world.remove());

  const lotNos = (): string[] => world.emulator.inspect.runs("template-1").map(({ lotNo }) => lotNo);
  const ids = (lotNo = ""): string[] =>
    world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
  const wasExported = (): boolean => existsSync(join(world.project.folder, "out", "rows.ndjson"));
  const set = (status: "finished" | "failed" | "stopped", ...subTaskIds: string[]): void =>
    world.emulator.change.setSubtaskStatus(lotNos()[0] ?? "", status, subTaskIds.length > 0 ? subTaskIds : undefined);

  it("ends at the first Ctrl-C with the run in the state; the next up continues to wait and starts nothing", async () => {
    const interrupted = world.project.start(up);
    await interrupted.waitFor(/0 of 3 done, 0 rows, running \(3 Waiting\)/);
    interrupted.interrupt();
    // The timeout of the wait is an hour, so only the interruption can end it.
    const { code, output } = await interrupted.done;
    assert.notEqual(code, 0);
    assert.match(
      output,
      /Run \d+ of task "template-1" was not seen to finish before the command was interrupted.*no second run is started/s,
    );
    const [lotNo] = lotNos();
    const run = world.project.resource("run");
    assert.deepEqual([run.id, run.outputs?.pending, wasExported()], [lotNo, ["wait"], false]);
    assert.deepEqual(world.project.state().pendingOperations, []);

    world.emulator.change.releaseRuns();
    await world.project.up();
    assert.deepEqual(lotNos(), [lotNo]);
    const outputs = await world.project.outputs();
    assert.deepEqual([outputs.status, outputs.rowCount, outputs.complete], ["finished", 25, true]);
  });

  slowIt("ends at the first Ctrl-C in a destroy that stops the run, and the next destroy continues", async () => {
    world.program(program('onDelete: "stop"'));
    await world.project.up();
    // The service accepts the request and does nothing.
    world.emulator.fault({ operation: "stopSubtasks", kind: "status", status: 200, body: { requestId: "r" } });
    world.operations();
    const destroy = world.project.start(["destroy", "--yes", "--skip-preview"]);
    const looks = (): number => world.emulator.requests.filter(({ operation }) => operation === "getSubtasks").length;
    while (looks() < 4) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    destroy.interrupt();
    const { output } = await destroy.done;
    assert.match(
      output,
      /was not seen to stop before the command was interrupted \(3 subtasks got the request to stop\)\. .*Run the same command again/s,
    );
    assert.equal(world.project.resource("run").id, lotNos()[0]);
    await world.project.destroy();
    const statuses = world.emulator.inspect.run(lotNos()[0] ?? "")?.subtasks.map(({ status }) => status);
    assert.deepEqual(statuses, ["stopped", "stopped", "stopped"]);
  });

  slowIt("writes a line to the log of CI when the progress changes, and no line twice", async () => {
    const run = world.project.start(up);
    await run.waitFor(/0 of 3 done, 0 rows, running \(3 Waiting\)/);
    const looks = (): number => world.emulator.requests.filter(({ operation }) => operation === "getBatchData").length;
    const seen = looks();
    while (looks() < seen + 5) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    set("finished", ids(lotNos()[0])[0] ?? "");
    world.emulator.change.insertRows("template-1", [{ a: 1 }], lotNos()[0]);
    await run.waitFor(/1 of 3 done, 1 rows, running \(1 Finished, 2 Waiting\)/);
    set("finished");
    const { output } = await run.done;
    const lines = output.split("\n").filter((line) => /creating .* of 3 done/.test(line));
    assert.equal(lines.filter((line) => line.includes("0 of 3 done")).length, 1, lines.join("\n"));
    assert.equal(lines.filter((line) => line.includes(" 1 rows,")).length, 1, lines.join("\n"));
    const last = output.split("\n").filter((line) => /CloudRun +run +created/.test(line));
    assert.match(last.at(-1) ?? "", /3 of 3 done, finished \(3 Finished\), run \d+$/, output);
  });

  slowIt(
    "ends early with waitFor started: the export is not complete, and each up exports again until the run has ended",
    async () => {
      world.program(program(""));
      const { output } = await world.project.up();
      assert.match(output, /warning: .*3 subtasks were running .*there may be more rows now/);
      const takesLotNo = /DataExport "rows" takes lotNo from CloudRun "run", which does not wait for the end/;
      assert.match(output.slice(output.indexOf("Diagnostics:")), takesLotNo);
      assert.deepEqual((await world.project.outputs()).complete, false);
      world.emulator.clearRequests();
      const plan = await world.project.previewJson();
      assert.deepEqual(
        plan.steps.filter(({ op }) => op !== "same").map(({ op, urn }) => [op, urn.split("::").at(-1)]),
        [["update", "rows"]],
      );
      const reasons = plan.diagnostics?.filter(({ message }) =>
        /is exported again, because subtasks were running/.test(message),
      );
      assert.deepEqual(
        reasons?.map(({ urn, severity }) => [urn?.split("::").at(-1), severity]),
        [["rows", "warning"]],
      );
      const risks = plan.diagnostics?.filter(({ message }) => takesLotNo.test(message));
      assert.deepEqual(
        risks?.map(({ urn, severity }) => [urn?.split("::").at(-1), severity]),
        [["run", "warning"]],
      );
      assert.deepEqual(world.emulator.requests, []);
      world.emulator.change.releaseRuns();
      await world.emulator.settled();
      await world.project.up();
      const { complete, rowCount } = await world.project.outputs();
      assert.deepEqual([complete, rowCount], [true, 25]);
    },
  );
});
