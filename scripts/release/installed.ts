import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureEngine } from "../engine/ensureEngine";
import { manifestOf, packageFolders } from "../packages/packages";
import { goModule } from "../schema/generateSdks";

/**
 * Installs a version as users do, in an empty folder: both packages from npm's registry, the plugin from where its address leads, and the SDKs from PyPI and
 * from the module proxy of Go.
 * @param server the address of the plugin's archives
 */
export async function checkInstalled(version: string, server: string, say: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "webextract-installed-"));
  const engine = await ensureEngine({ say });
  // PULUMI_HOME and GOMODCACHE too, because what is installed already would not be downloaded.
  const env = {
    ...process.env,
    PATH: `${dirname(engine.pulumi)}:${process.env.PATH}`,
    PULUMI_HOME: join(folder, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    GOMODCACHE: join(folder, "go"),
    GOFLAGS: "-modcacherw",
  };
  const run = async (program: string, ...args: string[]): Promise<string> => {
    say(`$ ${[program, ...args].join(" ")}`);
    return (await promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout.trim();
  };
  const expect = (what: string, found: string): void => {
    if (found !== version) throw new Error(`${what} has version ${found}, and the tag is v${version}.`);
  };
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const packages = packageFolders.map((name) => manifestOf(name).name);
    const sdk = `@pulumi/pulumi@${engine.version}`;
    await run("npm", "install", "--prefer-online", ...packages.map((name) => `${name}@${version}`), sdk);
    for (const program of ["webextract", "webextract-emulator"]) {
      expect(program, await run("npm", "exec", "--no", "--", program, "--version"));
    }
    const types = await run("node", "-p", 'Object.keys(require("pulumi-webextract")).join()');
    if (!types.split(",").includes("TaskCopy")) throw new Error(`pulumi-webextract exports only ${types}.`);
    await run("pulumi", "plugin", "install", "resource", "webextract", version, "--server", server);
    expect("the plugin", JSON.parse(await run("pulumi", "package", "get-schema", `webextract@${version}`)).version);
    await run("python3", "-m", "venv", "venv");
    await run("venv/bin/pip", "install", "--quiet", "--no-cache-dir", `pulumi-webextract==${version}`);
    await run("venv/bin/python", "-c", "import pulumi_webextract; pulumi_webextract.TaskCopy");
    await run("go", "mod", "init", "installed");
    await run("go", "get", `${goModule}/webextract@v${version}`);
    await run("go", "build", `${goModule}/webextract`);
    say(`Version ${version} can be installed.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
