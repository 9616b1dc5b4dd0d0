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
  title?: string;
  items?: string[];
  startUrls?: string[];
  trigger?: string;
  names?: Options;
  before?: string;
}

/** A configured task and its run, with resource options. */
function program(declared: Declared = {}, options: Options = {}): string {
  const { group = "group-1", url = "https://shop.test/", wait = "3", trigger = "monday", before = "" } = declared;
  const { title = "h2" } = declared;
  const { items = ["red", "green"], startUrls = ["https://shop.test/a"], names = {} } = declared;
  const named = (name: keyof Options): string => `"${names[name] ?? name}"`;
  const opts = (name: keyof Options): string => `{ ${options[name] ?? ""} }`;
  return `${before}
const copy = new TaskCopy(${named("copy")}, { sourceTaskId: "template-1", taskGroupId: "${group}" }, ${opts("copy")});
new TaskActionConfig(${named("settings")}, { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: "${url}", Wait: "${wait}", "Field.title": "${title}" } } } }, ${opts("settings")});
new TaskLoopItems(${named("loop")}, { taskId: copy.id, actionId: "each", loopType: "TextList",
  items: ${JSON.stringify(items)} }, ${opts("loop")});
new TaskStartUrls(${named("urls")}, { taskId: copy.id, urls: ${JSON.stringify(startUrls)} }, ${opts("urls")});
new CloudRun(${named("run")}, { taskId: copy.id, triggers: { day: "${trigger}" }, onDelete: "stop", pollSeconds: 0 }, ${opts("run")});
`;
}

const changed: Declared = {
  url: "https://shop.test/new",
  wait: "4",
  title: "h3",
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

  const ignoring: Options = {
    settings: `ignoreChanges: ["actions.open.properties.Url", 'actions.open.properties["Field.title"]']`,
    loop: 'ignoreChanges: ["items"]',
    urls: 'ignoreChanges: ["urls"]',
    run: 'ignoreChanges: ["triggers"]',
  };

  it("ignoreChanges keeps a nested property, lists and triggers as they were sent, and applies all other changes", async () => {
    assert.deepEqual(await up(program(changed, ignoring)), ["updateActionProperties"]);
    assert.deepEqual(["Url", "Wait", "Field.title"].map(property), ["https://shop.test/", "4", "h2"]);
    const { inputs } = world.project.resource("loop");
    assert.deepEqual([inputs?.items, inputs?.count], ["red\ngreen\n", 2]);
  });

  it("customTimeouts has no effect, and a preview says what has", async () => {
    const timeouts = 'customTimeouts: { create: "10m" }';
    const options = { ...ignoring, run: `${ignoring.run}, ${timeouts}`, settings: `${ignoring.settings}, ${timeouts}` };
    world.program(program(changed, options));
    const { output } = await world.project.preview();
    const warnings = new Set([...output.matchAll(/warning: (The option customTimeouts .*)/g)].map(([, text]) => text));
    assert.deepEqual([...warnings].sort(), [
      "The option customTimeouts has no effect on CloudRun. Set the argument timeoutSeconds.",
      "The option customTimeouts has no effect on TaskActionConfig. Set webextract:deadlineSeconds for each call.",
    ]);
  });

  it("aliases keep renamed resources and resources that move under a component, and ignoreChanges goes on, without a request", async () => {
    const ids = [idOf("copy"), idOf("run")];
    const names = { copy: "books", settings: "tuning", loop: "colours" };
    const renamed = Object.keys(names).map((name): [string, string] => [name, `aliases: [{ name: "${name}" }]`]);
    const toShop = "parent: shop, aliases: [{ parent: pulumi.rootStackResource }]";
    const moved = ["urls", "run"].map((name): [string, string] => [name, toShop]);
    const parent = 'const shop = new pulumi.ComponentResource("test:Shop", "shop");';
    const alsoIgnoring = (options: [name: string, option: string][]): Options =>
      Object.fromEntries(
        options.map(([name, option]) => [name, `${option}, ${ignoring[name as keyof Options] ?? ""}`]),
      );
    const text = program({ ...changed, names, before: parent }, alsoIgnoring([...renamed, ...moved]));
    assert.deepEqual(await up(text), []);
    assert.deepEqual([idOf("books"), idOf("run")], ids);
    assert.match(String(world.project.resource("run").parent), /test:Shop::shop$/);
    const urns = Object.entries({ ...names, urls: "urls", run: "run" }).map(([old, name]): [string, string] => [
      old,
      `aliases: ["${world.project.resource(name).urn}"]`,
    ]);
    assert.deepEqual(await up(program(changed, alsoIgnoring(urns))), []);
    assert.deepEqual([idOf("copy"), idOf("run")], ids);
  });

  const declared = { ...changed, trigger: "monday", items: ["red"] };

  it("replaceOnChanges replaces a setting with one write, and replaces a run by stopping it and starting another; without ignoreChanges the rest is sent", async () => {
    const before = idOf("run");
    const patient = program(declared, {
      loop: 'replaceOnChanges: ["items"]',
      run: 'replaceOnChanges: ["pollSeconds"]',
    });
    world.program(patient.replace("pollSeconds: 0", "pollSeconds: 0.01"));
    const { steps } = await world.project.previewJson();
    assert.deepEqual(
      steps
        .filter(({ op }) => op === "replace")
        .map(({ urn, replaceReasons }) => [urn.split("::").at(-1), replaceReasons])
        .sort(),
      [
        ["loop", ["items"]],
        ["run", ["pollSeconds"]],
      ],
    );
    await world.project.up();
    const operations = world.operations().filter((name) => !name.startsWith("get"));
    assert.deepEqual(operations.slice(0, -2).sort(), ["updateActionProperties", "updateLoopItems", "updateTaskUrls"]);
    assert.deepEqual(operations.slice(-2), ["stopSubtasks", "startTask"]);
    assert.notEqual(idOf("run"), before);
    assert.equal(property("Url"), "https://shop.test/new");
  });

  it("a targeted replace of a run stops the old run first, and never stops the new run", async () => {
    const before = idOf("run");
    await world.project.up({ args: ["--replace", world.project.resource("run").urn] });
    const operations = world.operations().filter((name) => name !== "getSubtasks");
    assert.deepEqual(operations, ["stopSubtasks", "startTask"]);
    assert.notEqual(idOf("run"), before);
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
    const operations = await up(program({ ...declared, before: retained("retain") }, options));
    assert.deepEqual(operations.sort(), ["getActions", "updateActionProperties", "updateTaskUrls"]);
    assert.equal(property("Added"), "yes");
    assert.deepEqual(world.emulator.inspect.startUrls(idOf("copy")), ["https://shop.test/transformed"]);
    assert.equal(world.project.resource("copy").inputs?.onDelete, "retain");
    world.program(program({ ...declared, before: retained("forget") }, options));
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /copy' has a problem: onDelete must be "retain" or "removeData"/);
    const shop = '"urn:pulumi:dev::test::test:Shop$pulumi-nodejs:dynamic/webextract:TaskCopy::copy"';
    // The protection is for the next test.
    const protecting = { copy: `protect: true, aliases: [${shop}]`, run: "protect: true" };
    assert.deepEqual(await up(program(declared, protecting)), ["updateTaskUrls"]);
  });

  it("protect refuses the removal of a task and of a run before any request", async () => {
    await world.project.destroy({ expect: "failure" });
    assert.deepEqual(world.operations(), []);
    world.program(program({ ...declared, group: "group-2" }, { copy: "protect: true", run: "protect: true" }));
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /protect/);
    assert.deepEqual(world.operations(), []);
  });

  it("deleteBeforeReplace reads the rows of the old task and removes it from the state before the new task exists", async () => {
    const old = idOf("copy");
    // What is retained counts from the next test on.
    const copy = "deleteBeforeReplace: true, retainOnDelete: true";
    const operations = await up(program({ ...declared, group: "group-2" }, { copy, run: "retainOnDelete: true" }));
    const order = operations.filter((name) => ["stopSubtasks", "getData", "copyTask", "startTask"].includes(name));
    // The run is stopped when the id of the new task is known: not if the delete is refused, or if --target leaves the run out.
    assert.deepEqual(order, ["getData", "copyTask", "stopSubtasks", "startTask"]);
    assert.notEqual(idOf("copy"), old);
  });

  it("retainOnDelete does not stop a run and keeps the rows of a task, without a request", async () => {
    const { output } = await world.project.destroy();
    assert.deepEqual(world.operations(), []);
    assert.doesNotMatch(output, /error/);
    assert.deepEqual(world.project.state().resources, []);
  });
});
