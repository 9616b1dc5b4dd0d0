import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureEngine } from "../../scripts/engine/ensureEngine";
import { ensureHosts } from "../../scripts/engine/hosts";
import { packPlugin } from "../../scripts/plugin/packPlugin";
import { ownPackage } from "../../src/service/ownPackage";
import type { ProjectOptions } from "../../test/realEngine/harness";
import { Project } from "../../test/realEngine/harness";
import { pluginSection } from "../../test/realEngine/plugin/nativeWorld";
import { credentials } from "../stage/emulatorProcess";
import { hostProcess } from "../stage/stack";
import { inWorkFolder } from "../stage/workFolder";
import type { Peer, PeerStack, StackOptions } from "./peer";
import type { Work } from "./programs/work";
import { manifestFiles, manifestProgram, yamlProgram } from "./programs/yamlProgram";

const programs = join(__dirname, "programs");

/** Match the Node.js process that runs a program, and the native plugin, but not a shell that starts them. */
const programProcess = /^\S*node\S* .*\/cmd\/run(?:\/|\s|$)/;
const pluginProcess = /^\S*node\S* .*\/(?:pulumi-resource-webextract|resource-webextract-v[^/]+\/main\.js) /;

const providers = { "dynamic provider": hostProcess, plugin: pluginProcess };

type PulumiPeer = Pick<Peer, "name" | "summary"> &
  Partial<Pick<Peer, "missing" | "works" | "findsChanges" | "survivesLoss">>;

interface TypescriptPeer {
  /** In `programs`. */
  file: string;
  /** Where the resources of this package run; undefined if that is of no interest. */
  runsOn?: keyof typeof providers;
  /** Whether the program reads manifests. */
  hasManifests?: boolean;
}

/** A peer that is a program in TypeScript. All use the same settings: no type check, no preview before the up. */
export function typescriptPeer({ file, runsOn, hasManifests = false, ...peer }: PulumiPeer & TypescriptPeer): Peer {
  const isNative = runsOn === "plugin";
  return {
    ...usual,
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
export function yamlPeer({ hasManifests = false, ...peer }: PulumiPeer & { hasManifests?: boolean }): Peer {
  return {
    ...usual,
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

const usual = { missing: () => undefined, works: true, findsChanges: false, survivesLoss: false };

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
  const project = await Project.create({
    ...program,
    files: { ...program.files, ...declaration({ tasks, revision: 0 }) },
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
  return {
    declare(revision) {
      for (const [path, content] of Object.entries(declaration({ tasks, revision }))) {
        project.write(path, content);
      }
    },
    up: () => project.up(),
    preview: () => project.preview(),
    refresh: () => project.refresh(),
    destroy: () => project.destroy(),
    state() {
      const resources = project.state().resources.filter(({ type }) => !/^pulumi:/.test(type));
      return {
        bytes: statSync(project.stateFile).size,
        resources: resources.length,
        bytesOfResources: Buffer.byteLength(JSON.stringify(resources)),
      };
    },
    stateHolds: (text) => readFileSync(project.stateFile, "utf8").includes(text),
    remove: () => project.remove(),
  };
}
