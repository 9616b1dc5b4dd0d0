import type { Emulator, EmulatorOptions, Seed } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { resources } from "../internals/resources";
import type { ProjectOptions } from "./harness";
import { Project } from "./harness";

/** A template with an action of each configurable kind. Its runs return rows without opening a page. */
export const template: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }, { taskGroupId: "group-2" }],
  tasks: [
    {
      taskId: "template-1",
      taskGroupId: "group-1",
      syntheticRows: 25,
      syntheticSubtasks: 3,
      actions: [
        { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/", Wait: "1" } },
        { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: ["https://old.test/item"] },
      ],
    },
  ],
};

/** The same in each world, so that the engine encrypts them only once, see `harness/newStack.ts`. */
const credentials = {
  accessToken: "access-of-the-world-5d81",
  refreshToken: "refresh-of-the-world-93c2",
  apiKey: "key-of-the-world-e07b",
};

export interface WorldOptions extends Omit<ProjectOptions, "program"> {
  program: string;
  seed?: Seed;
  emulator?: EmulatorOptions;
  /** Default true: the emulator's credentials are in the configuration. */
  withCredentials?: boolean;
}

/** A project on the real engine, with an emulator as its service. */
export class World {
  private constructor(
    readonly emulator: Emulator,
    readonly project: Project,
  ) {}

  static async create({
    program,
    seed,
    emulator: options,
    withCredentials = true,
    ...rest
  }: WorldOptions): Promise<World> {
    const emulator = await startEmulator({ seed: { credentials, ...(seed ?? template) }, ...options });
    try {
      const { accessToken, apiKey } = emulator.credentials;
      const secrets: Record<string, string> = withCredentials
        ? { "webextract:accessToken": accessToken, "webextract:apiKey": apiKey }
        : {};
      const project = await Project.create({
        ...rest,
        program: prelude + program,
        config: {
          "webextract:baseUrl": emulator.url,
          "webextract:actionTypes": "LoopAction,NavigateAction",
          ...rest.config,
        },
        secrets: { ...secrets, ...rest.secrets },
      });
      return new World(emulator, project);
    } catch (error) {
      await emulator.close();
      throw error;
    }
  }

  async remove(): Promise<void> {
    await this.project.remove();
    await this.emulator.close();
  }

  /** Replaces the program. */
  program(text: string): void {
    this.project.write("index.js", prelude + text);
  }

  /** Names of the operations since the last call, in order. */
  operations(): string[] {
    const names = this.emulator.requests.map(({ operation }) => operation);
    this.emulator.clearRequests();
    return names;
  }

  /** The copies of the template, oldest first. */
  copies(): string[] {
    return this.emulator.inspect
      .tasks()
      .map(({ taskId }) => taskId)
      .filter((taskId) => taskId !== "template-1");
  }
}

const prelude = `const pulumi = require("@pulumi/pulumi");
const { ${Object.keys(resources).join(", ")} } = require("pulumi-webextract");
`;
