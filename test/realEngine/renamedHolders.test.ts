import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLarge, slowIt } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { template, World } from "./world";

const [first] = template.tasks ?? [];
const seed = { ...template, tasks: [first, { ...first, taskId: "template-2" }] } as typeof template;

/** All resources of a task whose delete can undo something, under names that begin with `name`. */
const program = (name: string, adoptLotNo?: string, more = ""): string => `
const task = new ExtractionTask("${name}-task", { from: { adoptTaskId: "template-1" }, onDelete: "removeData", forceDestroy: true });
const run = new CloudRun("${name}-run", { taskId: task.id, waitFor: "finished", pollSeconds: 0.1, onDelete: "stop", adoptLotNo: ${JSON.stringify(adoptLotNo)} });
const rows = { taskId: task.id, format: "ndjson", onDelete: "removeFile" };
const marked = new DataExport("${name}-marked", { ...rows, scope: "notExported", path: "rows/{n}.ndjson", markExported: true });
new DataExport("${name}-batch", { ...rows, scope: "batch", lotNo: run.id, path: "rows/all.ndjson" });
${more}
`;

/** Settings that are restored, and that each other `trigger` replaces: the new instance first. */
const settings = (trigger: string, name = ""): string => `
const restored = { taskId: "template-2", onDelete: "restore" };
const replaced = { replacementTrigger: "${trigger}" };
const written = [
  new TaskActionConfig("${name}settings", { ...restored, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } } }, replaced),
  new TaskLoopItems("${name}loop", { ...restored, actionId: "each", loopType: "UrlList", items: ["https://new.test/item"] }, replaced),
];
`;

for (const kind of isLarge ? ["dynamic", "native"] : ["native"]) {
  describe(`resources that get other names, as ${kind} classes`, () => {
    let world: World;
    before(async () => {
      world = await World.create({
        seed,
        program: program("old", undefined, settings("one")),
        path: [pluginFolder()],
        config: { "webextract:native": String(kind === "native") },
      });
      await world.project.up();
      world.operations();
    });
    after(() => world.remove());

    it("keep settings that a failed command has replaced, when the next one deletes the old instances", async () => {
      const fails =
        'new TaskStartUrls("fails", { taskId: "none", urls: ["https://a.test/"] }, { dependsOn: written });';
      world.program(program("old", undefined, settings("two") + fails));
      await world.project.up({ expect: "failure" });
      const before = world.emulator.inspect.task("template-2");
      world.program(program("old", undefined, settings("two")));
      const { output } = await world.project.up();
      assert.match(output, /TaskActionConfig settings deleted original/);
      assert.match(output, /Task "template-2" keeps the present values of open\.Url: they were not restored/);
      const [open, each] = world.emulator.inspect.task("template-2")?.actions ?? [];
      assert.equal(open?.properties?.Url, "https://new.test/");
      assert.deepEqual(each?.loopItems, ["https://new.test/item"]);
      assert.deepEqual(world.emulator.inspect.task("template-2"), before);
    });

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

    it("are left as they are by the deletes of the other front, which is another process", async () => {
      world.emulator.change.releaseRuns();
      world.program(program("old", undefined, settings("one")));
      await world.project.up();
      const { lotNo } = world.project.resource("old-run").outputs as { lotNo: string };
      const before = ["template-1", "template-2"].map((taskId) => world.emulator.inspect.task(taskId));
      world.operations();
      await world.project.configure({ "webextract:native": String(kind !== "native") });
      world.program(program("other", lotNo, settings("one", "other-")));
      const { output } = await world.project.up();
      await world.project.configure({ "webextract:native": String(kind === "native") });
      assert.match(output, /resources of the same account belong to .+ run "webextract migrate --to (native|dynamic)"/);
      assert.match(
        output,
        /its rows were not removed, because perhaps another provider of this account has the same task/,
      );
      assert.deepEqual(
        ["template-1", "template-2"].map((taskId) => world.emulator.inspect.task(taskId)),
        before,
      );
      for (const file of ["rows/1.ndjson", "rows/all.ndjson"]) assert.ok(existsSync(join(world.project.folder, file)));
      const sent = world.operations();
      for (const each of ["removeData", "stopSubtasks", "startTask"]) assert.ok(!sent.includes(each), each);
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

    slowIt("lose the rows that a protected resource declares to a destroy with --exclude-protected", async () => {
      world.program(`
const task = new ExtractionTask("task", { from: { adoptTaskId: "template-1" }, onDelete: "removeData", forceDestroy: true });
new DataExport("kept", { taskId: "template-1", scope: "all", path: "rows/kept.ndjson" }, { protect: true });`);
      await world.project.up();
      world.operations();
      const { output } = await world.project.destroy({ args: ["--exclude-protected"] });
      assert.doesNotMatch(output, /was not removed|were not removed/);
      assert.ok(world.operations().includes("removeData"));
      assert.ok(world.project.resource("kept").id);
    });

    slowIt("keep the rows of a task, and the subtasks and the rows of a run, that others still declare", async () => {
      const copy = (group: string, options = "", more = ""): string => `
const task = new TaskCopy("copied", { sourceTaskId: "template-1", taskGroupId: "${group}", forceDestroy: true }, { ${options} });
${more}
new DataExport("kept", { taskId: "template-1", scope: "all", path: "rows/kept.ndjson" });`;
      world.program(copy("group-1"));
      await world.project.up();
      const taskId = world.project.resource("copied").id ?? "";
      world.emulator.change.releaseRuns();
      world.emulator.change.startRun(taskId);
      await world.emulator.settled();
      const adopter = `new ExtractionTask("adopter", { from: { adoptTaskId: "${taskId}" } });`;
      world.operations();
      world.program(copy("group-2", "deleteBeforeReplace: true", adopter));
      const { output } = await world.project.up({ expect: "failure" });
      assert.match(output, /The rows of task ".*" were not removed: the task still has 25 rows/);
      assert.match(output, /Remove deleteBeforeReplace from the options/);
      world.emulator.change.holdRuns();
      const run = `
const run = new CloudRun("run", { taskId: "template-2", onDelete: "stop", pollSeconds: 0.1 });
new DataExport("moved", { taskId: "template-1", scope: "all", path: "rows/moved.ndjson" });`;
      world.program(copy("group-2", "", adopter + run));
      const second = await world.project.up();
      assert.match(second.output, /its rows were not removed, because ExtractionTask "adopter" has the same task/);
      const lotNo = world.project.resource("run").id ?? "";
      const ids = world.emulator.inspect.run(lotNo)?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
      const wanted = `
new CloudSubtasks("wanted", { taskId: "template-2", subTaskIds: ["${ids[0]}"], desired: "started" });
new DataExport("moved", { taskId: "template-1", scope: "all", path: "rows/elsewhere.ndjson" });
new DataExport("follows", { taskId: "template-1", scope: "all", path: "rows/moved.ndjson" });`;
      assert.ok(!world.operations().includes("removeData"));
      world.emulator.clearRequests();
      world.program(copy("group-2", "", adopter + wanted));
      const third = await world.project.run(["up", "--yes"]);
      assert.match(third.output, /was stopped without its subtask ".*": CloudSubtasks "wanted" wants it started/);
      const stops = world.emulator.requests.filter(({ operation }) => operation === "stopSubtasks");
      assert.deepEqual(
        stops.map(({ body }) => body),
        [{ taskId: "template-2", subTaskIds: ids.slice(1) }],
      );
      for (const name of ["moved", "elsewhere"]) {
        assert.ok(existsSync(join(world.project.folder, `rows/${name}.ndjson`)));
      }
    });
  });
}
