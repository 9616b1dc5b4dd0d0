/**
 * `npm run release`: the steps of a release. The workflow `release.yml` runs them after a tag is pushed; everyone can run them on their own
 * machine, where `publish` needs `--dry-run`.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Command } from "commander";
import { pluginDownloadURL } from "../../plugin/schema.json";
import { buildIfStale } from "../build";
import { repositoryRoot } from "../commands";
import { writeApiReference } from "../docs";
import { pack } from "../packages/pack";
import { manifestOf, packageFolders } from "../packages/packages";
import { packPlugin } from "../plugin/packPlugin";
import { apiReference } from "../rules/project";
import { packSdks } from "../schema/generateSdks";
import { sectionsOf } from "./changelog";
import { checkInstalled } from "./installed";
import { releaseProblems } from "./problems";
import { publish } from "./publish";
import { rehearse } from "./rehearse";

/** Refuses with all problems. */
function verify(tag: string): void {
  const problems = releaseProblems(tag);
  if (problems.length > 0) {
    throw new Error(`${tag} cannot be released:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
  }
}

/**
 * Writes what is released to `folder`: both packages, the native plugin for each system with checksums, the API reference as a tarball, a bill of
 * materials, and notes.md from the changelog.
 */
async function prepare(tag: string, folder: string): Promise<void> {
  verify(tag);
  const complaints = (await buildIfStale()) || (await writeApiReference(join(repositoryRoot, apiReference)));
  if (complaints !== "") throw new Error(complaints);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const changelog = readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8");
  const notes = sectionsOf(changelog).find(({ version }) => `v${version}` === tag);
  writeFileSync(join(folder, "notes.md"), `${notes?.body}\n`);
  const reference = join(folder, `api-reference-${tag.slice(1)}.tgz`);
  const html = join(repositoryRoot, apiReference);
  await promisify(execFile)("tar", ["-czf", reference, "-C", dirname(html), basename(html)]);
  console.log(reference);
  const sbom = join(folder, `sbom-${tag.slice(1)}.cdx.json`);
  writeFileSync(sbom, await billOfMaterials());
  console.log(sbom);
  for (const name of packageFolders) console.log(await pack(name, folder));
  for (const file of await packPlugin(folder)) console.log(file);
}

/** What the lock file installs for the build, because the bundles contain parts of it. */
async function billOfMaterials(): Promise<string> {
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--loglevel=error"];
  return (await promisify(execFile)("npm", args, { cwd: repositoryRoot, maxBuffer: 2 ** 26 })).stdout;
}

/** A step of its own, because it needs Go. */
async function writeSdks(tag: string | undefined, folder: string): Promise<void> {
  if (tag !== undefined) verify(tag);
  for (const file of await packSdks(folder, manifestOf(".").version)) console.log(file);
}

/** For a clone: a release writes the plugin with the packages. */
async function writePlugin(folder: string): Promise<void> {
  const complaints = await buildIfStale();
  if (complaints !== "") throw new Error(complaints);
  for (const file of await packPlugin(folder)) console.log(file);
}

const command = new Command("npm run release --")
  .description("The steps of a release")
  .option("--rehearse", "run the whole workflow of the last commit against stand-ins on this machine")
  .action(({ rehearse: isRehearsal }: { rehearse?: boolean }) =>
    isRehearsal ? rehearse(console.log) : command.help({ error: true }),
  );
const folderOption = ["--folder <folder>", "folder of what is released", "release"] as const;

command
  .command("verify <tag>")
  .description("check that versions, changelog and recorded state belong to the tag")
  .action(verify);
command
  .command("pack <tag>")
  .description("verify, then write the packages, the plugin, the API reference and notes.md")
  .option(...folderOption)
  .action((tag: string, { folder }: { folder: string }) => prepare(tag, folder));
command
  .command("plugin")
  .description("write the native plugin of this clone")
  .option(...folderOption)
  .action(({ folder }: { folder: string }) => writePlugin(folder));
command
  .command("sdks [tag]")
  .description("verify the tag, if there is one, then write the SDKs for Python and Go; needs Go")
  .option(...folderOption)
  .action((tag: string | undefined, { folder }: { folder: string }) => writeSdks(tag, folder));
command
  .command("publish")
  .description("publish the tarballs with provenance; a version that is already published is left out")
  .option(...folderOption)
  .option("--dry-run", "do everything but the upload", false)
  .option("--no-provenance", "for a first version, which npm takes from a person only")
  .action(({ folder, ...options }: { folder: string; dryRun: boolean; provenance: boolean }) =>
    publish(folder, { ...options, say: console.log }),
  );
command
  .command("check <tag>")
  .description("install the published packages and plugin as users do")
  .option("--server <url>", "where the plugin's archives are", pluginDownloadURL)
  .action((tag: string, { server }: { server: string }) => checkInstalled(tag.slice(1), server, console.log));

command.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
