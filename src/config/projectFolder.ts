import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isStoreAddress, storeAddressProblem } from "../store/storeAddress";

export const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/**
 * A folder of the configuration, which is relative to the folder of the Pulumi project, wherever the program is in it;
 * without a project, to the present one. The address of a store stays. What only the present folder has stays in use: earlier versions began there.
 */
export function fromProject(path: string, present = process.cwd()): string {
  // A misspelt address is no folder either: its check refuses it as it was given.
  if (isStoreAddress(path) || storeAddressProblem(path) !== undefined) return path;
  const [now, before] = [resolve(projectFolder(present) ?? present, path), resolve(present, path)];
  return existsSync(before) && !existsSync(now) ? before : now;
}

/** The nearest folder with the project's file, from the given one upwards; undefined if there is none. */
export function projectFolder(folder = process.cwd()): string | undefined {
  if (projectFiles.some((name) => existsSync(join(folder, name)))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : projectFolder(above);
}
