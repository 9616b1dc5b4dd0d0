import assert from "node:assert/strict";
import { isLarge } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { template, World } from "./world";

const forms = ["id", "resource", "interpolate", "apply", "all", "output", "promise", "secret"];
const profiles = {
  none: "undefined",
  name: '"main"',
  output: 'pulumi.output("main")',
  secret: 'pulumi.secret("main")',
};
const written = Object.keys(profiles);

/**
 * For each way to write an id or a profile: a task whose settings and run have the id as the copy gives it and in that
 * way, and a task with a known id in one account, whose settings and run name it in different ways.
 */
const program = `
const config = new pulumi.Config();
const open = { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } };
const urls = { urls: ["https://new.test/a"] };
const again = {};
const run = { ...again, waitFor: "finished", pollSeconds: 0.1 };
const forms = {
  id: ({ id }) => id, resource: (copy) => copy, interpolate: ({ id }) => pulumi.interpolate\`\${id}\`, apply: ({ id }) => id.apply((x) => x),
  all: ({ id }) => pulumi.all([id]).apply(([x]) => x), output: ({ id }) => pulumi.output(id), promise: ({ id }) => Promise.resolve(id),
  secret: ({ id }) => pulumi.secret(id),
};
const settings = (name, one, other) => {
  new TaskStartUrls(name, { ...one, ...urls });
  new TaskActionConfig(name, { ...other, actions: open });
};
const rows = {};
const paid = (name, one, other) => {
  new CloudRun(name, { ...one, ...run });
  const read = new DataExport(name, { ...again, ...other, scope: "all", path: "rows/" + name + ".ndjson" });
  exports[name] = read.rowCount;
};
for (const [form, idOf] of Object.entries(forms)) {
  const copy = new TaskCopy(form, { sourceTaskId: "template-1", taskGroupId: "group-1" });
  settings(form, { taskId: copy.id }, { taskId: idOf(copy) });
  paid(form, { taskId: idOf(copy) }, { taskId: copy.id });
  exports["id-" + form] = copy.id;
}
for (const [form, profile] of Object.entries({ ${Object.entries(profiles)
  .map((entry) => entry.join(": "))
  .join(", ")} })) {
  const taskId = "task-" + form;
  settings("profile-" + form, { taskId }, { taskId, profile: "main" });
  paid("profile-" + form, { taskId, profile }, { taskId: config.requireSecret("id-" + form), profile: "same" });
}
`;

const tasks = ["template-1", ...written.map((form) => `task-${form}`)];
const seed = { ...template, tasks: tasks.flatMap((taskId) => template.tasks.map((task) => ({ ...task, taskId }))) };

for (const front of isLarge ? ["dynamic resources", "the native plugin"] : ["dynamic resources"]) {
  describe(`the order of the resources of a task, however its id and its profile are written, with ${front}`, function () {
    this.timeout(240_000);
    let world: World;
    before(async () => {
      world = await World.create({
        program,
        seed,
        ...(front === "the native plugin" && { path: [pluginFolder()], config: { "webextract:native": "true" } }),
        secrets: Object.fromEntries(written.map((form) => [`test:id-${form}`, `task-${form}`])),
      });
      const account = JSON.stringify({
        accessToken: world.emulator.credentials.accessToken,
        apiKey: world.emulator.credentials.apiKey,
      });
      await world.project.configure({}, { "webextract:profiles": `{"main":${account},"same":${account}}` });
    });
    after(() => world.remove());

    it("is settings, start, rows, in the first up and after a change of all", async () => {
      const { project, emulator } = world;
      const ordered = async (): Promise<void> => {
        await project.up({ args: ["--parallel", "200"] });
        const outputs = await project.outputs();
        const ofTask = (taskId: unknown): string[] =>
          emulator.requests
            .filter(({ body, query }) => (body as { taskId?: unknown })?.taskId === taskId || query.taskId === taskId)
            .map(({ operation }) => operation)
            .filter((name) => ["updateActionProperties", "updateTaskUrls", "startTask", "getData"].includes(name));
        const named = [
          ...forms.map((form) => [form, outputs[`id-${form}`]]),
          ...written.map((form) => [`profile-${form}`, `task-${form}`]),
        ];
        for (const [name, taskId] of named) {
          const [first, second, start, ...reads] = ofTask(taskId);
          assert.deepEqual([first, second].sort(), ["updateActionProperties", "updateTaskUrls"], String(name));
          assert.equal(start, "startTask", String(name));
          assert.deepEqual([...new Set(reads)], ["getData"], String(name));
        }
        emulator.clearRequests();
      };
      await ordered();
      world.program(
        program.replaceAll("new.test", "newer.test").replace("again = {}", 'again = { triggers: ["again"] }'),
      );
      await ordered();
    });
  });

  describe(`settings that an earlier up has not written all, with ${front}`, function () {
    this.timeout(120_000);
    let world: World;
    after(() => world.remove());

    it("have no start before them, also with --target and --exclude, and one after them", async () => {
      world = await World.create({
        config: { "webextract:native": String(front === "the native plugin") },
        ...(front === "the native plugin" && { path: [pluginFolder()] }),
        program: `
        const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } };
        const task = new ExtractionTask("task", { from: { sourceTaskId: "template-1", taskGroupId: "group-1" }, actions });
        new CloudRun("run", { taskId: task.id, rerunOn: [task] });`,
      });
      const { project, emulator } = world;
      emulator.fault({ operation: "updateTaskParameters", kind: "error", code: "InvalidParameter" });
      await project.up({ expect: "failure" });
      emulator.clearFaults();
      emulator.clearRequests();
      for (const args of [
        ["--target", "**run"],
        ["--exclude", "**task"],
      ]) {
        const { output } = await project.up({ args, expect: "failure" });
        assert.match(
          output,
          /CloudRun "run" was not started: an earlier up has not written all of ExtractionTask "task"/,
        );
      }
      assert.ok(!emulator.requests.some(({ operation }) => operation === "startTask"));
      await project.up();
      const sent = emulator.requests.map(({ operation }) => operation);
      assert.deepEqual(
        sent.filter((name) => /^(update|start)/.test(name)),
        ["updateTaskParameters", "startTask"],
      );
    });
  });
}
