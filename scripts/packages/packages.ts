import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../commands";

/** The folders of the packages, relative to the repository. */
export const packageFolders = [".", "emulator"] as const;

export type PackageFolder = (typeof packageFolders)[number];

/** The folders with a `src` of their own. The package of the root contains all but the emulator. */
export const partsOfProduct = [...packageFolders, "cli", "plugin"] as const;

/** The fields of a package.json that the scripts read. */
export interface Manifest {
  name: string;
  version: string;
  homepage: string;
  exports: Record<string, string | Record<string, string>>;
}

/** @param root the repository. Default: this one. */
export function manifestOf(folder: PackageFolder, root = repositoryRoot): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}
