import type { PreviewPlan, State, StateResource } from "../harness";
import type { OptionSet, Type } from "./optionPrograms";

/** What the commands of a test have shown of all sets. */
export interface Seen {
  /** The states after the first and the second program. */
  first: State;
  second: State;
  /** The steps of the preview of the second program. */
  plan: PreviewPlan;
  /** The lines that hooks and migrations have written: name of the resource and word. */
  noted: ReadonlySet<string>;
  /** The names of the resources that were refused with their option. */
  refused: ReadonlySet<string>;
  /** The warnings of the first up. */
  warnings: readonly string[];
  /** The names of the resources that a preview with --diff shows with values that differ. */
  differing: ReadonlySet<string>;
}

export interface Option extends OptionSet {
  /** Whether the option had its effect on a resource. `name` is its name in the first program. */
  works(seen: Seen, name: string, type: Type): boolean;
  about: string;
}

/** How the engine writes a secret value in the state. */
const secretMark = "4dabf18193072939515e22adb298388d";

const resource = (state: State, name: string): StateResource | undefined =>
  state.resources.find(({ urn }) => urn.split("::").at(-1) === name);
const opsOf = ({ plan }: Seen, name: string): string[] =>
  plan.steps.filter(({ urn }) => urn.split("::").at(-1) === name).map(({ op }) => op);

const stateHas =
  (field: keyof StateResource): Option["works"] =>
  ({ first }, name) =>
    Boolean(resource(first, name)?.[field]);
const staysSame =
  (suffix = ""): Option["works"] =>
  (seen, name) =>
    opsOf(seen, name + suffix).join() === "same" && resource(seen.second, name + suffix) !== undefined;
const isReplaced: Option["works"] = (seen, name) =>
  opsOf(seen, name).includes("replace") && resource(seen.first, name)?.created !== resource(seen.second, name)?.created;
const hasNotes =
  (...words: string[]): Option["works"] =>
  ({ noted }, name) =>
    words.every((word) => noted.has(`${name} ${word}`));
const isNative: Option["works"] = ({ first }, name) => resource(first, name)?.type.startsWith("webextract:") === true;

/** All options that a program with all resources can have at once. Those that stop a program are in options.slow.test.ts. */
export const optionSets: readonly Option[] = [
  {
    option: "aliases",
    nameAfter: "-new",
    after: "aliases: [{ name: each }]",
    works: staysSame("-new"),
    about: "A renamed or moved resource shows no change and makes no request.",
  },
  {
    option: "parent",
    after: "parent: shop, aliases: [{ parent: pulumi.rootStackResource }]",
    works: staysSame(),
    about: "With an alias for the old parent. Without it, a preview shows a new copy or run.",
  },
  {
    option: "dependsOn",
    before: "dependsOn: [cause]",
    works: ({ first }, name) => resource(first, name)?.dependencies?.some((urn) => urn.endsWith("::cause")) === true,
    about: "Adds to the order that the classes know.",
  },
  {
    option: "protect",
    before: "protect: true",
    works: stateHas("protect"),
    about: "Refuses deletes and replaces before any request.",
  },
  {
    option: "retainOnDelete",
    before: "retainOnDelete: true",
    works: stateHas("retainOnDelete"),
    about: "A delete makes no request: a run goes on, rows and settings stay.",
  },
  {
    option: "deletedWith",
    before: "deletedWith: shop",
    works: stateHas("deletedWith"),
    about:
      "A delete of the other resource makes no request for this one. A replace of the other one replaces this one too.",
  },
  {
    option: "replaceWith",
    after: "replaceWith: [cause]",
    works: isReplaced,
    about: "A replace of the other resource replaces this one: a new copy, one new run, another export.",
  },
  {
    option: "replacementTrigger",
    before: 'replacementTrigger: "monday"',
    after: 'replacementTrigger: "tuesday"',
    works: isReplaced,
    about:
      "The first value shows nothing. Each change replaces: a CloudRun starts one run. `triggers` does the same and shows what changed.",
  },
  {
    option: "replaceOnChanges",
    isChanged: true,
    before: 'replaceOnChanges: ["*"]',
    works: isReplaced,
    about: "",
  },
  {
    option: "deleteBeforeReplace",
    isChanged: true,
    before: 'deleteBeforeReplace: true, replaceOnChanges: ["*"]',
    works: (seen, name) => {
      const ops = opsOf(seen, name);
      return ops.indexOf("delete-replaced") < ops.indexOf("create-replacement") || ops.includes("replace");
    },
    about: "`false` is refused for a CloudRun, which always deletes first.",
  },
  {
    option: "ignoreChanges, a path",
    isChanged: true,
    before: "ignoreChanges: [paths[type]]",
    works: staysSame(),
    about: "A list of lines is one string: `items`, not `items[0]`.",
  },
  {
    option: 'ignoreChanges, `"*"`',
    isChanged: true,
    before: 'ignoreChanges: ["*"]',
    works: staysSame(),
    about: "",
  },
  {
    option: "hideDiffs",
    isChanged: true,
    before: "hideDiffs: [paths[type].split('.')[0]]",
    works: (seen, name) => opsOf(seen, name).includes("update") && !seen.differing.has(name),
    about:
      "`--diff` prints the whole old resource in place of the diff: a reviewer reads old values as if they stayed. Do not use it where previews are reviewed.",
  },
  {
    option: "customTimeouts",
    before: 'customTimeouts: { create: "1ms" }',
    // No request takes less. So a resource that exists was not stopped by it.
    works: ({ first }, name) => resource(first, name) === undefined,
    about: "Use `timeoutSeconds` of a CloudRun and the timeouts of the configuration.",
  },
  {
    option: "additionalSecretOutputs",
    before: 'additionalSecretOutputs: ["taskId"]',
    works: ({ first }, name) => JSON.stringify(resource(first, name)?.outputs?.taskId).includes(secretMark),
    about: "",
  },
  {
    option: "hooks, before and after",
    isChanged: true,
    before: "hooks: allHooks()",
    works: hasNotes("beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"),
    about:
      "A destroy calls them only with `--run-program`. A failing `before` hook stops the step before its request. After a failing `after` hook, the result is in the state.",
  },
  {
    option: "transforms",
    before: "transforms: [async ({ props, opts }) => ({ props, opts: { ...opts, retainOnDelete: true } })]",
    works: stateHas("retainOnDelete"),
    about: "Changed arguments are checked like all others.",
  },
  {
    option: "transformations",
    before: "transformations: [({ props, opts }) => ({ props, opts: { ...opts, retainOnDelete: true } })]",
    works: stateHas("retainOnDelete"),
    about: "",
  },
  {
    option: "stateMigrations",
    after: "stateMigrations: [() => void note('notes.txt', each, 'migrated')]",
    works: hasNotes("migrated"),
    about: "For moves that aliases cannot describe. Experimental in the SDK.",
  },
  {
    option: "provider",
    before:
      'provider: own("own", { accessToken: service.requireSecret("accessToken"), apiKey: service.requireSecret("apiKey") })',
    works: isNative,
    about: "A `Provider` of this package: the resource runs on the plugin.",
  },
  {
    option: "envVarMappings",
    before:
      'provider: own("mapped", {}, { envVarMappings: { SHOP_TOKEN: "WEBEXTRACT_ACCESS_TOKEN", SHOP_KEY: "WEBEXTRACT_API_KEY" } })',
    works: isNative,
    about: "An option of a `Provider`: gives it environment variables under other names.",
  },
];
