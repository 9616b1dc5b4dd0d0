import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureEngine } from "../../scripts/engine/ensureEngine";
import { ensureHosts } from "../../scripts/engine/hosts";
import { packPlugin } from "../../scripts/plugin/packPlugin";
import { ownPackage } from "../../src/system/ownPackage";
import type { ProjectOptions } from "../../test/realEngine/harness";
import { Project } from "../../test/realEngine/harness";
import { pluginSection } from "../../test/realEngine/plugin/nativeWorld";
import { credentials } from "../stage/emulatorProcess";
import { hostProcess, programProcess } from "../stage/stack";
import { inWorkFolder } from "../stage/workFolder";
import type { Work } from "./programs/work";
import { manifestFiles, manifestProgram, yamlProgram } from "./programs/yamlProgram";
import type { PeerService } from "./service";

/** The folder and the service of a peer's stack. */
export interface StackOptions {
  tasks: number;
  service: PeerService;
  /** The rate limit of the service, for peers that have such a setting. */
  requestsPerSecond?: number | undefined;
  /** Environment of the engine and its child processes. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** A way to do the work, as a Pulumi program. */
export interface Peer {
  /** Name in the tables. */
  name: string;
  summary: string;
  /** What its refresh finds: the floors do no work, and a guide-style provider fails if a task is gone. */
  finds: "nothing" | "changes" | "changes and missing tasks";
  /** Matches the command of the process that runs its program. */
  program?: RegExp | undefined;
  /** Matches the command of the process that runs its resources. */
  provider?: RegExp | undefined;
  open(options: StackOptions): Promise<PeerStack>;
}

const programs = join(__dirname, "programs");

/** Matches the Node.js process of the native plugin, but not a shell that starts it. */
const pluginProcess = /^\S*node\S* .*\/(?:pulumi-resource-webextract|resource-webextract-v[^/]+\/main\.js) /;

const providers = { "dynamic provider": hostProcess, plugin: pluginProcess };

interface PeerOptions extends Pick<Peer, "name" | "summary"> {
  /** As the resources of this package do by default. */
  finds?: Peer["finds"];
  /** Whether the program reads manifests. */
  hasManifests?: boolean;
}

interface TypescriptPeer extends PeerOptions {
  /** In `programs`. */
  file: string;
  /** Where the resources of this package run; undefined if that is of no interest. */
  runsOn?: keyof typeof providers;
}

/** A peer that is a program in TypeScript. All use the same settings: no type check, no preview before the up. */
export function typescriptPeer({ file, runsOn, hasManifests = false, ...peer }: TypescriptPeer): Peer {
  const isNative = runsOn === "plugin";
  return {
    finds: "changes and missing tasks",
    ...peer,
    program: programProcess,
    provider: runsOn && providers[runsOn],
    open: (options) =>
      openStack(options, {
        files: {
          "Pulumi.yaml": `name: test\nruntime: nodejs\n${isNative ? pluginSection() : ""}`,
          "package.json": JSON.stringify({ name: "test", private: true }),
          "index.ts": readFileSync(join(programs, `${file}.ts`), "utf8"),
          "work.ts": readFileSync(join(programs, "work.ts"), "utf8"),
          "nothing.ts": readFileSync(join(programs, "nothing.ts"), "utf8"),
        },
        declaration: (work) => (hasManifests ? manifestFiles(work) : { "declared.json": JSON.stringify(work) }),
        link: ["typescript", "axios"],
        config: isNative ? { "webextract:native": "true" } : {},
        env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
      }),
  };
}

/** The same as a program in YAML, which runs on the native plugin. The plugin is installed, as users have it: the engine then keeps its schema. */
export function yamlPeer({ hasManifests = false, ...peer }: PeerOptions): Peer {
  return {
    finds: "changes and missing tasks",
    ...peer,
    provider: pluginProcess,
    async open(options) {
      await ensureHosts(await ensureEngine(), ["yaml"]);
      return openStack(options, {
        files: { "Pulumi.yaml": "name: test\nruntime: yaml\n" },
        // The engine itself reads Pulumi.yaml, several times.
        declaration: (work) =>
          hasManifests ? { "Main.yaml": manifestProgram, ...manifestFiles(work) } : { "Main.yaml": yamlProgram(work) },
        install: "none",
        prepare: installPlugin,
      });
    },
  };
}

async function installPlugin(project: Project): Promise<void> {
  await inWorkFolder(async (folder) => {
    const [tarball] = await packPlugin(folder);
    await project.shell(`pulumi plugin install resource webextract ${ownPackage.version} --file ${tarball}`);
  });
}

interface Program extends ProjectOptions {
  /** The files that contain the work. */
  declaration(work: Work): Record<string, string>;
  prepare?(project: Project): Promise<void>;
}

async function openStack(
  { tasks, service, requestsPerSecond, env }: StackOptions,
  { declaration, prepare, ...program }: Program,
): Promise<PeerStack> {
  const filesOf = (revision: number): Record<string, string> => declaration({ tasks, revision });
  const project = await Project.create({
    ...program,
    files: { ...program.files, ...filesOf(0) },
    config: {
      "webextract:baseUrl": service.url,
      "webextract:actionTypes": "LoopAction,NavigateAction",
      ...program.config,
      ...(requestsPerSecond === undefined ? {} : { "webextract:requestsPerSecond": String(requestsPerSecond) }),
    },
    secrets: { "webextract:accessToken": credentials.accessToken },
    env: { ...program.env, ...env },
  });
  await prepare?.(project);
  return new PeerStack(project, filesOf);
}

/** The stack of a peer. */
export class PeerStack {
  constructor(
    readonly project: Project,
    private readonly filesOf: (revision: number) => Record<string, string>,
  ) {}

  /** Changes the declared property of the first task. */
  declare(revision: number): void {
    for (const [path, content] of Object.entries(this.filesOf(revision))) {
      this.project.write(path, content);
    }
  }

  /** The size of the state, and the average size of the resources in it that do the work, without the engine's own resources. */
  size(): { stateBytes: number; resources: number; bytesOfResource: number } {
    const resources = this.project.state().resources.filter(({ type }) => !/^pulumi:/.test(type));
    return {
      stateBytes: statSync(this.project.stateFile).size,
      resources: resources.length,
      bytesOfResource: Buffer.byteLength(JSON.stringify(resources)) / resources.length,
    };
  }

  /** Whether the state contains this string. */
  stateHolds(text: string): boolean {
    return readFileSync(this.project.stateFile, "utf8").includes(text);
  }
}
