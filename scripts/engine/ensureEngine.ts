import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { lock } from "../../src/system/fileLock";
import { buildEngine } from "./build";
import type { Engine } from "./engine";
import { engineAt, engineFiles, engineVersion, NoEngine } from "./engine";
import { findInCache, findOnPath } from "./find";
import { installEngine } from "./install";
import { addPolicyStarter } from "./policyStarter";

export interface EnsureEngineOptions {
  /** The version of the engine. Default: each supported one on PATH, and otherwise the version that is tested. */
  version?: string;
  /** The environment with PATH and PULUMI_HOME, and the base of the engine's environment. Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Receives progress messages while an engine is made. Default: a line on stderr. */
  say?: (line: string) => void;
  /** The ways to make an engine, in order. Default: Pulumi's installer, then a build from Go modules. */
  ways?: readonly EngineWay[];
}

/** A way to make an engine: fills `root`/bin, or throws {@link NoEngine}. */
export interface EngineWay {
  source: "installer" | "go";
  make(root: string, environment: NodeJS.ProcessEnv, say: (line: string) => void, version: string): Promise<void>;
}

const defaultWays: readonly EngineWay[] = [
  { source: "installer", make: installEngine },
  { source: "go", make: buildEngine },
];

/**
 * Returns a Pulumi engine: from PATH, from the cache, from Pulumi's installer, or built from Go modules. The cache is the folder that the
 * Automation API uses, `versions/VERSION` under PULUMI_HOME (default `~/.pulumi`).
 *
 * @throws NoEngine with each way that was tried and what to do next.
 */
export async function ensureEngine(options: EnsureEngineOptions = {}): Promise<Engine> {
  const environment = options.environment ?? process.env;
  const say = options.say ?? ((line: string) => console.error(line));
  const ways = options.ways ?? defaultWays;
  const versions = join(environment.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
  const version = options.version ?? engineVersion;
  const root = join(versions, version);
  const tried: string[] = [];

  const found =
    (await attempt(tried, () => findOnPath(environment, options.version))) ??
    (await attempt(tried, async () => findInCache(root, version, environment)));
  const engine = found ?? (await alone(versions, version, say, makeOne));
  if (isInCache(engine, root)) {
    addPolicyStarter(join(root, "bin"), say);
  }
  return engine;

  async function makeOne(): Promise<Engine> {
    // Another process may have made the engine while this one waited for the lock.
    const made = await attempt([], async () => findInCache(root, version, environment));
    if (made !== undefined) {
      return made;
    }
    for (const way of ways) {
      say(`No Pulumi engine yet (${tried.at(-1)}).`);
      const engine = await attempt(tried, () => makeInto(root, version, way, environment, say));
      if (engine !== undefined) {
        say(`Pulumi ${engine.version} is ready in ${root}.`);
        return engine;
      }
    }
    throw new NoEngine(explain(tried));
  }
}

/** Also true if the cache is on PATH. */
function isInCache(engine: Engine, root: string): boolean {
  return existsSync(root) && realpathSync(dirname(engine.pulumi)) === realpathSync(join(root, "bin"));
}

async function attempt(tried: string[], way: () => Promise<Engine>): Promise<Engine | undefined> {
  try {
    return await way();
  } catch (error) {
    if (error instanceof NoEngine) {
      tried.push(error.message);
      return undefined;
    }
    throw error;
  }
}

/** Makes the engine in a temporary folder and renames it, so that the cache never holds an incomplete engine. */
async function makeInto(
  root: string,
  version: string,
  way: EngineWay,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<Engine> {
  const unfinished = mkdtempSync(join(dirname(root), `.making-${version}-`));
  try {
    await way.make(unfinished, environment, say, version);
    findInCache(unfinished, version, environment);
    rmSync(root, { recursive: true, force: true });
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, root);
    return engineAt(join(root, "bin", engineFiles.pulumi), way.source, version, environment);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Runs `work` in one process at a time. Other processes wait. */
async function alone<T>(
  versions: string,
  version: string,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(versions, { recursive: true });
  const options = { lockfilePath: join(versions, `.making-${version}.lock`), stale: 30_000, update: 5_000 };
  const release = await lock(versions, options).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ELOCKED") {
      throw error;
    }
    say("Another process is installing the Pulumi engine; waiting for it.");
    return await lock(versions, { ...options, retries: { forever: true, minTimeout: 500, maxTimeout: 2_000 } });
  });
  try {
    removeLeftovers(versions, version);
    return await work();
  } finally {
    await release();
  }
}

/** Removes the folders of interrupted builds. Called under the lock only. */
function removeLeftovers(versions: string, version: string): void {
  for (const name of readdirSync(versions)) {
    if (name.startsWith(`.making-${version}-`)) {
      rmSync(join(versions, name), { recursive: true, force: true });
    }
  }
}

function explain(tried: readonly string[]): string {
  return [
    "There is no Pulumi engine, and it could not be installed or built:",
    ...tried.map((line) => `- ${line}`),
    "Install Pulumi (https://www.pulumi.com/docs/install/) and put it on PATH,",
    "or install Go (https://go.dev/dl/), check that it can download modules, and try again.",
  ].join("\n");
}
