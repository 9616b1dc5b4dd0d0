import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { devDependencies, peerDependencies } from "../../package.json";
import { installTarball, newestVersion, nodeFolder } from "./harness";
import { keptVersions, UpgradeStack } from "./upgrade/upgradeStack";
import { template, World } from "./world";

/** An SDK, and the Node.js that runs the program, the provider host and the compiler. */
interface Pair {
  about: string;
  sdk(): Promise<string>;
  /** A version, or a major version for its newest version. */
  node: string;
}

const oldest = peerDependencies["@pulumi/pulumi"].replace(/^>=(\S+).*/, "$1");
const pairs: readonly Pair[] = [
  { about: `the oldest supported SDK, ${oldest}, on Node.js 20.19.0`, sdk: async () => oldest, node: "20.19.0" },
  {
    about: "the SDK of this version, on Node.js 22.12.0",
    sdk: async () => devDependencies["@pulumi/pulumi"],
    node: "22.12.0",
  },
  { about: "the newest SDK on Node.js 24", sdk: () => newestVersion("@pulumi/pulumi", "^3"), node: "24" },
];

/** Uses every resource and function, in TypeScript that the SDK compiles with its own compiler. */
const program = `
import * as pulumi from "@pulumi/pulumi";
import * as webextract from "pulumi-webextract";

const config = new pulumi.Config();
const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };
const copy = new webextract.TaskCopy("copy", from);
const settings = new webextract.TaskActionConfig("settings", {
  taskId: copy.id,
  actions: { open: { actionType: "NavigateAction", properties: { Url: config.require("url"), Wait: config.requireSecret("wait") } } },
});
const loop = new webextract.TaskLoopItems("loop", {
  taskId: copy.id,
  actionId: "each",
  loopType: "UrlList",
  items: ["https://shop.test/1", config.requireSecret("item")],
});
const urls = new webextract.TaskStartUrls("urls", { taskId: copy.id, urls: ["https://shop.test/a"] });
const run = new webextract.CloudRun("run", { taskId: copy.id, rerunOn: [loop, urls], waitFor: "finished", pollSeconds: 0 });
const rows = new webextract.DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "rows-{lotNo}.ndjson" });

const second = new webextract.TaskCopy("second", { adoptTaskId: "existing-1" });
new webextract.TaskParameters("parameters", {
  taskId: second.id,
  actions: { each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://second.test/1"] } } },
});
const whole = new webextract.ExtractionTask("whole", {
  from,
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://whole.test/" } } },
  startUrls: { urls: ["https://whole.test/a"] },
});
const subTaskIds = config.getObject<string[]>("subTaskIds");
if (subTaskIds) {
  new webextract.CloudSubtasks("subtasks", { taskId: copy.id, subTaskIds, desired: "started" });
}

export const lotNo: pulumi.Output<string> = run.lotNo;
export const rowCount: pulumi.Output<number> = rows.rowCount;
export const node: string = process.version;
const plain = { plain: true };
const asked = config.getBoolean("ask")
  ? {
      actions: webextract.getActionsOutput({ taskIds: [whole.id], actionTypes: ["NavigateAction"] }),
      subtasks: webextract.getSubtasksOutput({ taskId: copy.id }).apply((all) => all.length),
      batch: webextract.getBatchDataOutput({ taskId: copy.id, lotNo: run.id }, plain).total,
      all: webextract.getDataOutput({ taskId: copy.id, maxRows: 2 }, plain).rows.length,
      rest: webextract.getNotExportedDataOutput({ taskId: copy.id }, plain).total,
      promised: webextract.getActions({ taskIds: ["template-1"], actionTypes: ["NavigateAction"] }, { plain: true }),
    }
  : {};
export const answers = asked;
`;

const secrets = { "test:wait": "a secret property 4417", "test:item": "https://secret-item-2290.test/" };

for (const { about, sdk, node } of pairs) {
  describe(`the package with ${about}`, function () {
    this.timeout(300_000);
    let folder: string;
    let path: string[];
    let world: World;
    before(async () => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-sdk-")));
      const version = await sdk();
      await installTarball(folder, [`@pulumi/pulumi@${version}`]);
      path = [await nodeFolder(node)];
      const files = { "Pulumi.yaml": "name: test\nruntime: nodejs\n", "index.ts": program };
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(folder, name), text);
      }
      const tasks = [...template.tasks, ...template.tasks.map((task) => ({ ...task, taskId: "existing-1" }))];
      world = await World.create({
        program: "",
        folder,
        path,
        seed: { ...template, tasks },
        config: { "test:url": "https://shop.test/" },
        secrets,
        emulator: { behaviour: { readsUntilFinished: 3 } },
      });
    });
    after(async () => {
      await world?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it("creates every resource, shows the progress of a run, and makes no request in a preview and an unchanged up", async () => {
      const preview = await world.project.preview();
      assert.match(preview.output, /10 to create/);
      assert.deepEqual(world.operations(), []);
      const { output } = await world.project.up();
      assert.match(output, /CloudRun run creating \S+ 0 of 3 done, (?:\d+ rows, )?running \(3 \w+\), run \d+/);
      const ranOn = /node +: "v([\d.]+)"/.exec(output)?.[1] ?? "";
      assert.ok(ranOn === node || ranOn.startsWith(`${node}.`), ranOn);
      world.operations();
      const again = await world.project.up({ args: ["--expect-no-changes"] });
      assert.match(again.output, /10 unchanged/);
      assert.deepEqual(world.operations(), []);
    });

    it("returns the results of functions, and adopts subtasks", async () => {
      const taskId = world.project.resource("copy").id ?? "";
      const subtasks = world.emulator.inspect.runs(taskId).flatMap((run) => run.subtasks);
      const subTaskIds = JSON.stringify(subtasks.map(({ subTaskId }) => subTaskId));
      await world.project.configure({ "test:ask": "true", "test:subTaskIds": subTaskIds });
      await world.project.up();
      const { answers } = world.project.resource("test-dev").outputs as { answers: Record<string, unknown> };
      const { actions, promised, ...counts } = answers;
      assert.deepEqual(counts, { subtasks: 3, batch: 25, all: 2, rest: 25 });
      assert.match(JSON.stringify(promised), /https:\/\/old\.test\//);
      assert.equal(JSON.stringify(actions).includes("whole.test"), false, "a secret answer is in the state");
      await world.project.configure({ "test:ask": "false" });
      await world.project.up();
      world.operations();
    });

    it("changes a property with one write, and shows its drift in a refresh", async () => {
      await world.project.configure({ "test:url": "https://changed.test/" });
      const { output } = await world.project.up({ args: ["--diff"] });
      assert.match(output, /~ Url: "https:\/\/shop\.test\/" => "https:\/\/changed\.test\/"/);
      assert.deepEqual(world.operations(), ["updateActionProperties"]);
      const taskId = world.project.resource("copy").id ?? "";
      world.emulator.change.setProperty(taskId, "open", "Url", "https://drift.test/");
      const refreshed = await world.project.refresh({ args: ["--diff"] });
      assert.match(refreshed.output, /~ Url *: "https:\/\/changed\.test\/" => "https:\/\/drift\.test\/"/);
      world.operations();
      await world.project.up();
      assert.deepEqual(world.operations(), ["updateActionProperties"]);
    });

    it("destroys all resources, with the warnings under the resources", async () => {
      const { output } = await world.project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
      assert.match(output, /webextract:TaskCopy \(copy\):\n +warning: Task "[^"]+" stays at the service/);
      assert.match(output, /webextract:ExtractionTask \(whole\):\n +warning: Task "[^"]+" stays at the service/);
      assert.deepEqual(world.project.state().resources, []);
    });

    it("writes no secret anywhere in all these commands", () => {
      const { accessToken, apiKey } = world.emulator.credentials;
      assert.deepEqual(world.project.findWritten([...Object.values(secrets), accessToken, apiKey]), []);
    });

    for (const kept of keptVersions()) {
      it(`accepts a state that version ${kept} wrote: no change, and a destroy`, async () => {
        const own = join(folder, kept);
        mkdirSync(own);
        symlinkSync(join(folder, "node_modules"), join(own, "node_modules"), "junction");
        writeFileSync(
          join(own, "Pulumi.yaml"),
          "name: upgrade\nruntime: {name: nodejs, options: {typescript: false}}\n",
        );
        const stack = await UpgradeStack.restore(join(kept, "whole"), { folder: own, path }, folder);
        try {
          await stack.project.up({ args: ["--expect-no-changes"] });
          assert.deepEqual(stack.operations(), []);
          await stack.project.refresh({ args: ["--expect-no-changes"] });
          await stack.project.destroy();
          assert.deepEqual(stack.project.state().resources, []);
        } finally {
          await stack.remove();
        }
      });
    }
  });
}
