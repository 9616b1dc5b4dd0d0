import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
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
    await interrupted.waitFor(/running, 0 of 3 subtasks done \(3 Waiting\), 0 rows so far/);
    interrupted.interrupt();
    // The timeout of the wait is an hour, so only the interruption can end it.
    const { code, output } = await interrupted.done;
    assert.notEqual(code, 0);
    assert.match(
      output,
      /Run \d+ of task "template-1" was not seen to finish before the command was interrupted.*no second run is started/,
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

  it("ends at the first Ctrl-C in a destroy that stops the run, and the next destroy continues", async () => {
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
      /was not seen to stop before the command was interrupted \(3 subtasks got the request to stop\)\. .*Run the same command again/,
    );
    assert.equal(world.project.resource("run").id, lotNos()[0]);
    await world.project.destroy();
    const statuses = world.emulator.inspect.run(lotNos()[0] ?? "")?.subtasks.map(({ status }) => status);
    assert.deepEqual(statuses, ["stopped", "stopped", "stopped"]);
  });

  /** Runs a command until the service has received a number of requests of this operation, and then presses Ctrl-C. */
  const interruptedAfter = async (count: number, operation: string): Promise<string> => {
    const run = world.project.start(up);
    const had = (): number => world.emulator.requests.filter((each) => each.operation === operation).length;
    while (had() < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    run.interrupt();
    const { code, output } = await run.done;
    assert.notEqual(code, 0);
    return output;
  };

  it("starts no run after a Ctrl-C, if the start waits for another run of the task", async () => {
    const theirs = world.emulator.change.startRun("template-1");
    // The other run never ends here. Without the interruption, the wait would take two minutes.
    const output = await interruptedAfter(1, "startTask");
    assert.match(
      output,
      /startTask \(.*task template-1\): .* It was not sent again, because the command was interrupted\./,
    );
    assert.deepEqual(lotNos(), [theirs]);
  });

  it("ends an export between two pages at the first Ctrl-C, without a file", async () => {
    const lotNo = world.emulator.change.startRun("template-1");
    world.emulator.change.releaseRuns();
    await world.emulator.settled();
    world.program(
      `new DataExport("rows", { taskId: "template-1", scope: "batch", lotNo: "${lotNo}", path: "out/rows.ndjson" });`,
    );
    await world.project.configure({ "webextract:pageSize": "1", "webextract:concurrency": "1" });
    world.emulator.setLatency(100);
    const output = await interruptedAfter(3, "getBatchData");
    assert.match(output, /The export was interrupted after \d+ of 25 rows of task "template-1"\. No file was written/);
    assert.deepEqual(readdirSync(join(world.project.folder, "out")), []);
  });

  it("writes a line to the log of CI when the progress changes, and no line twice", async () => {
    const run = world.project.start(up);
    await run.waitFor(/0 of 3 subtasks done \(3 Waiting\), 0 rows so far/);
    const looks = (): number => world.emulator.requests.filter(({ operation }) => operation === "getBatchData").length;
    const seen = looks();
    while (looks() < seen + 5) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    set("finished", ids(lotNos()[0])[0] ?? "");
    world.emulator.change.insertRows("template-1", [{ a: 1 }], lotNos()[0]);
    await run.waitFor(/1 of 3 subtasks done \(1 Finished, 2 Waiting\), 1 rows so far/);
    set("finished");
    const { output } = await run.done;
    const lines = output.split("\n").filter((line) => /creating .*subtasks done/.test(line));
    assert.equal(lines.filter((line) => line.includes("0 of 3 subtasks done")).length, 1, lines.join("\n"));
    assert.equal(lines.filter((line) => line.includes(" 1 rows so far")).length, 1, lines.join("\n"));
    const last = output.split("\n").filter((line) => /CloudRun +run +created/.test(line));
    assert.match(last.at(-1) ?? "", /: finished, 3 of 3 subtasks done \(3 Finished\)$/, output);
  });

  it("names failed and stopped subtasks after a refresh, exports nothing, and continues when the subtasks run again", async () => {
    world.program(program('waitFor: "finished", timeoutSeconds: 0'));
    await world.project.up({ expect: "failure" });
    const [lotNo = ""] = lotNos();
    const [one = "", two = "", three = ""] = ids(lotNo);
    set("finished", one);
    set("failed", two);
    set("stopped", three);
    await world.project.refresh();
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(
      output,
      new RegExp(`Run ${lotNo} of task "template-1" ended failed .*: ${two} \\(Failed\\), ${three} \\(Stopped\\)`),
    );
    assert.match(output, /\(request \S+\).*change triggers, or run "pulumi up --replace"/);
    assert.equal(wasExported(), false);
    set("finished");
    await world.project.up();
    assert.deepEqual([lotNos(), wasExported()], [[lotNo], true]);
  });

  it("ends with an error if another run replaces the run, stops nothing, and exports nothing", async () => {
    world.program(program('waitFor: "finished", timeoutSeconds: 0'));
    await world.project.up({ expect: "failure" });
    const stranger = world.emulator.change.startRun("template-1");
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /is superseded: .*Nothing was stopped.*can be exported by its lotNo/);
    assert.equal(wasExported(), false);
    assert.deepEqual(
      world.emulator.inspect.run(stranger)?.subtasks.map(({ status }) => status),
      ["waiting", "waiting", "waiting"],
    );
    world.program(program('triggers: ["again"]').replace("pollSeconds: 0.05", 'pollSeconds: 0, onDelete: "stop"'));
    world.emulator.setBehaviour({ startWhileRunning: "newRun" });
    await world.project.up();
    assert.equal(lotNos().length, 3);
    assert.equal(world.emulator.requests.filter(({ operation }) => operation === "stopSubtasks").length, 0);
  });

  it("ignores a run that was running before the start and stays in the list", async () => {
    world.emulator.setBehaviour({ startWhileRunning: "newRun" });
    const other = world.emulator.change.startRun("template-1");
    world.emulator.setBehaviour({ subtaskListLag: 5 });
    const run = world.project.start(up);
    await run.waitFor(/0 of 3 subtasks done/);
    const own = lotNos().find((lotNo) => lotNo !== other) ?? "";
    world.emulator.change.setSubtaskStatus(own, "finished");
    assert.equal((await run.done).code, 0);
    assert.equal(world.project.resource("run").outputs?.status, "finished");
  });

  it("uses the statuses of the resource, and a change of them starts nothing", async () => {
    world.emulator.setBehaviour({ statusWords: "unknown" });
    world.program(program('waitFor: "finished", timeoutSeconds: 0'));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /3 subtasks: 3 Waiting.*add it to statuses or to webextract:statuses/);
    set("finished");
    world.program(program('waitFor: "finished", statuses: { finished: ["concluded"] }'));
    await world.project.up();
    assert.equal(lotNos().length, 1);
    assert.equal(world.project.resource("run").outputs?.status, "finished");
  });

  it("ends early with waitFor started: the export is not complete, and each up exports again until the run has ended", async () => {
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
    assert.match((await world.project.up()).output, /3 unchanged/);
  });
});
