import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import { findGo, goBuild } from "../engine/goBuild";

/** The version in go.mod. */
const version = "1.8.0";
const program = process.platform === "win32" ? "versitygw.exe" : "versitygw";

/**
 * Returns the path of Versity S3 Gateway, which keeps the objects of a test in a folder. It is looked for in the cache, `pulumi-webextract` in the
 * user's cache folder, and otherwise built once from its Go modules, which takes about 2 minutes on 2 cores.
 * @param say receives progress messages while it is built. Default: a line on stderr
 */
export async function ensureObjectStore(
  environment: NodeJS.ProcessEnv = process.env,
  say: (line: string) => void = (line) => console.error(line),
): Promise<string> {
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-webextract");
  const path = join(cache, `versitygw-${version}`, program);
  if (existsSync(path)) {
    return path;
  }
  mkdirSync(cache, { recursive: true });
  const release = await lock(cache, { stale: 30_000, update: 5_000, retries: { forever: true, maxTimeout: 2_000 } });
  try {
    // Another process may have built it while this one waited for the lock.
    if (!existsSync(path)) {
      await build(cache, path, environment, say);
    }
  } finally {
    await release();
  }
  return path;
}

/** In a temporary folder that is renamed, so that the cache never holds an incomplete program. */
async function build(
  cache: string,
  path: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const go = findGo(environment);
  if (go === undefined) {
    throw new Error(
      "The tests of exports to S3 need Versity S3 Gateway, and Go is not on PATH to build it. Install Go (https://go.dev/dl/) and try again.",
    );
  }
  say(`Building Versity S3 Gateway ${version} from its Go modules (once, about 2 minutes on 2 cores).`);
  const unfinished = mkdtempSync(join(cache, ".building-"));
  try {
    const output = join(unfinished, program);
    const problem = await goBuild({
      go,
      folder: __dirname,
      package: "github.com/versity/versitygw/cmd/versitygw",
      output,
      environment,
      say,
    });
    if (problem !== undefined) {
      throw new Error(`The build of Versity S3 Gateway failed: ${problem}`);
    }
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, join(path, ".."));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
