import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import semver from "semver";
import { manifestOf, packageFolders } from "../packages/packages";

export interface PublishOptions {
  /** Does everything but the upload: npm reads the tarball and shows what it would publish. */
  dryRun: boolean;
  /** Only a workflow that npm trusts can prove where the package comes from, and npm trusts one only for a package that exists. */
  provenance: boolean;
  say(line: string): void;
}

/**
 * Publishes the tarballs in `folder` with provenance. A package that is already published with the same content is left out, so that a release
 * which stopped half-way can be run again.
 */
export async function publish(folder: string, { dryRun, provenance, say }: PublishOptions): Promise<void> {
  // The emulator first, so that users of the new provider find the emulator of the same version.
  const tarballs = [...packageFolders].reverse().map((name) => {
    const { name: packageName, version } = manifestOf(name);
    const file = resolve(folder, `${packageName}-${version}.tgz`);
    return { name: packageName, id: `${packageName}@${version}`, version, file };
  });
  const missing = tarballs.filter(({ file }) => !existsSync(file));
  if (missing.length > 0) {
    throw new Error(`${missing.map(({ file }) => file).join(" and ")} not found. Run: npm run release -- pack TAG`);
  }
  if (provenance && !dryRun) {
    for (const { name } of tarballs) {
      if ((await inRegistry(name, "name")) === undefined) {
        throw new Error(
          `${name} is not on npm, and npm trusts a workflow only for a package that exists. Nothing was published. ` +
            "Publish the first version by hand (contributing/releases.md), then run this job again.",
        );
      }
    }
  }
  for (const { id, version, file } of tarballs) {
    const published = await inRegistry(id, "dist.integrity");
    if (published !== undefined && published !== integrityOf(file)) {
      throw new Error(`${id} is already published with other content. Release a new version.`);
    }
    if (published !== undefined) {
      say(`${id} is already published.`);
    } else {
      const distTag = semver.prerelease(version) === null ? "latest" : "next";
      const flags = [`--provenance=${provenance}`, ...(dryRun ? ["--dry-run"] : [])];
      await npm(["publish", file, "--tag", distTag, ...flags]);
      say(dryRun ? `${id} would be published as ${distTag}.` : `${id} is published as ${distTag}.`);
    }
  }
}

/** A field of a package in the registry; `undefined` if the registry does not have the package, or this version. */
async function inRegistry(id: string, field: "name" | "dist.integrity"): Promise<string | undefined> {
  try {
    // The error code is in the log, which an npm that runs this script with --silent would switch off.
    const args = ["view", id, field, "--json", "--prefer-online", "--loglevel=error"];
    const { stdout } = await promisify(execFile)("npm", args);
    return stdout.trim() === "" ? undefined : JSON.parse(stdout);
  } catch (error) {
    const { stderr = "", message } = error as { stderr?: string; message: string };
    if (/\bE404\b/.test(stderr)) return undefined;
    throw new Error(`The registry does not say whether ${id} is published: ${stderr.trim() || message}`);
  }
}

function integrityOf(file: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
}

/** Runs npm at this terminal: without it, npm does not ask for a second factor. */
function npm(args: readonly string[]): Promise<void> {
  return new Promise((done, reject) => {
    const child = spawn("npm", [...args, "--loglevel=notice"], { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? done() : reject(new Error(`npm ${args.slice(0, 2).join(" ")} ended with ${code}`)),
    );
  });
}
