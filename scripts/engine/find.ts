import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Engine } from "./engine";
import { engineAt, engineFiles, foldersOnPath, NoEngine, oldestEngine } from "./engine";

/**
 * Returns the `pulumi` on PATH, if its version is supported and the two programs that Node.js programs need are present.
 * @param wanted the only version to accept. Default: each supported one
 */
export async function findOnPath(environment: NodeJS.ProcessEnv, wanted?: string): Promise<Engine> {
  const folders = foldersOnPath(environment);
  const pulumi = firstExecutable(folders, engineFiles.pulumi);
  if (pulumi === undefined) {
    throw new NoEngine("no pulumi on PATH");
  }
  const version = await versionOf(pulumi, environment);
  if (wanted !== undefined && version !== wanted) {
    throw new NoEngine(`${pulumi} is version ${version}, not ${wanted}`);
  }
  if (!fits(version)) {
    throw new NoEngine(`${pulumi} is version ${version}; version ${oldestEngine} or later, below 4, is required`);
  }
  // A package manager can put only a link to `pulumi` on PATH. The other programs are beside the target of the link.
  const alsoBeside = [...folders, dirname(realpathSync(pulumi))];
  for (const companion of [engineFiles.languageHost, engineFiles.dynamicHost]) {
    if (firstExecutable(alsoBeside, companion) === undefined) {
      throw new NoEngine(`${pulumi} comes without ${companion}`);
    }
  }
  return engineAt(realpathSync(pulumi), "PATH", version, environment);
}

/** Returns the engine in the cache folder `root`. The folder is renamed into place, so it is complete or missing. */
export function findInCache(root: string, version: string, environment: NodeJS.ProcessEnv): Engine {
  const folder = join(root, "bin");
  for (const file of Object.values(engineFiles)) {
    if (firstExecutable([folder], file) === undefined) {
      throw new NoEngine(`nothing complete in ${root}`);
    }
  }
  return engineAt(join(folder, engineFiles.pulumi), "cache", version, environment);
}

/** The path of an executable file in the first folder that has it. */
export function firstExecutable(folders: readonly string[], file: string): string | undefined {
  return folders
    .map((folder) => join(folder, file))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

async function versionOf(pulumi: string, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(pulumi, ["version"], {
      env: { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" },
      timeout: 20_000,
    });
    return stdout.trim().replace(/^v/, "");
  } catch (error) {
    throw new NoEngine(`${pulumi} does not run: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}

function fits(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestEngine.split(".").map(Number);
  return major === oldestMajor && minor !== undefined && minor >= Number(oldestMinor);
}
