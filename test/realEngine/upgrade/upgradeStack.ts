import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ProjectOptions } from "../harness";
import { Project } from "../harness";
import { template } from "../world";

/** The recorded states of each version: one with complete resources, and one of a failed up. */
export const kinds = ["whole", "unfinished"] as const;
export type Kind = (typeof kinds)[number];

/** The recorded files: the program, its stack (`pulumi stack export`), and the exported state of the service. */
export const files = { program: "program", stack: "stack.json", service: "service.json" } as const;

/** Contains a folder for each version, with a folder for each kind. */
export const fixtures = join(__dirname, "fixtures");

/** The versions with a recorded state, the newest last. */
export function keptVersions(): string[] {
  const versions = existsSync(fixtures) ? readdirSync(fixtures) : [];
  return versions.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

const names = { name: "upgrade", stack: "dev" };
/** A task that no stack created. */
export const adoptedTask = "existing-1";
const apiKey = "api-key-of-the-upgrade-program";
/** Secret configuration of the program. */
export const secrets = { "upgrade:wait": "a secret property", "upgrade:item": "https://secret.test/2" };

export interface UpgradeStackOptions extends Pick<ProjectOptions, "folder" | "install" | "path" | "env" | "leanSdk"> {
  /** Folder of the first program. */
  program: string;
  /** State file of the service. A missing file is created. */
  service: string;
  config?: Readonly<Record<string, string>>;
}

/** A project with the program of an upgrade test, and its service. */
export class UpgradeStack {
  private constructor(
    readonly emulator: Emulator,
    readonly project: Project,
  ) {}

  static async create({ program, service, config, env, ...rest }: UpgradeStackOptions): Promise<UpgradeStack> {
    const seed = {
      ...template,
      credentials: {
        apiKey,
        accessToken: "access-of-the-upgrade-program",
        refreshToken: "refresh-of-the-upgrade-program",
      },
      tasks: [...template.tasks, ...template.tasks.map((task) => ({ ...task, taskId: adoptedTask }))],
    };
    const emulator = await startEmulator({ seed, stateFile: service });
    try {
      const project = await Project.create({
        ...rest,
        ...names,
        config: {
          "webextract:baseUrl": emulator.url,
          "webextract:actionTypes": "LoopAction,NavigateAction",
          ...config,
        },
        secrets: { ...secrets, "webextract:profiles": JSON.stringify({ uploads: { apiKey } }) },
        // Access tokens expire after a day, so the recorded state contains none.
        env: { WEBEXTRACT_ACCESS_TOKEN: emulator.credentials.accessToken, WEBEXTRACT_API_KEY: apiKey, ...env },
      });
      cpSync(program, project.folder, { recursive: true });
      return new UpgradeStack(emulator, project);
    } catch (error) {
      await emulator.close();
      throw error;
    }
  }

  /**
   * Imports the recorded stack of a version. `kept` is its folder in the fixtures. With `moved`, the state keeps the old address of the service;
   * otherwise it gets the present address.
   */
  static async restore(
    kept: string,
    { moved = false, ...options }: Omit<UpgradeStackOptions, "program" | "service"> & { moved?: boolean },
    scratch: string,
  ): Promise<UpgradeStack> {
    const service = join(scratch, files.service);
    cpSync(join(fixtures, kept, files.service), service);
    const stack = await UpgradeStack.create({ ...options, program: join(fixtures, kept, files.program), service });
    const text = readFileSync(join(fixtures, kept, files.stack), "utf8");
    writeFileSync(join(scratch, files.stack), moved ? text : text.replaceAll(originOf(text), stack.emulator.url));
    await stack.project.run(["stack", "import", "--file", join(scratch, files.stack)]);
    return stack;
  }

  /** Names of the operations since the last call, in order. */
  operations(): string[] {
    const asked = this.emulator.requests.map(({ operation }) => operation);
    this.emulator.clearRequests();
    return asked;
  }

  async remove(): Promise<void> {
    await this.project.remove();
    await this.emulator.close();
  }
}

/** The address of the service in a recorded state. */
export function originOf(stack: string): string {
  const origin = /"origin": "([^"]+)"/.exec(stack)?.[1];
  if (origin === undefined) {
    throw new Error("the state does not say where it was made");
  }
  return origin;
}

/** Removes the source positions of the engine, which contain paths of the machine. */
export function withoutPaths(state: string): string {
  return state.replace(
    /project:\/\/\/(?:\.\.\/)+[^"]*?\/(dist|node_modules)\//g,
    "project:///node_modules/pulumi-webextract/$1/",
  );
}
