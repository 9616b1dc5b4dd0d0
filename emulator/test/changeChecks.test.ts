import assert from "node:assert/strict";
import type { Emulator, Seed, SeedAction, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { admin, refusalOf } from "./admin/adminCaller";
import { runTemplate, template, useEmulator } from "./caller";

const action: SeedAction = { actionType: "LoopAction", actionId: "a" };
const task: SeedTask = { taskId: "t", taskGroupId: "group", actions: [] };

/** Tasks that no emulator can hold beside the template, with the problem. */
const wrongTasks: [string, object, RegExp][] = [
  ["an id that exists", { ...task, taskId: "template" }, /task template is there/],
  ["an action id twice", { ...task, actions: [action, action] }, /task t has action a twice/],
  ["an empty id", { ...task, taskId: "" }, /taskId/],
  ["no actions", { taskId: "t", taskGroupId: "group" }, /actions/],
  ["an unknown field", { ...task, rows: 3 }, /rows/],
  [
    "a property that is no string",
    { ...task, actions: [{ ...action, properties: { P: 1 } }] },
    /properties\W+P.*string/,
  ],
  ["a negative number of rows", { ...task, syntheticRows: -1 }, /syntheticRows/],
  ["subtasks of no pages", { ...task, urlsPerSubtask: 0 }, /urlsPerSubtask/],
];

describe("the emulator's checks of what it is given", () => {
  const emulator = useEmulator();

  for (const [name, wrong, problem] of wrongTasks) {
    it(`are the same in a seed and in a change: a task with ${name}`, async () => {
      const before = emulator.exportState();
      const seed = { taskGroups: [{ taskGroupId: "group" }], tasks: [template, wrong] } as Seed;
      await assert.rejects(startEmulator({ seed }), problem);
      await assert.rejects(emulator.seed(seed), problem);
      assert.match(await refusalOf(emulator, "/seed", { body: seed }), problem);
      assert.throws(() => emulator.change.addTask(wrong as SeedTask), problem);
      assert.match(await refusalOf(emulator, "/changes", { body: { change: "addTask", task: wrong } }), problem);
      assert.deepEqual(emulator.exportState(), before);
    });
  }

  it("refuse what a change of a task or a batch cannot mean, and change nothing", async () => {
    emulator.change.addTask(task);
    const lotNo = await runTemplate(emulator);
    const before = emulator.exportState();
    const wrong: [object, RegExp][] = [
      [{ change: "addAction", taskId: "template", action: { actionType: "X", actionId: "open" } }, /action open twice/],
      [{ change: "addAction", taskId: "template", action: { actionType: "", actionId: "new" } }, /actionType/],
      [{ change: "insertRows", taskId: "t", rows: [{}], lotNo }, new RegExp(`batch ${lotNo} is of task template`)],
      [{ change: "insertRows", taskId: "t", rows: [{}], lotNo: "1" }, /no batch 1/],
      [{ change: "insertRows", taskId: "t", rows: [{}, null] }, /rows.1/],
      [{ change: "insertRows", taskId: "t", rows: ["{} {}"] }, /rows.0 must be an object or the JSON text of one/],
      [{ change: "stopRun", lotNo: "1" }, /no batch 1/],
      [{ change: "continueRun", lotNo: "1" }, /no batch 1/],
      [{ change: "setSubtaskStatus", lotNo, status: "stopped", subTaskIds: ["nope"] }, /has no subtask nope/],
      [{ change: "setProperty", taskId: "template", actionId: "open", name: "P", value: 1 }, /value|P must be string/],
      [{ change: "setLoopItems", taskId: "template", actionId: "loop", loopItems: [1] }, /loopItems/],
      [{ change: "setStartUrls", taskId: "template", urls: [null] }, /urls|startUrls/],
      [{ change: "addAccount", name: "main" }, /account main is there already/],
    ];
    for (const [body, problem] of wrong) {
      assert.match(await refusalOf(emulator, "/changes", { body }), problem);
      assert.throws(() => change(emulator, body), problem);
      assert.deepEqual(emulator.exportState(), before, JSON.stringify(body));
    }
  });

  it("refuse a document that contradicts itself", async () => {
    emulator.change.addTask(task);
    const lotNo = await runTemplate(emulator);
    emulator.change.insertRows("template", [{ a: 1 }]);
    const valid = emulator.exportState();
    const [run] = valid.runs;
    assert.ok(run !== undefined);
    const withRun = (changes: object) => ({ ...valid, runs: [{ ...run, ...changes }] });
    const wrong: [object, RegExp][] = [
      [{ ...valid, groups: [...valid.groups, ...valid.groups] }, /task group group is there twice/],
      [{ ...valid, tasks: [...valid.tasks, ...valid.tasks] }, /task template is there twice/],
      [{ ...valid, runs: [run, run] }, new RegExp(`batch ${lotNo} is there twice`)],
      [{ ...valid, tasks: [] }, new RegExp(`batch ${lotNo} is of the unknown task template`)],
      [withRun({ subtasks: [...run.subtasks, ...run.subtasks] }), /subtask .* is there twice/],
      [withRun({ rows: { generated: 0, texts: ["[1]"] } }), /\/runs\/0 has a row that is no JSON object/],
      [withRun({ rows: { generated: -1, texts: [] } }), /generated must be at least 0/],
      [withRun({ exported: [[0, 99]] }), /has marks of rows that it does not have/],
      [withRun({ handedOut: [[-1, 2]] }), /has marks of rows that it does not have/],
    ];
    for (const [body, problem] of wrong) {
      assert.match(await refusalOf(emulator, "/state", { method: "PUT", body }), problem);
      assert.deepEqual(emulator.exportState(), valid);
    }
    assert.equal((await admin(emulator, "/state", { method: "PUT", body: valid })).status, 204);
  });
});

/** The same change by the member of the emulator. */
function change({ change: changes }: Emulator, body: object): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: the fields are wrong on purpose
  const fields = body as any;
  switch (fields.change) {
    case "addAction":
      return changes.addAction(fields.taskId, fields.action);
    case "insertRows":
      return changes.insertRows(fields.taskId, fields.rows, fields.lotNo);
    case "stopRun":
      return changes.stopRun(fields.lotNo);
    case "continueRun":
      return changes.continueRun(fields.lotNo);
    case "setSubtaskStatus":
      return changes.setSubtaskStatus(fields.lotNo, fields.status, fields.subTaskIds);
    case "setProperty":
      return changes.setProperty(fields.taskId, fields.actionId, fields.name, fields.value);
    case "setLoopItems":
      return changes.setLoopItems(fields.taskId, fields.actionId, fields.loopItems);
    case "setStartUrls":
      return changes.setStartUrls(fields.taskId, fields.urls);
    default:
      return changes.addAccount(fields.name);
  }
}
