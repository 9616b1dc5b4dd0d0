import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The version of a package that a project in this folder uses; undefined if it uses none. */
export function versionUsedIn(folder: string, name: string): string | undefined {
  try {
    const file = createRequire(join(folder, "package.json")).resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}
