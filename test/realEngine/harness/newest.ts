import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { peerDependencies } from "../../../package.json";
import type { Engine } from "../../../scripts/engine/engine";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import { newestEngine } from "../../../scripts/engine/goBuild";
import { ensureHosts } from "../../../scripts/engine/hosts";
import { nodeFolder } from "./nodes";
import { installTarball, newestVersion } from "./package";

/** What users get who install today. Options of a project, see `project.ts`. */
export interface Newest {
  engine: Engine;
  sdk: string;
  path: string[];
}

/** The major versions of Node.js on which the newest SDK is tried. */
export const newestNodes = ["24", "26"];

/** Optional peer dependencies that some exports need, in their declared ranges. */
const exportPackages = ["@aws-sdk/client-s3", "@hpcc-js/wasm-zstd", "hyparquet-writer"].map(
  (name) => `${name}@${peerDependencies[name as keyof typeof peerDependencies]}`,
);

const made = new Map<string, Promise<Newest>>();

/**
 * The newest engine, and the newest SDK with the packed package in a temporary folder. The engine is built once for a machine, the rest once for a process.
 * In `npm run test:newest`, all processes share the folder.
 */
export function newest(node = "24"): Promise<Newest> {
  const found = made.get(node) ?? make(node);
  made.set(node, found);
  return found;
}

async function make(node: string): Promise<Newest> {
  const engine = await ensureEngine({ version: await newestEngine() });
  await ensureHosts(engine, ["yaml"]);
  return { engine, sdk: process.env.TEST_SDK ?? (await installSdk()), path: [await nodeFolder(node)] };
}

async function installSdk(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-newest-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await installTarball(folder, [
    `@pulumi/pulumi@${await newestVersion("@pulumi/pulumi", "^3")}`,
    `@pulumi/policy@${await newestVersion("@pulumi/policy", "^1")}`,
    ...exportPackages,
  ]);
  return folder;
}

/** The environment in which all tests on the engine use the newest engine, SDK and Node.js. */
export async function newestEnvironment(node: string): Promise<NodeJS.ProcessEnv> {
  const { engine, sdk, path } = await newest(node);
  return { ...process.env, PATH: [dirname(engine.pulumi), ...path, process.env.PATH].join(":"), TEST_SDK: sdk };
}
