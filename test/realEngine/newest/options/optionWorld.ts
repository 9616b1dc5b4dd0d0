import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../../../scripts/engine/engine";
import { ServiceClient } from "../../../../src/service";
import type { RunResult, StateResource } from "../../harness";
import { pluginFolder } from "../../plugin/nativeWorld";
import { World } from "../../world";
import { withHookHost } from "../hookEngine";

/** The names of the resources in the program, by their classes. */
export const resourceNames = {
  TaskCopy: "copy",
  ExtractionTask: "whole",
  TaskActionConfig: "settings",
  TaskParameters: "parameters",
  TaskLoopItems: "loop",
  TaskStartUrls: "urls",
  CloudRun: "run",
  CloudSubtasks: "subtasks",
  DataExport: "rows",
} as const;
export type Type = keyof typeof resourceNames;
export const types = Object.keys(resourceNames) as Type[];

export interface Declared {
  /** JavaScript: the options of every resource, with its `type` and its `name`, and with `anchor`. */
  options?: string;
  /** JavaScript: the options of `anchor`. */
  optionsOfAnchor?: string;
  /** JavaScript before and after the resources. */
  before?: string;
  after?: string;
  /** Another value of an argument of each resource: from now on, or only this time. */
  changed?: "from now on" | "once";
  /** Replaces the resource `anchor`. */
  replacesAnchor?: boolean;
  /** No resource at all. */
  isEmpty?: boolean;
}

const open = { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/", Wait: "1" } };
const each = { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/item"] };

/** What is seen of one command. */
export interface Seen {
  result: RunResult;
  operations: string[];
  before: ReadonlyMap<Type, StateResource>;
  after: ReadonlyMap<Type, StateResource>;
}

/** A program with one resource of each type, to which one option after the other is given. */
export class OptionWorld {
  /** The run that the program adopts, after a lost response. */
  adoptLotNo: string | undefined;
  private value = 0;
  private group = 1;

  private constructor(
    readonly world: World,
    readonly isNative: boolean,
    /** A run of the task "other" before the first command. */
    readonly started: { lotNo: string; subtasks: readonly string[] },
  ) {}

  static async create(
    { engine, sdk, path = [] }: { engine: Engine; sdk?: string; path?: string[] },
    isNative: boolean,
  ) {
    const world = await World.create({
      program: "",
      engine: withHookHost(engine),
      ...(sdk !== undefined && { sdk }),
      path: [pluginFolder(), ...path],
      ...(isNative && { config: { "webextract:native": "true" } }),
      seed: {
        taskGroups: [{ taskGroupId: "group-1" }, { taskGroupId: "group-2" }],
        tasks: ["template-1", "other", ...[1, 2, 3, 4, 5, 6].map((each) => `import-${each}`)].map((taskId) => ({
          ...{ taskId, taskGroupId: "group-1", syntheticRows: taskId === "other" ? 5 : 0, syntheticSubtasks: 2 },
          actions: [open, each],
        })),
      },
      emulator: { behaviour: { readsUntilFinished: 1000, startWhileRunning: "newRun" } },
    });
    const { url: baseUrl, credentials } = world.emulator;
    const client = new ServiceClient({ baseUrl, accessToken: credentials.accessToken });
    const { data } = await client.startTask({ taskId: "other" });
    const subtasks = (await client.allSubtasks("other")).map(({ subTaskId }) => subTaskId).sort();
    client.close();
    world.operations();
    return new OptionWorld(world, isNative, { lotNo: data.lotNo, subtasks });
  }

  get service() {
    const { url: baseUrl, credentials } = this.world.emulator;
    return { baseUrl, credentials };
  }

  get starts(): number {
    return this.world.emulator.inspect.runs("template-1").length;
  }

  get hasFile(): boolean {
    return existsSync(join(this.world.project.folder, "rows.ndjson"));
  }

  resources(): Map<Type, StateResource> {
    const { resources } = this.world.project.state();
    const found = types.map((type) => [type, resources.find(({ urn }) => urn.endsWith(`::${resourceNames[type]}`))]);
    return new Map(found.filter((pair): pair is [Type, StateResource] => pair[1] !== undefined));
  }

  /** Runs a command, with any result. */
  async run(declared: Declared, command: readonly string[] = ["up", "--yes", "--skip-preview"]): Promise<Seen> {
    const before = this.resources();
    this.world.program(this.program(declared));
    this.world.operations();
    const result = await this.world.project.run(command, { expect: "either" });
    return { result, operations: this.world.operations(), before, after: this.resources() };
  }

  private program(declared: Declared): string {
    const { options = "{}", optionsOfAnchor = "{}", before = "", after = "" } = declared;
    const { changed, replacesAnchor, isEmpty } = declared;
    this.value += changed === "from now on" ? 1 : 0;
    this.group = replacesAnchor === true ? 3 - this.group : this.group;
    if (isEmpty === true) {
      return "";
    }
    const args = this.args(changed === "once" ? this.value + 1 : this.value);
    const made = types.map(
      (type) => `try {
  const [type, name] = ["${type}", "${resourceNames[type]}"];
  new ${type}(name, { ${args[type]} }, ${options});
} catch (error) { console.log("refused ${type}: " + error.message); }`,
    );
    const ofAnchor = `sourceTaskId: "template-1", taskGroupId: "group-${this.group}", onDelete: "retain"`;
    return `${before}
const anchor = new TaskCopy("anchor", { ${ofAnchor} }, ${optionsOfAnchor});
${made.join("\n")}
${after}
`;
  }

  private args(value: number): Record<Type, string> {
    const isEven = value % 2 === 0;
    const actions = (name: string) =>
      `{ open: { actionType: "NavigateAction", properties: { ${name}: "value-${value}" } } }`;
    const adopted = this.adoptLotNo === undefined ? "" : `, adoptLotNo: "${this.adoptLotNo}"`;
    return {
      TaskCopy: `sourceTaskId: "template-1", taskGroupId: "group-1", forceDestroy: ${isEven}`,
      ExtractionTask: `from: { sourceTaskId: "template-1", taskGroupId: "group-1" }, actions: ${actions("Url")}`,
      TaskActionConfig: `taskId: "template-1", actions: ${actions("Url")}, onDelete: "restore"`,
      TaskParameters: `taskId: "template-1", actions: ${actions("Wait")}, onDelete: "restore"`,
      TaskLoopItems: `taskId: "template-1", actionId: "each", loopType: "TextList", items: ["value-${value}"], onDelete: "restore"`,
      TaskStartUrls: `taskId: "template-1", urls: ["https://a.test/value-${value}"]`,
      CloudRun: `taskId: "template-1", triggers: ["value-${value}"], onDelete: "stop", pollSeconds: 0.1${adopted}`,
      CloudSubtasks: `taskId: "other", subTaskIds: ["${this.started.subtasks[0]}"], desired: "${isEven ? "started" : "stopped"}"`,
      DataExport: `taskId: "other", scope: "all", path: "rows.ndjson", triggers: ["value-${value}"], onDelete: "removeFile"`,
    };
  }
}
