import type { ExecFileException, ExecFileOptions } from "node:child_process";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { pack } from "../../../scripts/packages/pack";
import type { PackageFolder } from "../../../scripts/packages/packages";

/** The folder of this repository. */
export const repositoryRoot = resolve(__dirname, "../../..");

/**
 * The package and the folder `@pulumi` with the SDK that run in the projects of tests.
 * @param folder into which npm has installed both. Default: `TEST_SDK` in the environment, or this repository
 */
export function packagesIn(folder = process.env.TEST_SDK): { own: string; sdk: string } {
  const own = folder === undefined ? repositoryRoot : join(folder, "node_modules", "pulumi-webextract");
  return { own, sdk: join(folder ?? repositoryRoot, "node_modules", "@pulumi") };
}

/** The version of that SDK. */
export function sdkVersion(): string {
  return JSON.parse(readFileSync(join(packagesIn().sdk, "pulumi", "package.json"), "utf8")).version;
}

const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];

const packed = new Map<string, Promise<string>>();

/**
 * Packs a package with `npm pack`, once for each test run. Returns the path of the tarball. Needs a built `dist`.
 * @param name the package's folder in this repository. Default: `pulumi-webextract`.
 */
export function packTarball(name: PackageFolder = "."): Promise<string> {
  const tarball = packed.get(name) ?? packOnce(name);
  packed.set(name, tarball);
  return tarball;
}

function packOnce(name: PackageFolder): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-pack-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return pack(name, folder);
}

/** Installs the tarball and other packages (`name@version`) into `folder`, as a user would. */
export async function installTarball(folder: string, others: readonly string[] = []): Promise<void> {
  await installPackages(folder, [await packTarball(), ...others]);
}

/** Installs packages (`name@version`, or a file) into `folder`, from npm's cache if possible. */
export async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "package.json"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  }
  await promisify(execFile)("npm", ["install", ...quiet, ...packages], installing(folder)).catch(
    (error: ExecFileException) => {
      const reason = error.stderr?.trim() || error.message;
      throw new Error(`npm could not install ${packages.join(", ")}, from its cache or the registry: ${reason}`);
    },
  );
}

/** Without a limit, npm could wait for the network for ever. */
function installing(cwd: string): ExecFileOptions {
  return { cwd, timeout: 240_000, killSignal: "SIGKILL" };
}

/** The newest version of a package in a range, from the registry or, if it is unreachable, from npm's cache. */
export async function newestVersion(name: string, range: string): Promise<string> {
  const view = (...flags: string[]) =>
    promisify(execFile)("npm", ["view", `${name}@${range}`, "version", "--json", "--loglevel=error", ...flags]);
  const { stdout } = await view("--prefer-online")
    .catch(() => view("--offline"))
    .catch(() => {
      throw new Error(`Which ${name} is the newest, neither the npm registry nor npm's cache could say.`);
    });
  const versions: string | string[] = JSON.parse(stdout);
  return typeof versions === "string" ? versions : (versions.sort(inOrder).at(-1) ?? range);
}

function inOrder(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
