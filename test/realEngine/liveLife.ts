import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "webextract-emulator";
import { defaultBehaviour } from "webextract-emulator";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

/** Each behaviour that operators report, alone. */
export const reported: readonly Partial<Behaviour>[] = [
  { loopsInActions: "ignored", loopTypeWritten: "strict", loopTypeRead: "upperUrl" },
  { loopsInActions: "ignored", updatedParameters: "empty" },
  { loopsInActions: "repeatedOnly" },
  { updatedParameters: "lists" },
  { updatedParameters: "counts" },
  { successBody: "nullData" },
  { successBody: "words" },
  { successBody: "wordsWithoutData" },
  { rowOrder: "newestFirst" },
  { rowsWhileReading: 1 },
  { rowOrder: "newestFirst", rowsWhileReading: 1 },
  { rowOrder: "newestFirst", rowsWhileReading: 1, offsetResponse: "cursor", endOfData: "emptyPage" },
  { batchRows: "distinct" },
  { bothCredentials: "refused", credentialAcceptance: "either" },
  { urlsFileTaskId: "query" },
  { otherMarks: "half" },
  { otherMarks: "all" },
];

/** Those that do not exclude each other, at once. */
export const together: Partial<Behaviour> = {
  loopsInActions: "ignored",
  loopTypeWritten: "strict",
  updatedParameters: "lists",
  successBody: "wordsWithoutData",
  rowOrder: "newestFirst",
  rowsWhileReading: 1,
  batchRows: "distinct",
  bothCredentials: "refused",
  urlsFileTaskId: "query",
  otherMarks: "half",
};

const program = (n: number, items: readonly string[], hasLotNo = true): string => `
const actions = (items) => ({
  open: { actionType: "NavigateAction", properties: { Wait: "${n}" } },
  each: { actionType: "LoopAction", loop: { loopType: "URLList", items } } });
const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };
const whole = new ExtractionTask("whole-${n}", { from, actions: actions(${JSON.stringify(items)}), startUrls: { urls: ["https://a.test/start"] } });
const copy = new TaskCopy("copy-${n}", from);
new TaskParameters("parameters-${n}", { taskId: copy.id, actions: actions(${JSON.stringify(items)}) });
const run = new CloudRun("run-${n}", { taskId: whole.id, waitFor: "finished", pollSeconds: 0 });
const batch = ${hasLotNo ? `new DataExport("batch-${n}", { taskId: whole.id, scope: "batch", lotNo: run.id, path: "out/${n}-batch.ndjson" })` : "run"};
const all = new DataExport("all-${n}", { taskId: whole.id, scope: "all", path: "out/${n}-all.ndjson" }, { dependsOn: [batch] });
new DataExport("left-${n}", { taskId: whole.id, scope: "notExported", path: "out/${n}-{n}.ndjson", markExported: true }, { dependsOn: [all] });
exports.tasks = [whole.taskId, copy.taskId];
exports.lotNo = run.lotNo;
`;

/** A project whose service behaves in another way in each of its ups, in which all resources are new. */
export class LiveWorld {
  private lives = 0;

  private constructor(readonly world: World) {}

  static async create(engine: "dynamic" | "native"): Promise<LiveWorld> {
    const isNative = engine === "native";
    const world = await World.create({
      program: "",
      config: {
        // Others add rows between the pages.
        "webextract:pageSize": "10",
        "webextract:markScope": "returned",
        "webextract:forceDestroy": "true",
        ...(isNative && { "webextract:native": "true" }),
      },
      ...(isNative && { path: [pluginFolder()] }),
    });
    return new LiveWorld(world);
  }

  private behave(behaviour: Partial<Behaviour>): void {
    this.world.emulator.setBehaviour({ ...defaultBehaviour(), markScope: "returned", ...behaviour });
  }

  /** The next up. */
  async live(behaviour: Partial<Behaviour>): Promise<void> {
    const { emulator, project } = this.world;
    this.behave(behaviour);
    this.lives += 1;
    const items = [`https://a.test/${this.lives}`, "https://a.test/last"];
    const hasLotNo = (behaviour.startResponse ?? "data") === "data";
    await project.configure({ "webextract:startsWithoutLotNo": String(!hasLotNo) });
    this.world.program(program(this.lives, items, hasLotNo));
    emulator.clearRequests();
    const { output } = await project.up();
    const { tasks, lotNo } = (await project.outputs()) as { tasks: string[]; lotNo: string };
    for (const taskId of tasks) {
      const [open, each] = emulator.inspect.task(taskId)?.actions ?? [];
      assert.deepEqual([open?.properties.Wait, each?.loopItems], [String(this.lives), items]);
    }
    const [taskId = ""] = tasks;
    assert.deepEqual(emulator.inspect.startUrls(taskId), ["https://a.test/start"]);
    assert.equal(emulator.inspect.runs(taskId).length, 1);
    assert.doesNotMatch(output, /warning: .*updateLoopItems/);
    assert.equal(lotNo === emulator.inspect.runs(taskId)[0]?.lotNo, hasLotNo, lotNo);
    this.checkRows(taskId, hasLotNo ? ["batch", "all"] : ["all"], output);

    emulator.clearRequests();
    await project.up({ args: ["--expect-no-changes"] });
    assert.deepEqual(emulator.requests, [], "an unchanged up asks nothing");
  }

  private checkRows(taskId: string, scopes: readonly ("batch" | "all")[], output: string): void {
    const { emulator } = this.world;
    const held = emulator.inspect.rowsWithMarks(taskId);
    const texts = held.map(({ row }) => JSON.stringify(row));
    const { otherMarks } = emulator.behaviour;
    for (const scope of scopes) {
      const { lines, complete } = this.exported(scope);
      assert.equal(new Set(lines).size, lines.length, `${scope}: each row once`);
      assert.ok(lines.every((line) => texts.includes(line)));
      // A file has the first rows of the service: later ones have arrived after its last page.
      const missing = texts.slice(0, scope === "batch" ? 25 : lines.length).filter((text) => !lines.includes(text));
      assert.deepEqual([missing, complete], [[], true], `${scope}: no row is missing`);
    }
    const byOthers = { none: 0, half: Math.floor(held.length / 2), all: held.length }[otherMarks];
    assert.deepEqual(this.exported("left").lines, texts.slice(byOthers));
    assert.ok(held.every(({ exported }) => exported));
    assert.equal(/Everybody who uses the task shares the marks/.test(output), byOthers === held.length);
  }

  private exported(name: string): { lines: string[]; complete: unknown } {
    const { project } = this.world;
    const { file, complete } = project.resource(`${name}-${this.lives}`).outputs ?? {};
    const content = readFileSync(join(project.folder, String(file)), "utf8");
    return { lines: content === "" ? [] : content.trimEnd().split("\n"), complete };
  }

  /** An up that must fail with a message. @returns the output. */
  async fails(behaviour: Partial<Behaviour>): Promise<string> {
    this.behave(behaviour);
    this.lives += 1;
    this.world.program(program(this.lives, ["https://a.test/1"]));
    this.world.emulator.clearRequests();
    return (await this.world.project.up({ expect: "failure" })).output;
  }

  /** Removes the rows of all tasks, under this behaviour. */
  async destroy(behaviour: Partial<Behaviour>): Promise<void> {
    const { emulator, project } = this.world;
    this.behave(behaviour);
    await project.destroy();
    for (const { taskId } of emulator.inspect.tasks()) {
      assert.equal(emulator.inspect.visibleCount(taskId), 0);
    }
  }
}
