import assert from "node:assert/strict";
import { useCliWorld } from "./webextract";

describe("webextract run, status and stop", () => {
  const world = useCliWorld();

  it("starts a run after a confirmation, waits for its end, and prints one JSON document", async () => {
    const ended = await world.run("run shop-1 --yes --poll 0 --json");
    assert.equal(ended.code, 0, ended.stderr);
    const { lotNo, ...rest } = ended.json();
    assert.deepEqual(rest, {
      taskId: "shop-1",
      status: "finished",
      subtasks: { total: 3, byStatus: { Finished: 3 } },
    });
    assert.equal(world.latestRun, lotNo);
    assert.match(ended.stderr, new RegExp(`^Run ${lotNo} of task "shop-1" has started\\.$`, "m"));
  });

  it("keeps the lotNo of a run if the service tells no status of it", async () => {
    const body = '{"data": {"lotNo": 638755274101861606, "status": null}, "requestId": "q"}';
    world.emulator.fault({ operation: "startTask", kind: "status", status: 200, body });
    const ended = await world.run("run shop-1 --yes --no-wait --json");
    assert.equal(ended.code, 0, ended.stderr);
    const { lotNo, status } = ended.json();
    assert.deepEqual([lotNo, status], ["638755274101861606", "started"]);
  });

  it("names commands as the user has started this one", async () => {
    const line = "run shop-1 --yes --no-wait";
    assert.match((await world.run(line)).stdout, /"webextract run shop-1 --lot-no \d+" waits/);
    const byRunner = { npm_command: "exec" };
    assert.match((await world.run(line, byRunner)).stdout, /"npx webextract run shop-1 --lot-no \d+" waits/);
  });

  it("starts nothing if nobody can answer the question", async () => {
    const { code, stdout, stderr } = await world.run("run shop-1");
    assert.deepEqual([code, stdout, world.operations()], [2, "", []]);
    assert.match(stderr, /It may cost money\..*Nothing was done\. Use --yes/);
  });

  it("starts nothing under a label that is set and empty, but waits for a run that was started", async () => {
    const empty = { WEBEXTRACT_RUN_LABEL: "" };
    const { code, stderr } = await world.run("run shop-1 --yes", empty);
    assert.deepEqual([code, world.operations()], [2, []]);
    assert.match(stderr, /^error: WEBEXTRACT_RUN_LABEL is set and empty/);
    const { lotNo } = (await world.run("run shop-1 --yes --no-wait --json")).json();
    assert.equal((await world.run(`run shop-1 --lot-no ${lotNo} --poll 0`, empty)).code, 0);
  });

  it("says that it waits while the service refuses the start because the task is running", async () => {
    const body = JSON.stringify({ error: { code: "TaskExecuting", message: "running" }, requestId: "r-1" });
    world.emulator.fault({ operation: "startTask", kind: "status", status: 400, body });
    world.emulator.fault({ operation: "startTask", kind: "status", status: 400, body });
    const ended = await world.run("run shop-1 --yes --poll 0");
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stderr.match(/^The task is running: startTask waits up to 120 s for its end\.$/gm)?.length, 1);
  });

  it("waits for a run that was started before, and starts none", async () => {
    const started = await world.run("run shop-1 --yes --no-wait --json");
    const { lotNo } = started.json();
    world.operations();
    const waited = await world.run(`run shop-1 --lot-no ${lotNo} --poll 0`);
    assert.equal(waited.code, 0, waited.stderr);
    assert.equal(waited.stdout, `Run ${lotNo} of task "shop-1": finished (3 subtasks: 3 Finished)\n`);
    assert.ok(!world.operations().includes("startTask"));
  });

  it("names the run that started while Ctrl-C was pressed", async () => {
    const hold = world.emulator.hold({ operation: "startTask" });
    const running = world.start(["run", "shop-1", "--yes", "--json"]);
    await hold.reached;
    running.process.kill("SIGTERM");
    await running.says(/Ending\./);
    hold.release();
    const ended = await running.ended;
    assert.equal(ended.code, 143, ended.stderr);
    assert.equal(ended.json().error.lotNo, world.latestRun);
  });

  it("fails with its own exit code if the run does not end in time", async () => {
    world.emulator.change.holdRuns();
    const ended = await world.run("run shop-1 --yes --timeout 0 --json");
    assert.deepEqual([ended.code, ended.json().error.exit], [7, "runNotFinished"]);
    assert.match(
      ended.stderr,
      /was not seen to finish within 0 s .*to continue to wait: .*troubleshooting\.md#runs$/ms,
    );
  });

  it("waits for rows that settle as long as --settle says", async () => {
    const line = "run shop-1 --yes --poll 0 --finished-when rowsSettled";
    const soon = await world.run(`${line} --settle 0 --timeout 20`);
    assert.equal(soon.code, 0, soon.stderr);
    const late = await world.run(`${line} --settle 1000 --timeout 1`);
    assert.equal(late.code, 7, late.stderr);
  });

  it("fails if subtasks have failed, unless --fail-on never", async () => {
    // A word that this account calls failed.
    const failed = { WEBEXTRACT_STATUSES: '{"failed": ["finished"], "finished": ["done"]}' };
    const { code, stderr } = await world.run("run shop-1 --yes --poll 0", failed);
    assert.equal(code, 7);
    assert.match(stderr, /To start a new run, run "webextract run shop-1"\.\nMore: \S+#runs$/m);
    assert.equal((await world.run("run shop-1 --yes --poll 0 --fail-on never", failed)).code, 0);
  });

  it("says how to find a run whose start got no answer", async () => {
    world.emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
    const ended = await world.run("run shop-1 --yes --json");
    assert.deepEqual([ended.code, ended.json().error.exit], [6, "outcomeUnknown"]);
    assert.match(
      ended.stderr,
      /A paid run of task "shop-1" may have started.* run "webextract run shop-1 --lot-no LOTNO" with its lotNo to wait for it\. If it did not, run the same command again\./,
    );
    assert.doesNotMatch(ended.stderr, /pulumi up|adoptLotNo/);
  });

  it("counts the subtasks by status", async () => {
    await world.finishedRun();
    const ended = await world.run("status shop-1 --json");
    const { subtasks, ...rest } = ended.json();
    assert.deepEqual(rest, {
      taskId: "shop-1",
      total: 3,
      statuses: [{ status: "Finished", means: "finished", count: 3 }],
    });
    assert.equal(subtasks.length, 3);
    const table = await world.run("status shop-1");
    assert.equal(table.stdout, "status    means     subtasks\nFinished  finished  3\n");
  });

  it("refuses to stop with a time that the stop would not wait", async () => {
    for (const seconds of ["301", "-1", "x"]) {
      const ended = await world.run(["stop", "shop-1", "--yes", "--timeout", seconds]);
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /It must be a number from 0 to 300\./);
    }
    assert.equal((await world.run("stop shop-1 --yes --timeout 300")).code, 0);
  });

  it("does not say that nothing runs if the service lists no subtasks", async () => {
    world.emulator.setBehaviour({ splitting: "never", readsUntilFinished: 9 });
    world.emulator.change.startRun("shop-1");
    const { code, stdout } = await world.run("stop shop-1 --yes");
    assert.equal(code, 0);
    assert.match(stdout, /lists no subtasks of task "shop-1".* stop it in the service's own interface\.$/m);
  });

  it("stops the running subtasks, and waits until they have stopped", async () => {
    world.emulator.change.holdRuns();
    world.emulator.change.startRun("shop-1");
    const refused = await world.run("stop shop-1");
    assert.equal(refused.code, 2);
    assert.ok(!world.operations().includes("stopSubtasks"));
    const ended = await world.run("stop shop-1 --yes --poll 0 --json");
    assert.deepEqual([ended.code, ended.json()], [0, { taskId: "shop-1", stopped: 3 }], ended.stderr);
    const again = await world.run("stop shop-1 --yes");
    assert.equal(again.code, 0);
    assert.match(again.stdout, /^The service lists no running subtask of task "shop-1"\. Just after a start, /);
  });
});
