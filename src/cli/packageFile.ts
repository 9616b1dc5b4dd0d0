import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

interface PackageFile {
  version: string;
  engines: { node: string };
  peerDependencies: Record<string, string>;
}

/** The description of this package: two folders up from `src/cli` as well as from `dist/cli`. */
export function ownPackage(): PackageFile {
  return JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as PackageFile;
}

/** The version of a package that a project in this folder uses; undefined if it uses none. */
export function versionUsedIn(folder: string, name: string): string | undefined {
  try {
    const file = createRequire(join(folder, "package.json")).resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(file, "utf8")) as PackageFile).version;
  } catch {
    return undefined;
  }
}
