import assert from "node:assert/strict";
import { isLarge } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const actions = '{ open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } }';
const transform = '(args) => ({ props: { ...args.props, taskId: "template-1" }, opts: args.opts })';
/** Settings that only a transform gives the task of the run. */
const settings = (options: string): string => `
new TaskActionConfig("s", { taskId: "other", actions: ${actions} }, { ${options} });
new CloudRun("r", { taskId: "template-1" });
`;
const named = (suffix: string, head: string, options: string, taskId = "copy.id"): string => `${head}
const options = (name) => (${options});
const copy = new TaskCopy("copy${suffix}", { sourceTaskId: "template-1", taskGroupId: "group-1" }, options("copy"));
new CloudRun("run${suffix}", { taskId: ${taskId} }, options("run"));
`;
const ownProvider = `const config = new pulumi.Config("webextract");
const provider = new (require("pulumi-webextract").Provider)("shop", { baseUrl: config.require("baseUrl"),
  accessToken: config.requireSecret("accessToken"), apiKey: config.requireSecret("apiKey") });`;

for (const [front, native] of Object.entries({ "the classes": "false", ...(isLarge && { "the plugin": "true" }) })) {
  describe(`resource options of a program, with ${front}`, function () {
    this.timeout(240_000);
    let world: World;
    before(async () => {
      const program = named("", "", "{}");
      world = await World.create({ program, path: [pluginFolder()], config: { "webextract:native": native } });
      await world.project.up();
      world.operations();
    });
    after(() => world.remove());

    const refused = async (text: string, reason: RegExp): Promise<void> => {
      world.program(named("", "", "{}") + text);
      for (const command of ["preview", "up"] as const) {
        const { output } = await world.project[command]({ expect: "failure" });
        assert.match(output, reason);
        assert.doesNotMatch(output, /^\s+at /m);
      }
      assert.deepEqual(world.operations(), []);
    };

    it("refuse a transform that changes the task of settings, before its run starts", async () => {
      const reason = /taskId.* was changed by a transform.* Give this taskId in the arguments of the resource/;
      await refused(settings(`transformations: [${transform}]`), reason);
      await refused(settings(`transforms: [async ${transform}]`), reason);
    });

    it("start no run of a program that is refused for what it declares later, also without a preview", async () => {
      const run = 'const paid = new CloudRun("paid", { taskId: "template-1" });';
      const late = `new TaskActionConfig("s", { taskId: "template-1", actions: ${actions} });`;
      await refused(run + late, /TaskActionConfig "s" configures the task of CloudRun "paid"/);
      const rows = ["one", "two"].map(
        (name) => `new DataExport("${name}", { taskId: "template-1", lotNo: paid.id, path: "x.ndjson" });`,
      );
      await refused(run + rows.join(""), /which is the file of DataExport "one" too/);
    });

    it("name a taskId that the program never resolves, and delete nothing", async () => {
      await refused(
        `const [id, resolve] = pulumi.deferredOutput();
const settings = new TaskActionConfig("s", { taskId: id, actions: ${actions} });
const later = new CloudRun("later", { taskId: copy.id });
resolve(later.taskId.apply((taskId) => taskId));`,
        /CloudRun "later" has waited for the taskId of TaskActionConfig "s", which is declared before it/,
      );
      assert.ok(world.project.resource("run").id);
    });

    it("rename resources, move them into a component and to a provider of their own, and ignore another taskId, in one step", async () => {
      const component = `${ownProvider}\nconst parent = new pulumi.ComponentResource("my:Shop", "shop");`;
      const alias = "{ name, parent: pulumi.rootStackResource }";
      const options = `{ aliases: [${alias}], parent, provider, ignoreChanges: ['["taskId"]'] }`;
      world.program(named("-new", component, options, '"template-1"'));
      const before = [world.project.resource("copy").id, world.project.resource("run").id];
      await world.project.up();
      assert.deepEqual([world.project.resource("copy-new").id, world.project.resource("run-new").id], before);
      assert.deepEqual(world.operations(), []);
    });
  });
}
