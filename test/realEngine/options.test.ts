import assert from "node:assert/strict";
import { World } from "./world";

interface Options {
  copy?: string;
  settings?: string;
  loop?: string;
  urls?: string;
  run?: string;
}

interface Declared {
  group?: string;
  url?: string;
  wait?: string;
  items?: string[];
  startUrls?: string[];
  trigger?: string;
  names?: Options;
  before?: string;
}

/** A configured task and its run, with resource options. */
function program(declared: Declared = {}, options: Options = {}): string {
  const { group = "group-1", url = "https://shop.test/", wait = "3", trigger = "monday", before = "" } = declared;
  const { items = ["red", "green"], startUrls = ["https://shop.test/a"], names = {} } = declared;
  const named = (name: keyof Options): string => `"${names[name] ?? name}"`;
  const opts = (name: keyof Options): string => `{ ${options[name] ?? ""} }`;
  return `${before}
const copy = new TaskCopy(${named("copy")}, { sourceTaskId: "template-1", taskGroupId: "${group}" }, ${opts("copy")});
new TaskActionConfig(${named("settings")}, { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}", Wait: "${wait}" } } } }, ${opts("settings")});
new TaskLoopItems(${named("loop")}, { taskId: copy.id, actionId: "each", loopType: "TextList",
  items: ${JSON.stringify(items)} }, ${opts("loop")});
new TaskStartUrls(${named("urls")}, { taskId: copy.id, urls: ${JSON.stringify(startUrls)} }, ${opts("urls")});
new CloudRun(${named("run")}, { taskId: copy.id, triggers: { day: "${trigger}" }, onDelete: "stop", pollSeconds: 0 }, ${opts("run")});
`;
}

const changed: Declared = {
  url: "https://shop.test/new",
  wait: "4",
  items: ["red", "green", "blue"],
  startUrls: ["https://shop.test/b"],
  trigger: "tuesday",
};

describe("options of resources on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: program(), emulator: { behaviour: { readsUntilFinished: 1000 } } });
    await world.project.up();
    world.operations();
  });
  after(() => world.remove());

  const idOf = (name: string): string => String(world.project.resource(name).id);
  /** The operations that an up to a program requests. */
  const up = async (text: string): Promise<string[]> => {
    world.program(text);
    await world.project.up();
    return world.operations();
  };
  const property = (name: string): string | undefined =>
    world.emulator.inspect.task(idOf("copy"))?.actions[0]?.properties[name];

  it("ignoreChanges keeps a nested property, lists and triggers as they were sent, and applies all other changes", async () => {
    const ignoring = {
      settings: 'ignoreChanges: ["actions.open.properties.Url"]',
      loop: 'ignoreChanges: ["items"]',
      urls: 'ignoreChanges: ["urls"]',
      run: 'ignoreChanges: ["triggers"]',
    };
    assert.deepEqual(await up(program(changed, ignoring)), ["updateActionProperties"]);
    assert.deepEqual([property("Url"), property("Wait")], ["https://shop.test/", "4"]);
    const { inputs } = world.project.resource("loop");
    assert.deepEqual([inputs?.items, inputs?.count], ["red\ngreen\n", 2]);
    assert.deepEqual(await up(program(changed, ignoring)), []);
    assert.deepEqual((await up(program(changed, { run: ignoring.run }))).sort(), [
      "updateActionProperties",
      "updateLoopItems",
      "updateTaskUrls",
    ]);
    assert.equal(property("Url"), "https://shop.test/new");
  });

  it("replaceOnChanges replaces a setting with one write, and replaces a run by stopping it and starting another", async () => {
    const declared = { ...changed, trigger: "monday" };
    world.program(program({ ...declared, items: ["red"] }, { loop: 'replaceOnChanges: ["items"]' }));
    const { steps } = await world.project.previewJson();
    assert.deepEqual(
      steps
        .filter(({ op }) => op === "replace")
        .map(({ urn, replaceReasons }) => [urn.split("::").at(-1), replaceReasons]),
      [["loop", ["items"]]],
    );
    await world.project.up();
    assert.deepEqual(world.operations(), ["getActions", "updateLoopItems"]);
    const before = idOf("run");
    const patient = program({ ...declared, items: ["red"] }).replace("pollSeconds: 0", "pollSeconds: 0.01");
    const operations = await up(patient.replace(/\{ +\}\);\n$/, '{ replaceOnChanges: ["pollSeconds"] });\n'));
    assert.deepEqual(
      operations.filter((name) => name !== "getSubtasks"),
      ["stopSubtasks", "startTask"],
    );
    assert.notEqual(idOf("run"), before);
  });

  it("a targeted replace of a run stops the old run first, and never stops the new run", async () => {
    const before = idOf("run");
    await world.project.up({ args: ["--replace", world.project.resource("run").urn] });
    const operations = world.operations().filter((name) => name !== "getSubtasks");
    assert.deepEqual(operations, ["stopSubtasks", "startTask"]);
    assert.notEqual(idOf("run"), before);
  });

  it("aliases keep a renamed resource and a resource that moves under a component, without a request", async () => {
    await up(program());
    const ids = [idOf("copy"), idOf("run")];
    const renamed = { names: { copy: "books", settings: "tuning", loop: "colours", urls: "shelves", run: "weekly" } };
    const aliases = Object.fromEntries(
      Object.keys(renamed.names).map((name) => [name, `aliases: [{ name: "${name}" }]`]),
    );
    assert.deepEqual(await up(program(renamed, aliases)), []);
    assert.deepEqual([idOf("books"), idOf("weekly")], ids);
    const parent = 'const shop = new pulumi.ComponentResource("test:Shop", "shop");';
    const moved = Object.fromEntries(
      Object.keys(renamed.names).map((name) => [name, "parent: shop, aliases: [{ parent: pulumi.rootStackResource }]"]),
    );
    assert.deepEqual(await up(program({ ...renamed, before: parent }, moved)), []);
    assert.deepEqual([idOf("books"), idOf("weekly")], ids);
    assert.match(String(world.project.resource("weekly").parent), /test:Shop::shop$/);
    const urns = Object.entries(renamed.names).map(([old, name]) => [
      old,
      `aliases: ["${world.project.resource(name).urn}"]`,
    ]);
    assert.deepEqual(await up(program({}, Object.fromEntries(urns))), []);
    assert.deepEqual([idOf("copy"), idOf("run")], ids);
  });

  it("transforms add arguments, which are checked and sent like all others", async () => {
    // A transform of the stack needs a newer language host than `npm run engine` builds. A transform of a component uses the same code.
    const retained = (onDelete: string): string => `
const shop = new pulumi.ComponentResource("test:Shop", "shop", {}, { transforms: [async ({ type, props, opts }) =>
  type.endsWith(":TaskCopy") ? { props: { ...props, onDelete: "${onDelete}" }, opts } : undefined] });
pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
  type.endsWith(":TaskStartUrls") ? { props: { ...props, urls: ["https://shop.test/transformed"] }, opts } : undefined);`;
    const options = {
      copy: "parent: shop, aliases: [{ parent: pulumi.rootStackResource }]",
      settings: `transforms: [async ({ props, opts }) => {
        const { open } = props.actions;
        return { props: { ...props, actions: { open: { ...open, properties: { ...open.properties, Added: "yes" } } } }, opts };
      }]`,
    };
    const operations = await up(program({ before: retained("retain") }, options));
    assert.deepEqual(operations.sort(), ["updateActionProperties", "updateTaskUrls"]);
    assert.equal(property("Added"), "yes");
    assert.deepEqual(world.emulator.inspect.startUrls(idOf("copy")), ["https://shop.test/transformed"]);
    assert.equal(world.project.resource("copy").inputs?.onDelete, "retain");
    world.program(program({ before: retained("forget") }, options));
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /copy' has a problem: onDelete must be "retain" or "removeData"/);
    const shop = '"urn:pulumi:dev::test::test:Shop$pulumi-nodejs:dynamic/webextract:TaskCopy::copy"';
    assert.deepEqual(await up(program({}, { copy: `aliases: [${shop}]` })), ["updateTaskUrls"]);
  });

  it("protect refuses the removal of a task and of a run before any request", async () => {
    const protecting = { copy: "protect: true", run: "protect: true" };
    assert.deepEqual(await up(program({}, protecting)), []);
    await world.project.destroy({ expect: "failure" });
    assert.deepEqual(world.operations(), []);
    world.program(program({ group: "group-2" }, protecting));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /protect/);
    assert.deepEqual(world.operations(), []);
    assert.deepEqual(await up(program()), []);
  });

  it("deleteBeforeReplace reads the rows of the old task and removes it from the state before the new task exists", async () => {
    const old = idOf("copy");
    const operations = await up(program({ group: "group-2" }, { copy: "deleteBeforeReplace: true" }));
    const order = operations.filter((name) => ["stopSubtasks", "getData", "copyTask", "startTask"].includes(name));
    // The run is stopped when the id of the new task is known: not if the delete is refused, or if --target leaves the run out.
    assert.deepEqual(order, ["getData", "copyTask", "stopSubtasks", "startTask"]);
    assert.notEqual(idOf("copy"), old);
  });

  it("retainOnDelete does not stop a run and keeps the rows of a task, without a request", async () => {
    const retaining = { copy: "retainOnDelete: true", run: "retainOnDelete: true" };
    assert.deepEqual(await up(program({ group: "group-2" }, retaining)), []);
    const { output } = await world.project.destroy();
    assert.deepEqual(world.operations(), []);
    assert.doesNotMatch(output, /error/);
    assert.deepEqual(world.project.state().resources, []);
  });
});
