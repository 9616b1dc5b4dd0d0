import type { Seed } from "webextract-emulator";

/** The types of all resources, in the order of their declaration. */
export const types = [
  "TaskCopy",
  "TaskActionConfig",
  "TaskParameters",
  "TaskLoopItems",
  "TaskStartUrls",
  "ExtractionTask",
  "CloudRun",
  "CloudSubtasks",
  "DataExport",
] as const;
export type Type = (typeof types)[number];

/** A set of all resources that have one option. The texts are JavaScript, with `each` for the name of the resource and `type` for its type. */
export interface OptionSet {
  /** The option, as the table names it. */
  option: string;
  /** The options of each resource at first. */
  before?: string;
  /** And in the second program. */
  after?: string;
  /** What names the resources in the second program. */
  nameAfter?: string;
  /** Whether each resource has another argument in the second program. */
  isChanged?: boolean;
}

/** The task that a set copies, with its subtasks for CloudSubtasks in a task of its own. */
export const optionSeed: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }, { taskGroupId: "group-2" }],
  tasks: ["template-1", "parts"].map((taskId) => ({
    taskId,
    taskGroupId: "group-1",
    syntheticRows: 3,
    syntheticSubtasks: 40,
    actions: [
      { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/", Wait: "1" } },
      { actionType: "NavigateAction", actionId: "second", properties: { Url: "https://old.test/", Wait: "1" } },
      { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/item"] },
    ],
  })),
};

/**
 * Declares a set of each type. A resource that is refused goes to the file `refused.txt` with the reason, and is declared without the option, so that the
 * others have their task.
 */
const prelude = `
const fs = require("node:fs");
const { Provider } = require("pulumi-webextract");
const config = new pulumi.Config();
const phase = config.requireNumber("phase");
const parts = config.requireObject("parts");
const service = new pulumi.Config("webextract");
const shop = new pulumi.ComponentResource("test:index:Shop", "shop");
// Replaced in the second program.
const cause = new TaskCopy("cause", { sourceTaskId: "template-1", taskGroupId: phase === 1 ? "group-1" : "group-2", onDelete: "retain" });
const note = (file, ...words) => fs.appendFileSync(file, words.join(" ") + "\\n");
const hookNames = ["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"];
let hooks;
const allHooks = () => hooks ??= Object.fromEntries(hookNames.map((kind) =>
  [kind, [new pulumi.ResourceHook(kind, ({ name }) => note("hooks.txt", name, kind))]]));
const keys = { baseUrl: service.require("baseUrl"), actionTypes: "LoopAction,NavigateAction" };
const providers = {};
const own = (name, args, opts) => providers[name] ??= new Provider(name, { ...keys, ...args }, opts);
const paths = {
  TaskCopy: "onDelete", TaskActionConfig: "actions.open.properties.Wait", TaskParameters: "actions.second.properties.Wait",
  TaskLoopItems: "items", TaskStartUrls: "urls", ExtractionTask: "actions.open.properties.Wait", CloudRun: "pollSeconds",
  CloudSubtasks: "desired", DataExport: "maxRows" };
function declareSet(set, suffix, options, isChanged) {
  const make = (Class, args) => {
    const each = set + "-" + Class.name;
    try {
      return new Class(each + suffix, args, options(each, Class.name));
    } catch (error) {
      note("refused.txt", each, error.message.replaceAll("\\n", " "));
      return new Class(each + "-plain", args);
    }
  };
  const value = isChanged ? "2" : "1";
  const open = { actionType: "NavigateAction", properties: { Wait: value } };
  const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };
  const taskId = make(TaskCopy, { ...from, onDelete: isChanged ? "removeData" : "retain" }).id;
  make(TaskActionConfig, { taskId, actions: { open } });
  make(TaskParameters, { taskId, actions: { second: open } });
  make(TaskLoopItems, { taskId, actionId: "each", loopType: "UrlList", items: ["https://item.test/" + value] });
  make(TaskStartUrls, { taskId, urls: ["https://start.test/" + value] });
  make(ExtractionTask, { from, onDelete: "retain", actions: { open } });
  const lotNo = make(CloudRun, { taskId, waitFor: "finished", pollSeconds: isChanged ? 0.01 : 0 }).id;
  make(CloudSubtasks, { taskId: "parts", subTaskIds: [parts.shift()], desired: isChanged ? "stopped" : "started" });
  make(DataExport, { taskId, scope: "batch", lotNo, path: "rows/" + set + ".ndjson", maxRows: isChanged ? 2 : 1 });
}
`;

/** The program of all sets. The number in the configuration says whether it is the first or the second. */
export function optionProgram(sets: readonly OptionSet[]): string {
  const declared = sets.map(({ option, before = "", after = before, nameAfter = "", isChanged = false }) => {
    const options = `(each, type) => (phase === 1 ? { ${before} } : { ${after} })`;
    return `declareSet("${keyOf(option)}", phase === 1 ? "" : "${nameAfter}", ${options}, phase > 1 && ${isChanged});`;
  });
  return `${prelude}${declared.join("\n")}`;
}

/** The option in the names of its resources. */
export function keyOf(option: string): string {
  return option.replace(/\W/g, "");
}
