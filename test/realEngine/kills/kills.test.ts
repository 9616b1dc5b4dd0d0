import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../../environment";
import { readPage } from "../../pages/readPage";
import { World } from "../world";
import { KilledUp } from "./killedUp";
import { creates } from "./steps";

const program = (extra = "") => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1"${extra} });
exports.taskId = copy.id;
`;

describe("the journal on the real engine", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.create({ program: program(), config: { "webextract:journal": "journal" } });
  });
  afterEach(() => world.remove());

  const journal = (): string[] => {
    const folder = join(world.project.folder, "journal");
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  const upUntilCopied = async () => {
    const hold = world.emulator.hold({ operation: "copyTask" });
    const run = world.project.start(["up", "--yes", "--skip-preview"]);
    await hold.reached;
    return { run, hold };
  };
  const interruptedUp = async (): Promise<void> => {
    const { run, hold } = await upUntilCopied();
    run.interrupt();
    await run.waitFor("press ^C again");
    hold.release();
    await run.done;
  };
  const goOn = async (): Promise<string> => {
    await world.project.run(["cancel", "--yes"], { expect: "either" });
    return (await world.project.up()).output;
  };
  const assertTakenOver = async (output: string): Promise<void> => {
    assert.match(
      output,
      /warning: ".*" \(a copy of task "template-1" in group "group-1"\) was made .* It was taken over/,
    );
    assert.deepEqual(await world.project.outputs(), { taskId: world.copies()[0] });
    assert.equal(world.copies().length, 1);
    assert.deepEqual(journal(), []);
  };

  slowIt("is empty after the next command if a first Ctrl-C interrupted the up", async () => {
    await interruptedUp();
    assert.equal(world.project.resource("copy").id, world.copies()[0]);
    const { output } = await world.project.up();
    assert.doesNotMatch(output, /warning/);
    assert.deepEqual(journal(), []);
  });

  slowIt("contains a copy that the engine did not save because a second Ctrl-C came before the response", async () => {
    const before = await world.project.exportStack();
    await interruptedUp();
    world.project.write("before.json", JSON.stringify(before));
    await world.project.run(["stack", "import", "--file", "before.json"]);
    await assertTakenOver(await goOn());
  });

  it("contains a copy that a second Ctrl-C interrupted, after the service has responded", async () => {
    const { run, hold } = await upUntilCopied();
    run.interrupt();
    await run.waitFor("press ^C again");
    run.interrupt();
    await run.waitFor("^C received; terminating");
    hold.release();
    await run.done;
    await assertTakenOver(await goOn());
  });

  slowIt("refuses a request of another stack with the same names while the process of the first one runs", async () => {
    const folder = join(world.project.folder, "journal");
    await world.project.configure({ "webextract:journal": folder });
    const other = await World.create({
      program: program(),
      config: { "webextract:journal": folder, "webextract:baseUrl": world.emulator.url },
    });
    try {
      const { run, hold } = await upUntilCopied();
      const { output } = await other.project.up({ expect: "failure" });
      assert.match(output, /Process \d+ of this machine is running and has sent a request \(copy/);
      assert.match(output, /Nothing was sent\./);
      hold.release();
      await run.done;
      world.emulator.clearFaults();
      assert.equal(world.copies().length, 1);
      assert.deepEqual(await world.project.outputs(), { taskId: world.copies()[0] });
      await other.project.up();
      const [first, second] = world.copies();
      assert.deepEqual(
        [await world.project.outputs(), await other.project.outputs()],
        [{ taskId: first }, { taskId: second }],
      );
      assert.deepEqual(journal(), []);
    } finally {
      await other.remove();
    }
  });

  it("contains a copy that a killed engine did not save, and the provider process ends by itself after the response", async () => {
    const { run, hold } = await upUntilCopied();
    const hostEnded = run.killEngine();
    hold.release();
    await Promise.all([run.done, hostEnded]);
    const [, goOnAsThePageSays = "", clearPendingCreates = ""] = readPage("examples/commandLine/afterAKill.sh")
      .split(/^# #region .*$/m)
      .map((part) => `export PULUMI_STACK=${world.project.stack}\n${part}`);
    const { output } = await world.project.shell(goOnAsThePageSays);
    await assertTakenOver(output);
    assert.equal(world.project.state().pendingOperations.length, 1);
    await world.project.shell(clearPendingCreates);
    assert.equal(world.project.state().pendingOperations.length, 0);
  });
});

describe("an engine that is killed during a token refresh", () => {
  it("leaves the new refresh token in the store, because the old one is no longer valid", async () => {
    const world = await World.create({
      program: program(),
      withCredentials: false,
      emulator: { behaviour: { refreshRotation: "oldDies" } },
    });
    try {
      const env = { WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken };
      await world.project.up({ env });
      world.emulator.change.expireAccessTokens();
      const hold = world.emulator.hold({ operation: "refreshToken", when: "after" });
      const run = world.project.start(["refresh", "--yes", "--skip-preview"], { env });
      await hold.reached;
      const hostEnded = run.killEngine();
      // The host learns of the kill before it gets the response.
      await run.done;
      hold.release();
      await hostEnded;
      world.emulator.clearFaults();

      await world.project.run(["cancel", "--yes"], { expect: "either" });
      await world.project.refresh({ env });
    } finally {
      await world.remove();
    }
  });
});

describe("a kill during a create", () => {
  const some = creates.filter(({ name }) => ["copy", "whole-settings", "run", "run-wait", "items"].includes(name));

  for (const [kill, when, next, unknown] of [
    ["host", "after", "an up --refresh", ["copy", "run"]],
    ["engine", "after", "an up", []],
  ] as const) {
    // A test above kills the engine in this way.
    const test = kill === "engine" ? slowIt : it;
    test(`of the ${kill}, ${when} the effect, causes no second effect after ${next}`, async () => {
      const killed = await KilledUp.create(some);
      try {
        await killed.prepare();
        await killed.kill(kill, when);
        const output = await killed.goOn(next);
        killed.assertNothingTooMuch();
        assert.deepEqual(await killed.followTheErrors(output), unknown);
        await killed.assertSettled();
      } finally {
        await killed.world.remove();
      }
    });
  }
});
