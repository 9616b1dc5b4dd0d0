import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** The folder of this repository. */
export const repositoryRoot = resolve(__dirname, "../../..");

const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];

let packed: Promise<string> | undefined;

/** The package as it would be published: `npm pack`, once a test run. Returns the tarball's path. Needs a built `dist`. */
export function packTarball(): Promise<string> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<string> {
  if (!existsSync(join(repositoryRoot, "dist", "index.js"))) {
    throw new Error("there is no dist to pack: run `npm run build` first");
  }
  const folder = mkdtempSync(join(tmpdir(), "webextract-pack-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Without scripts: `prepare` would rebuild dist under the feet of tests that use it.
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder, "--loglevel=error"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: repositoryRoot });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** Installs the tarball and other packages (`name@version`) into `folder`, as a user would. */
export async function installTarball(folder: string, others: readonly string[] = []): Promise<void> {
  const tarball = await packTarball();
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "package.json"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  }
  await promisify(execFile)("npm", ["install", ...quiet, tarball, ...others], { cwd: folder });
}
