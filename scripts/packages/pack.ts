import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../commands";
import type { PackageFolder } from "./packages";
import { manifestOf } from "./packages";

/** Packs a package as it would be published, with its present `dist`. Returns the path of the tarball in `destination`. */
export async function pack(folder: PackageFolder, destination: string): Promise<string> {
  const packageFolder = join(repositoryRoot, folder);
  if (!existsSync(join(packageFolder, "dist", "index.js"))) {
    throw new Error("there is no dist to pack: run `npm run build` first");
  }
  const target = resolve(destination); // npm runs in the folder of the package
  mkdirSync(target, { recursive: true });
  const written = await npmPack(packageFolder, target);
  // Again, with pages whose links lead somewhere: `docs` is not installed.
  const stage = mkdtempSync(join(tmpdir(), "webextract-pack-"));
  await promisify(execFile)("tar", ["-xzf", written, "-C", stage, "--strip-components=1"]);
  for (const page of readdirSync(stage).filter((name) => name.endsWith(".md"))) {
    writeFileSync(join(stage, page), withAddresses(readFileSync(join(stage, page), "utf8"), folder));
  }
  await npmPack(stage, target);
  rmSync(stage, { recursive: true });
  return written;
}

async function npmPack(cwd: string, target: string): Promise<string> {
  // Without scripts: `prepare` would build again, and replace dist while tests use it.
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", target, "--loglevel=error"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(target, filename);
}

/** A relative link leads to the file of this version in the repository. */
function withAddresses(page: string, folder: PackageFolder): string {
  const { version, homepage } = manifestOf(".");
  return page.replace(/(\]\(|(?:src|srcset|href)=")(?![a-z]+:|#)([^)"\s]+)/g, (_, before: string, link: string) => {
    const kind = /\.(png|svg)$/.test(link) ? "raw" : "blob";
    return `${before}${homepage.replace("#readme", "")}/${kind}/v${version}/${posix.join(folder, link)}`;
  });
}
