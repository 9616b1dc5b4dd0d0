import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { engineVersion } from "../../../scripts/engine/engine";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import { ensureHosts } from "../../../scripts/engine/hosts";
import { generateSdks, goModule, packSdks } from "../../../scripts/schema/generateSdks";
import type { WorldOptions } from "../world";
import { World } from "../world";
import { pluginSection } from "./nativeWorld";

type SdkWorldOptions = Omit<WorldOptions, "program">;

/** The file of a program in each language with a generated SDK. */
export const programFiles = { python: "__main__.py", go: "main.go" } as const;

/** A program in Python or Go, with the generated SDK on the plugin. */
export async function sdkWorld(
  language: keyof typeof programFiles,
  program: string,
  options: SdkWorldOptions = {},
): Promise<World> {
  await ensureHosts(await ensureEngine(), [language]);
  const files = {
    "Pulumi.yaml": `name: test\nruntime: ${language}\n${pluginSection()}`,
    [programFiles[language]]: program,
    ...options.files,
  };
  return await (language === "go" ? goWorld : pythonWorld)({ ...options, files });
}

async function goWorld({ files, ...options }: SdkWorldOptions): Promise<World> {
  const needed = `${goModule} v0.0.0\ngithub.com/pulumi/pulumi/sdk/v3 v${engineVersion}`;
  const mod = `module test\ngo 1.25\nrequire (\n${needed}\n)\nreplace ${goModule} => ./sdk/go\n`;
  const world = await World.create({
    ...options,
    program: "",
    files: { ...files, "go.mod": mod },
    env: { ...goCaches(), ...options.env },
  });
  const { folder } = world.project;
  await generateSdks(join(folder, "sdk"), "0.1.0", ["go"]);
  for (const module of [join(folder, "sdk", "go"), folder]) {
    await promisify(execFile)("go", ["mod", "tidy"], { cwd: module });
  }
  return world;
}

async function pythonWorld(options: SdkWorldOptions): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-python-")));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await installPython(folder);
  return await World.create({ ...options, program: "", path: [join(folder, "venv", "bin")] });
}

/** Makes `venv` in a folder, with the SDK of Pulumi and the generated one from its tarball. */
export async function installPython(folder: string, packages = ""): Promise<void> {
  const files = await packSdks(join(folder, "sdk"), "0.1.0");
  const sdk = files.find((file) => file.includes("-sdk-python-"));
  const commands = `python3 -m venv venv && venv/bin/pip install -q ${packages}pulumi==${engineVersion} ${sdk}`;
  await promisify(execFile)("bash", ["-ec", commands], { cwd: folder });
}

/** The home of a test has no caches, and the engine runs `go build`. */
export function goCaches(): Record<string, string> {
  const kept = ["GOMODCACHE", "GOCACHE", "GOPATH"].map((name) => [name, execFileSync("go", ["env", name])] as const);
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value).trim()]));
}
