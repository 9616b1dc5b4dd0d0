import type { StateResource } from "../../harness";
import { imports } from "./imports";
import type { OptionWorld, Seen, Type } from "./optionWorld";
import { resourceNames, types } from "./optionWorld";

/** What happens with an option, in a word for each resource. */
export type Verdicts = Readonly<Record<Type, string>>;

export interface Trial {
  /** As the page names it. */
  option: string;
  /** What a reader must know. */
  note: string;
  run(world: OptionWorld, version: string): Promise<Verdicts>;
}

const failing = `const h = new pulumi.ResourceHook("h", async () => { throw new Error("of the hook"); });`;
const everyError = ["up", "--yes", "--skip-preview", "--continue-on-error"];

export function forEach(verdictOf: (type: Type) => string): Verdicts {
  return Object.fromEntries(types.map((type) => [type, verdictOf(type)])) as Verdicts;
}

/** `works` where the condition holds. Anything else stands in the page, which the test refuses. */
function works(seen: Seen, holds: (resource: StateResource, before: StateResource, type: Type) => boolean): Verdicts {
  return forEach((type) => {
    const [now, before] = [seen.after.get(type), seen.before.get(type)];
    return now !== undefined && before !== undefined && holds(now, before, type) ? "works" : `FAILED: ${summary(seen)}`;
  });
}

function summary({ result, operations }: Seen): string {
  const errors = [...result.output.matchAll(/error: .*/g)].map(([text]) => text.slice(0, 200));
  return `${result.code} ${operations.join(" ")} ${errors.join(" ")}`;
}

const isQuiet = ({ result, operations }: Seen): boolean => result.code === 0 && operations.length === 0;
const isSame = (now: StateResource, before: StateResource): boolean => now.created === before.created;
const isNew = (now: StateResource, before: StateResource): boolean => !isSame(now, before);

/** The option takes effect in the state, and the up requests nothing. */
function inState(
  option: string,
  options: string,
  has: (now: StateResource) => unknown,
  note: string,
  before?: string,
): Trial {
  return {
    option,
    note,
    async run(world) {
      const seen = await world.run({ options, before });
      return works(seen, (now, earlier) => isQuiet(seen) && isSame(now, earlier) && Boolean(has(now)));
    },
  };
}

/** A change that replaces every resource: each once, with at most one start, and without the loss of a file. */
async function replaceAll(world: OptionWorld, declared: Parameters<OptionWorld["run"]>[0]): Promise<Verdicts> {
  const { starts } = world;
  const copies = world.world.copies().length + (declared.replacesAnchor === true ? 1 : 0);
  const seen = await world.run(declared);
  const isSafe = world.starts === starts + 1 && world.hasFile && world.world.copies().length === copies + 2;
  const again = await world.run({ ...declared, replacesAnchor: false });
  return works(seen, (now, before) => seen.result.code === 0 && isNew(now, before) && isSafe && isQuiet(again));
}

const ignoredPaths: Record<Type, string> = {
  TaskCopy: "forceDestroy",
  ExtractionTask: "actions.open.properties.Url",
  TaskActionConfig: "actions.open.properties.Url",
  TaskParameters: "actions.open.properties.Wait",
  TaskLoopItems: "items",
  TaskStartUrls: "urls",
  CloudRun: "triggers",
  CloudSubtasks: "desired",
  DataExport: "triggers",
};

function ignoring(option: string, options: string, note: string): Trial {
  return {
    option,
    note,
    async run(world) {
      const seen = await world.run({ changed: "once", options });
      return works(
        seen,
        (now, before) => isQuiet(seen) && JSON.stringify(now.inputs) === JSON.stringify(before.inputs),
      );
    },
  };
}

/** An option that the package or the engine refuses for some resources, before any request. */
function refusing(option: string, options: string, note: string, message: string): Trial {
  return {
    option,
    note,
    async run(world) {
      // A run waits for the settings, which are not there if they are refused.
      const isRun = 'type === "CloudRun"';
      const others = await world.run({ options: `${isRun} ? {} : ${options}` }, ["preview"]);
      const run = await world.run({ options: `${isRun} ? ${options} : {}` }, ["preview"]);
      return forEach((type) => {
        const seen = type === "CloudRun" ? run : others;
        const isRefused = new RegExp(`(refused ${type}: |resource ${resourceNames[type]} ).*${message}`);
        if (isRefused.test(seen.result.output)) {
          return "refused";
        }
        return seen.result.code === 0 ? "works" : `FAILED: ${summary(seen)}`;
      });
    },
  };
}

export const trials: readonly Trial[] = [
  inState(
    "`aliases`, `parent`",
    `{ parent: shop, aliases: [{ parent: pulumi.rootStackResource }] }`,
    ({ parent }) => parent?.endsWith("::shop"),
    "A renamed or moved resource stays.",
    'const shop = new pulumi.ComponentResource("test:Shop", "shop");',
  ),
  inState(
    "`dependsOn`",
    `{ dependsOn: [anchor], aliases: [{ parent: "urn:pulumi:dev::test::test:Shop::shop" }] }`,
    ({ dependencies }) => dependencies?.some((urn) => urn.endsWith("::anchor")),
    "In addition to the order that the classes find.",
  ),
  {
    option: "`protect`",
    note: "A destroy, and a replace, are refused before any request.",
    async run(world) {
      const seen = await world.run({ options: "{ protect: true }" });
      const refused = await world.run({ options: "{ protect: true }" }, ["destroy", "--yes", "--skip-preview"]);
      // The destroy has removed what is not protected.
      await world.run({});
      const stays = refused.result.code !== 0 && refused.operations.length === 0;
      return works(seen, (now) => isQuiet(seen) && now.protect === true && stays);
    },
  },
  inState(
    "`transforms`, `transformations`",
    `{ transforms: [async ({ props, opts }) => ({ props, opts: { ...opts, protect: true } })],
      transformations: [({ props, opts }) => ({ props, opts: { ...opts, retainOnDelete: true } })] }`,
    ({ protect, retainOnDelete }) => protect === true && retainOnDelete === true,
    "A changed `taskId`, `adoptTaskId` or `profile` is refused in the preview: the order is already found. With `--skip-preview`, one of a parent or the stack can start a run first.",
  ),
  {
    option: "`replacementTrigger`",
    note: "Its first value changes nothing; each change makes one new copy, run or export. `restore` then keeps what the resource wrote. In YAML, Python and Go, give a `CloudRun` `deleteBeforeReplace: true` too, or its old run goes on, with a warning.",
    async run(world) {
      const first = await world.run({ options: '{ replacementTrigger: "one" }' });
      const replaced = await replaceAll(world, { options: '{ replacementTrigger: "two" }' });
      return forEach((type) => (isQuiet(first) ? replaced[type] : `FAILED: ${summary(first)}`));
    },
  },
  {
    option: "`replaceWith`",
    note: "Likewise. A start that fails is not tried again by the next up: use `rerunOn`.",
    async run(world) {
      const options = "{ replaceWith: [anchor] }";
      await world.run({ options });
      const replaced = await replaceAll(world, { options, replacesAnchor: true });
      const { starts } = world;
      world.world.emulator.fault({ operation: "startTask", kind: "error", code: "InvalidParameter", times: 1 });
      const failed = await world.run({ options, replacesAnchor: true });
      const next = await world.run({ options });
      const isKept = failed.result.code !== 0 && next.result.code === 0 && world.starts === starts;
      return forEach((type) => (isKept ? replaced[type] : `FAILED: ${summary(failed)} ${summary(next)}`));
    },
  },
  {
    option: "`additionalSecretOutputs`",
    note: "From the next write on.",
    async run(world) {
      const options = '{ replacementTrigger: "three", additionalSecretOutputs: ["taskId"] }';
      await world.run({ options: '{ replacementTrigger: "two" }' });
      const seen = await world.run({ options });
      return works(seen, (now) => JSON.stringify(now.outputs?.taskId).includes("ciphertext"));
    },
  },
  {
    option: "`deleteBeforeReplace: true`",
    note: "A `CloudRun` always has it. On a copy with rows, the delete is refused before the replace, also with `forceDestroy`.",
    run: async (world) => {
      const options = (trigger: string) => `{ replacementTrigger: "${trigger}", deleteBeforeReplace: true }`;
      await world.run({ options: options("three") });
      return replaceAll(world, { options: options("four") });
    },
  },
  refusing(
    "`deleteBeforeReplace: false`",
    "{ deleteBeforeReplace: false }",
    "The delete of the old run would stop the new one.",
    "deleteBeforeReplace must not be false",
  ),
  ignoring(
    "`ignoreChanges` of a path",
    `{ ignoreChanges: [(${JSON.stringify(ignoredPaths)})[type]] }`,
    "A list is one path, such as `items`.",
  ),
  ignoring('`ignoreChanges: ["*"]`', '{ ignoreChanges: ["*"] }', "Nothing changes, so no run starts."),
  {
    option: "`hideDiffs`",
    note: "**Pulumi prints the old values as if they stayed**: not for what is reviewed.",
    async run(world) {
      const seen = await world.run({ changed: "once", options: '{ hideDiffs: ["*"] }' }, ["preview", "--diff"]);
      const isHidden = seen.result.code === 0 && !seen.result.output.includes("value-1");
      return works(seen, () => isHidden && seen.operations.length === 0);
    },
  },
  {
    option: '`replaceOnChanges: ["*"]`',
    note: "A change of an option, such as `forceDestroy`, replaces too.",
    async run(world) {
      const starts = world.starts;
      const seen = await world.run({ changed: "from now on", options: '{ replaceOnChanges: ["*"] }' });
      const isSafe = world.starts === starts + 1 && world.hasFile;
      return works(seen, (now, before) => seen.result.code === 0 && isSafe && isNew(now, before));
    },
  },
  {
    option: "`customTimeouts`",
    note: "A warning names `timeoutSeconds` of a `CloudRun` and `webextract:deadlineSeconds`.",
    async run(world) {
      const seen = await world.run({
        changed: "from now on",
        options: '{ customTimeouts: { create: "1s", update: "1s" } }',
      });
      return forEach((type) =>
        seen.result.output.includes(`The option customTimeouts has no effect on ${type}.`)
          ? "ignored"
          : `FAILED: ${summary(seen)}`,
      );
    },
  },
  {
    option: "`hooks` before a step, failing",
    note: "Nothing is sent. In a replace, the old run is stopped before `beforeCreate`.",
    async run(world) {
      const hooks = "{ hooks: { beforeCreate: [h], beforeUpdate: [h], beforeDelete: [h] } }";
      const seen = await world.run({ changed: "from now on", options: hooks, before: failing }, everyError);
      const { starts } = world;
      const ofRun = 'type === "CloudRun" ? { hooks: { beforeCreate: [h] } } : {}';
      const stopped = await world.run({ options: ofRun, before: failing });
      const isStopped = stopped.operations.includes("stopSubtasks") && world.starts === starts;
      await world.run({});
      const isStarted = world.starts === starts + 1;
      return works(seen, (now, before) => {
        return seen.operations.length === 0 && isSame(now, before) && isStopped && isStarted;
      });
    },
  },
  {
    option: "`hooks` after a step, failing",
    note: "The result is in the state.",
    async run(world) {
      const hooks = "{ hooks: { afterCreate: [h], afterUpdate: [h], afterDelete: [h] } }";
      const starts = world.starts;
      const seen = await world.run({ changed: "from now on", options: hooks, before: failing }, everyError);
      const isOnce = world.starts <= starts + 1;
      // What depends on a failed step is left to the next up.
      await world.run({});
      const again = await world.run({});
      const isStartedOnce = isOnce && world.starts === starts + 1;
      return works(again, () => seen.result.code !== 0 && isStartedOnce && isQuiet(again));
    },
  },
  {
    option: "`hooks.onError`",
    note: "A repeated step sends no copy or start whose response was lost.",
    async run(world) {
      const before = "const h = new pulumi.ErrorHook('h', async ({ errors }) => errors.length < 3);";
      const starts = world.starts;
      world.world.emulator.fault({ operation: "startTask", kind: "reset", when: "after" });
      const seen = await world.run(
        { changed: "from now on", options: "{ hooks: { onError: [h] } }", before },
        everyError,
      );
      const isOnce = world.starts === starts + 1;
      world.adoptLotNo = world.world.emulator.inspect.runs("template-1").at(-1)?.lotNo;
      const adopted = await world.run({});
      return works(
        adopted,
        () => seen.result.code !== 0 && isOnce && adopted.result.code === 0 && world.starts === starts + 1,
      );
    },
  },
  {
    option: "`version`, `pluginDownloadURL`",
    note: "For all resources of an account, or none. They choose among installed plugins.",
    async run(world) {
      const options = '{ version: "9.9.9", pluginDownloadURL: "https://nowhere.test" }';
      // With another provider for each, they would be two providers of one account.
      const seen = await world.run({ options, optionsOfAnchor: options }, ["preview"]);
      return forEach(() => (isQuiet(seen) ? "ignored" : `FAILED: ${summary(seen)}`));
    },
  },
  refusing(
    "`envVarMappings`",
    "{ envVarMappings: { OTHER: 'WEBEXTRACT_BASE_URL' } }",
    "For providers only.",
    "envVarMappings can only be used with provider resources",
  ),
  {
    option: "`stateMigrations`",
    note: "Do not change ids with them.",
    async run(world, version) {
      if (version === "3.248") {
        return forEach(() => "not in the SDK");
      }
      const seen = await world.run({ options: "{ stateMigrations: [() => undefined] }" });
      return works(seen, (now, before) => isQuiet(seen) && isSame(now, before));
    },
  },
  {
    option: "`import`",
    note: "[Adopt](../how-to/adopt-a-task.md) does it for classes. The service does not show start URLs and exports.",
    async run(world) {
      const shown = types.filter((type) => type !== "TaskStartUrls" && type !== "DataExport");
      const seen = await world.run({ after: world.isNative ? imports(world, shown) : "" });
      const made = world.world.project.state().resources.map(({ urn }) => urn.split("::imported-")[1]);
      const refused = new Set<Type>();
      for (const type of types.filter((each) => !made.includes(each))) {
        const { result } = await world.run({ after: imports(world, [type]) }, ["preview"]);
        const message = new RegExp(`${type} .*: the option import does not work|A ${type} cannot be imported`);
        if (result.code !== 0 && message.test(result.output)) {
          refused.add(type);
        }
      }
      return forEach((type) =>
        made.includes(type) ? "works" : refused.has(type) ? "refused" : `FAILED: ${summary(seen)}`,
      );
    },
  },
];

/** The last ones: they end with the deletes of all resources. */
export const ends: readonly Trial[] = [
  {
    option: "`deletedWith`",
    note: "The delete requests nothing: a run goes on, and a file stays. From 3.276 on, it works as `replaceWith` too.",
    async run(world, version) {
      const options = "{ deletedWith: anchor }";
      world.adoptLotNo = undefined;
      await world.run({ options });
      const starts = world.starts;
      const seen = await world.run({ options, replacesAnchor: true });
      const isReplaced = version !== "3.248";
      const replaced = works(
        seen,
        (now, before) => (isReplaced ? isNew : isSame)(now, before) && seen.result.code === 0,
      );
      const isOnce = world.starts === starts + (isReplaced ? 1 : 0);
      return afterDelete(world, await world.run({ isEmpty: true }), (type) => isOnce && replaced[type] === "works");
    },
  },
  {
    option: "`retainOnDelete`",
    note: "Each delete requests nothing.",
    async run(world) {
      await world.run({});
      await world.run({ options: "{ retainOnDelete: true }" });
      return afterDelete(world, await world.run({ isEmpty: true }), () => true);
    },
  },
  {
    option: "`provider`",
    note: "All resources of an account move to the plugin. Back: `webextract migrate --to dynamic` first: a preview refuses the classes.",
    async run(world) {
      await world.run({});
      const { baseUrl, credentials } = world.service;
      const account = `new Provider("account", { baseUrl: "${baseUrl}", accessToken: "${credentials.accessToken}", apiKey: "${credentials.apiKey}" })`;
      const before = `const { Provider } = require("pulumi-webextract");\nconst account = ${account};`;
      const options = "{ provider: account }";
      const seen = await world.run({ options, optionsOfAnchor: options, before });
      // Without the option, the classes are dynamic again, and no alias leads there.
      const without = await world.run({}, ["preview"]);
      const isRefused = without.result.code !== 0 && /migrate --to dynamic/.test(without.result.output);
      return works(seen, (now, earlier) => {
        const isMoved = now.type.startsWith("webextract:") && isRefused === !world.isNative;
        return isQuiet(seen) && isSame(now, earlier) && isMoved;
      });
    },
  },
];

/** Nothing is in the state, and the service has got no request: the file stays. */
function afterDelete(world: OptionWorld, seen: Seen, holds: (type: Type) => boolean): Verdicts {
  const isKept = isQuiet(seen) && world.hasFile;
  return forEach((type) =>
    isKept && holds(type) && seen.before.has(type) && !seen.after.has(type) ? "works" : `FAILED: ${summary(seen)}`,
  );
}
