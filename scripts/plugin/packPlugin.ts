/** The native plugin as `pulumi plugin install` takes it: a tarball that is the same for every system, because it needs Node.js. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundlePlugin } from "../bundle";
import { repositoryRoot } from "../commands";
import { schemaFile } from "../schema/pluginSchema";

const name = "pulumi-resource-webextract";
const systems = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/**
 * Writes the tarball under the name of each system, as the engine looks for them in a release, and the checksums. Returns the files.
 */
export async function packPlugin(folder: string): Promise<string[]> {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const files = systems.map((system) => join(folder, `${name}-v${version}-${system}.tar.gz`));
  mkdirSync(folder, { recursive: true });
  const [first = "", ...others] = files;
  await writeTarball(first);
  for (const file of others) copyFileSync(first, file);
  const digest = createHash("sha256").update(readFileSync(first)).digest("hex");
  const checksums = join(folder, `${name}_${version}_checksums.txt`);
  writeFileSync(checksums, files.map((file) => `${digest}  ${file.slice(folder.length + 1)}\n`).join(""));
  return [...files, checksums];
}

async function writeTarball(to: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-plugin-"));
  try {
    await bundlePlugin(folder, true);
    copyFileSync(schemaFile, join(folder, "schema.json"));
    copyFileSync(join(repositoryRoot, "LICENSE"), join(folder, "LICENSE"));
    // Without it, Node.js takes the kind of the module from a package.json in a folder above, such as the user's home.
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
    await promisify(execFile)("tar", ["-czf", to, "-C", folder, "."]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
