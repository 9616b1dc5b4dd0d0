import assert from "node:assert/strict";
import { isLarge, slowIt } from "../environment";
import { World } from "./world";

const program = `
const run = new CloudRun("run", { taskId: "template-1" });
exports.lotNo = run.id;
`;
const up = ["up", "--yes", "--skip-preview"];
const saysRun = /Interrupted: A paid run of task "template-1" may have started\. .*it reads the journal/;

/** The processes of a container, a service or a session get these signals, and not only the engine. */
describe("a signal to the provider process", () => {
  let world: World;
  afterEach(() => world.remove());

  const create = async (config: Record<string, string> = {}, withCredentials = true): Promise<void> => {
    world = await World.create({ program, withCredentials, config: { "webextract:journal": "journal", ...config } });
  };
  const lotNos = (): string[] => world.emulator.inspect.runs("template-1").map(({ lotNo }) => lotNo);
  /** The next up starts no second run, and knows the first. */
  const goOn = async (): Promise<void> => {
    await world.project.up();
    assert.deepEqual([lotNos().length, (await world.project.outputs()).lotNo], [1, lotNos()[0]]);
  };

  const targets = isLarge ? (["hosts", "engine and hosts"] as const) : (["engine and hosts"] as const);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    for (const to of targets) {
      // A SIGHUP is like a kill of the engine, which other fast tests show.
      const test = signal === "SIGTERM" ? it : slowIt;
      test(`${signal} to the ${to} during a start loses no run`, async () => {
        await create();
        const hold = world.emulator.hold({ operation: "startTask" });
        const run = world.project.start(up);
        await hold.reached;
        run.signal(signal, to);
        // A SIGHUP ends the engine at once: nobody shows the line, and nobody saves the state.
        const engineSaves = to === "hosts" || signal === "SIGTERM";
        if (engineSaves) {
          await run.waitFor(saysRun);
        }
        hold.release();
        await run.done;
        if (engineSaves) {
          assert.equal(world.project.resource("run").id, lotNos()[0]);
        } else {
          await world.project.run(["cancel", "--yes"]);
        }
        await goOn();
      });
    }
  }

  it("a second signal ends it at once, and the next up starts no second run", async () => {
    await create();
    const hold = world.emulator.hold({ operation: "startTask" });
    const run = world.project.start(up);
    await hold.reached;
    run.signal("SIGTERM", "hosts");
    await run.waitFor(saysRun);
    run.signal("SIGHUP", "hosts");
    await run.done;
    hold.release();
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /A paid run of task "template-1" may have started/);
    assert.equal(lotNos().length, 1);
  });

  slowIt("a signal during a refresh of the token loses no token", async () => {
    await create({ "webextract:tokenStore": "tokens" }, false);
    const { refreshToken } = world.emulator.credentials;
    await world.project.run(["config", "set", "--secret", "webextract:refreshToken", refreshToken]);
    const hold = world.emulator.hold({ operation: "refreshToken", when: "after" });
    const run = world.project.start(up);
    await hold.reached;
    run.signal("SIGTERM", "hosts");
    hold.release();
    const { output } = await run.done;
    assert.match(output, /interrupted/);
    assert.deepEqual(lotNos(), []);
    await goOn();
    assert.equal(world.emulator.requests.filter(({ operation }) => operation === "refreshToken").length, 1);
  });
});
