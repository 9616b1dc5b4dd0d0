import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginFolder } from "./plugin/nativeWorld";
import { slowIt } from "./slowIt";
import { World } from "./world";

/** All resources of a task whose delete can undo something, under names that begin with `name`. */
const program = (name: string, adoptLotNo?: string, more = ""): string => `
const task = new ExtractionTask("${name}-task", { from: { adoptTaskId: "template-1" }, onDelete: "removeData", forceDestroy: true });
const run = new CloudRun("${name}-run", { taskId: task.id, waitFor: "finished", pollSeconds: 0.1, onDelete: "stop", adoptLotNo: ${JSON.stringify(adoptLotNo)} });
const rows = { taskId: task.id, format: "ndjson", onDelete: "removeFile" };
const marked = new DataExport("${name}-marked", { ...rows, scope: "notExported", path: "rows/{n}.ndjson", markExported: true });
new DataExport("${name}-batch", { ...rows, scope: "batch", lotNo: run.id, path: "rows/all.ndjson" });
${more}
`;

for (const kind of ["dynamic", "native"]) {
  describe(`resources that get other names, as ${kind} classes`, () => {
    let world: World;
    before(async () => {
      world = await World.create({
        program: program("old"),
        path: kind === "native" ? [pluginFolder()] : [],
        config: { "webextract:native": String(kind === "native") },
      });
      await world.project.up();
      world.operations();
    });
    after(() => world.remove());

    it("keep the marked rows, the files and the run, and each warning names the one that has them", async () => {
      const { lotNo } = world.project.resource("old-run").outputs as { lotNo: string };
      world.program(program("new", lotNo));
      const { output } = await world.project.up();
      assert.match(output, /its rows were not removed, because (ExtractionTask|CloudRun|DataExport) "new-/);
      assert.match(output, /was not stopped: CloudRun "new-run" has the same run/);
      assert.match(output, /The file "rows\/1\.ndjson" was not removed: DataExport "new-marked" has the same path/);
      assert.match(output, /The file "rows\/all\.ndjson" was not removed: DataExport "new-batch" has the same path/);
      for (const file of ["rows/1.ndjson", "rows/all.ndjson"]) {
        assert.equal(readFileSync(join(world.project.folder, file), "utf8").trim().split("\n").length, 25);
      }
      const operations = world.operations();
      assert.deepEqual(
        operations.filter((each) => ["removeData", "stopSubtasks", "startTask"].includes(each)),
        [],
      );
    });

    it("are refused in the preview where a second export has the file of one, however it is spelled", async () => {
      const { lotNo } = world.project.resource("new-run").outputs as { lotNo: string };
      const other = 'new DataExport("other", { ...rows, scope: "all", path: pulumi.output("rows//all.ndjson") });';
      world.operations();
      world.program(program("new", lotNo, other));
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /leads to ".*rows\/all\.ndjson", which is the file of DataExport "(new-batch|other)" too/);
      assert.deepEqual(world.operations(), []);
    });

    it("stop the run of one of them, and not the other, if one has an old run", async () => {
      const old = (world.project.resource("new-run").outputs as { lotNo: string }).lotNo;
      world.emulator.change.holdRuns();
      const own =
        'new CloudRun("own", { taskId: task.id, onDelete: "stop", pollSeconds: 0.1 }, { dependsOn: [marked] });';
      world.program(program("new", old, own));
      await world.project.up();
      const lotNo = world.project.resource("own").id ?? "";
      world.emulator.clearRequests();
      await world.project.destroy();
      const stops = world.emulator.requests.filter(({ operation }) => operation === "stopSubtasks");
      const ids = world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId);
      assert.deepEqual(
        stops.map(({ body }) => body),
        [{ taskId: "template-1", subTaskIds: ids }],
      );
    });

    slowIt(
      "lose their file to the delete of the old name if it is the only target, and the next up writes it",
      async () => {
        const rows = (name: string) =>
          `new DataExport("${name}", { taskId: "template-1", scope: "all", path: "rows/all.ndjson", onDelete: "removeFile" });`;
        const file = join(world.project.folder, "rows/all.ndjson");
        world.program(rows("old"));
        await world.project.up();
        world.program(rows("new"));
        await world.project.up({ args: ["--target", world.project.resource("old").urn] });
        assert.ok(!existsSync(file));
        await world.project.up();
        assert.ok(existsSync(file));
      },
    );
  });
}
