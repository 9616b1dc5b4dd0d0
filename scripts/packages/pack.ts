import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../commands";
import type { PackageFolder } from "./packages";

/** Packs a package as it would be published, with its present `dist`. Returns the path of the tarball in `destination`. */
export async function pack(folder: PackageFolder, destination: string): Promise<string> {
  const packageFolder = join(repositoryRoot, folder);
  if (!existsSync(join(packageFolder, "dist", "index.js"))) {
    throw new Error("there is no dist to pack: run `npm run build` first");
  }
  // npm runs in the folder of the package.
  const target = resolve(destination);
  mkdirSync(target, { recursive: true });
  // Without scripts: `prepare` would build again, and replace dist while tests use it.
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", target, "--loglevel=error"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: packageFolder });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(target, filename);
}
