import assert from "node:assert/strict";
import { readdirSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLarge, slowIt } from "../../environment";
import { readPage } from "../../pages/readPage";
import { pluginFolder } from "../plugin/nativeWorld";
import { World } from "../world";

const source = '{ sourceTaskId: "template-1", taskGroupId: "group-1"';
const copying = (more = "") => `new TaskCopy("copy", ${source}${more} });`;
const running = (more = "") => `${copying(', profile: "shop"')} new CloudRun("run", { taskId: "template-1"${more} });`;

for (const front of isLarge ? (["classes", "plugin"] as const) : (["classes"] as const)) {
  describe(`after a kill, with the ${front},`, function () {
    this.timeout(120_000);
    let world: World;
    beforeEach(async () => {
      world = await World.create({
        program: copying(),
        config: { "webextract:native": String(front === "plugin") },
        ...(front === "plugin" && { path: [pluginFolder()] }),
      });
    });
    afterEach(() => world.remove());

    const runs = (): number => world.emulator.inspect.runs("template-1").length;
    const fails = async (args: string[] = []): Promise<string> =>
      (await world.project.up({ expect: "failure", args })).output;
    /** The service has copied the task, and the engine has not saved it. */
    const killUnsaved = async (): Promise<void> => {
      const hold = world.emulator.hold({ operation: "copyTask" });
      const run = world.project.start(["up", "--yes", "--skip-preview"]);
      await hold.reached;
      const hostEnded = run.killEngine();
      hold.release();
      await Promise.all([run.done, hostEnded]);
      await world.project.run(["cancel", "--yes"], { expect: "either" });
      world.emulator.clearFaults();
    };
    const withProfile = async (accessToken: string): Promise<void> => {
      const baseUrl = `${world.emulator.url.replace("http:", "HTTP:")}/./`;
      const { apiKey } = world.emulator.credentials;
      const profiles = JSON.stringify({ shop: { baseUrl, accessToken, apiKey } });
      await world.project.configure({}, { "webextract:profiles": profiles });
    };

    it("another name of the account and a new token store take the copy over, another account sends nothing, and a lost start is not sent again by --replace", async () => {
      await killUnsaved();
      world.program(copying(', profile: "shop"'));
      await withProfile("token-of-another-account");
      const refused = await fails();
      assert.match(refused, /with no profile at .* this resource has profile "shop" now, with other credentials\./);
      assert.match(refused, /Nothing was sent\./);
      assert.equal(world.copies().length, 1);

      await withProfile(world.emulator.credentials.accessToken);
      await world.project.configure({ "webextract:tokenStore": "tokens" });
      assert.match((await world.project.up()).output, /was made .* It was taken over/);
      assert.equal(world.copies().length, 1);
      assert.equal(world.project.resource("copy").id, world.copies()[0]);

      world.program(running());
      world.emulator.fault({ operation: "startTask", kind: "reset", when: "after", times: 1 });
      const mayHaveStarted = /A paid run of task "template-1" may have started/;
      assert.match(await fails(), mayHaveStarted);
      const { urn } = world.project.resource("run");
      assert.match(await fails([`--replace=${urn}`]), mayHaveStarted);
      assert.match(await fails(), mayHaveStarted);
      await world.project.run(["state", "delete", "--yes", world.project.resource("run").urn]);
      assert.match(await fails(), mayHaveStarted);
      world.program(running().replace('"run"', '"renamed"'));
      assert.match(await fails(), mayHaveStarted);
      assert.equal(runs(), 1);
      world.program(running(`, adoptLotNo: "${world.emulator.inspect.runs("template-1")[0]?.lotNo}"`));
      await world.project.up();
      assert.equal(runs(), 1);
      const state = join(world.project.root, "home", ".local", "state", "pulumi-webextract");
      for (const store of [state, join(world.project.folder, "tokens")]) {
        assert.deepEqual(readdirSync(join(store, "journal")), []);
      }
    });

    const test = front === "plugin" ? slowIt : it;
    test("during its write of the state, the backup of the state and the journal know all", async () => {
      world.program("");
      await world.project.up();
      world.program(copying());
      await killUnsaved();
      truncateSync(world.project.stateFile, 0);
      const page = readPage("docs/how-to/after-a-kill.md");
      const [shown = ""] = /failed to load checkpoint: /.exec(page) ?? [];
      assert.ok((await fails()).includes(shown));
      const [, , , restore = ""] = readPage("examples/commandLine/afterAKill.sh").split(/^# #region .*$/m);
      const stacks = dirname(dirname(dirname(dirname(world.project.stateFile))));
      const { name, stack } = world.project;
      await world.project.shell(`cd ${stacks}\n${restore.replace("PROJECT", name).replaceAll("STACK", stack)}`);
      assert.match((await world.project.up()).output, /was made .* It was taken over/);
      assert.equal(world.copies().length, 1);
    });
  });
}
