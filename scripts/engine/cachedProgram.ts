import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { lock } from "../../src/system/fileLock";
import { findGo, goBuild } from "./goBuild";

/** A program that tests or a release need, and that is built from Go modules. */
export interface CachedProgram {
  /** What it is, for messages. */
  title: string;
  /** Who needs it: the begin of a sentence. */
  neededBy: string;
  /** Name of the file, without the ending of Windows. */
  file: string;
  version: string;
  /** The folder with go.mod and go.sum. */
  folder: string;
  package: string;
  linkerFlags?: string;
  /** How long the build takes. */
  about: string;
}

/**
 * Returns the path of the program. It is looked for in the cache, `pulumi-webextract` in the user's cache folder, and otherwise built once.
 * @param say receives progress messages while it is built. Default: a line on stderr
 */
export async function ensureProgram(
  program: CachedProgram,
  environment: NodeJS.ProcessEnv = process.env,
  say: (line: string) => void = (line) => console.error(line),
): Promise<string> {
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-webextract");
  const file = process.platform === "win32" ? `${program.file}.exe` : program.file;
  const path = join(cache, `${program.file}-${program.version}`, file);
  if (existsSync(path)) {
    return path;
  }
  mkdirSync(cache, { recursive: true });
  const release = await lock(cache, { stale: 30_000, update: 5_000, retries: { forever: true, maxTimeout: 2_000 } });
  try {
    // Another process may have built it while this one waited for the lock.
    if (!existsSync(path)) {
      await build(program, cache, path, environment, say);
    }
  } finally {
    await release();
  }
  return path;
}

/** In a temporary folder that is renamed, so that the cache never holds an incomplete program. */
async function build(
  { title, neededBy, version, folder, package: source, linkerFlags, about }: CachedProgram,
  cache: string,
  path: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const go = findGo(environment);
  if (go === undefined) {
    throw new Error(
      `${neededBy} ${title}, and Go is not on PATH to build it. Install Go (https://go.dev/dl/) and try again.`,
    );
  }
  say(`Building ${title} ${version} from its Go modules (once, ${about}).`);
  const unfinished = mkdtempSync(join(cache, ".building-"));
  try {
    const output = join(unfinished, basename(path));
    const problem = await goBuild({ go, folder, package: source, output, linkerFlags, environment, say });
    if (problem !== undefined) {
      throw new Error(`The build of ${title} failed: ${problem}`);
    }
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, dirname(path));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
