import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "webextract-emulator";
import { defaultBehaviour } from "webextract-emulator";
import { program as webextract } from "../../cli/test/webextract";
import { World } from "./world";

/** Behaviours that need settings, together. */
const services: Partial<Behaviour>[] = [
  {
    ...{ refreshPath: "tokenRefresh", markScope: "returned", statusWords: "unknown", loopsInActions: "ignored" },
    ...{ credentialAcceptance: "bearerOnUpload", dataPageMax: 20, rowOrder: "newestFirst" },
  },
  // Not splitting=never: the probe would wait for minutes before it gives the list up.
  { rowsArriveLate: 3, markScope: "returned", successBody: "words", changeWhileRunning: "refused" },
];

const programFor = (finishedWhen: string, n: number): string => `
const task = new ExtractionTask("task-${n}", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: { each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://a.test/1"] } } },
  startUrls: { urls: ["https://a.test/start"] },
  forceDestroy: true,
});
const run = new CloudRun("run-${n}", { taskId: task.id, waitFor: "finished", finishedWhen: "${finishedWhen}", pollSeconds: 0, settleSeconds: 1 });
new DataExport("rows-${n}", { taskId: task.id, scope: "notExported", path: "out/${n}-{n}.ndjson", markExported: true }, { dependsOn: [run] });
`;

describe("a project with the settings of webextract probe --write --start", function () {
  this.timeout(240_000);
  let world: World;
  before(async () => {
    world = await World.create({ program: "" });
    await world.project.shell("pulumi stack select dev");
  });
  after(() => world.remove());

  for (const [n, behaviour] of services.entries()) {
    it(`creates, runs and exports with marks: ${Object.keys(behaviour).join(", ")}`, async () => {
      const { emulator, project } = world;
      emulator.setBehaviour({ ...defaultBehaviour(), ...behaviour });
      const line = "probe --write --from template-1 --group group-2 --start --yes --out probed";
      const { output } = await project.node([webextract, ...line.split(" ")]);
      assert.match(output, /The package handles everything that was seen, or a setting fits\./, output);
      const commands = readFileSync(join(project.folder, "probed/config.sh"), "utf8");
      await project.shell("sh probed/config.sh");
      const finishedWhen = /^# In the program: finishedWhen/m.test(commands) ? "rowsSettled" : "subtasks";
      world.program(programFor(finishedWhen, n));
      await project.up();
      const { taskId, file, marked } = project.resource(`rows-${n}`).outputs as Record<string, string>;
      assert.ok(marked);
      const marks = emulator.inspect.rowsWithMarks(taskId ?? "").filter(({ exported }) => exported).length;
      assert.equal(
        readFileSync(join(project.folder, file ?? ""), "utf8")
          .trimEnd()
          .split("\n").length,
        25,
      );
      assert.equal(marks, 25);
      rmSync(join(project.folder, "probed"), { recursive: true });
    });
  }
});
