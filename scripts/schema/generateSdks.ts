/** SDKs for other languages, from schema.json. Tests and a release generate them; the repository does not contain them. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureProgram } from "../engine/cachedProgram";
import { engineVersion } from "../engine/engine";
import { runAndWatch } from "../engine/runAndWatch";
import { schemaFile } from "./pluginSchema";

export const sdkLanguages = ["go", "nodejs", "python"] as const;
export type SdkLanguage = (typeof sdkLanguages)[number];

/** As the imports of its packages say. */
export const goModule = "github.com/pulumi-webextract/pulumi-webextract/sdk/go";

const source = join(__dirname, "sdks");

/** Writes a folder for each language into `folder`. */
export async function generateSdks(folder: string, version: string, languages: readonly SdkLanguage[]): Promise<void> {
  await generate(folder, version, languages);
  if (languages.includes("go")) {
    // The generator writes none.
    const required = `require github.com/pulumi/pulumi/sdk/v3 v${engineVersion}`;
    const own = join(folder, "go");
    writeFileSync(join(own, "go.mod"), `module ${goModule}\n\ngo 1.25\n\n${required}\n`);
    await promisify(execFile)("go", ["mod", "tidy"], { cwd: own });
    // The engine looks for the version of the plugin here, and not in the folder of the package.
    cpSync(join(own, "webextract", "pulumi-plugin.json"), join(own, "pulumi-plugin.json"));
  }
}

/** Writes a tarball of the SDK for each language but Node.js, whose programs use the package itself. Returns the files. */
export async function packSdks(folder: string, version: string): Promise<string[]> {
  const released = sdkLanguages.filter((language) => language !== "nodejs");
  const sources = mkdtempSync(join(tmpdir(), "webextract-sdks-"));
  try {
    await generateSdks(sources, version, released);
    mkdirSync(folder, { recursive: true });
    return await Promise.all(
      released.map(async (language) => {
        const file = join(folder, `pulumi-webextract-sdk-${language}-${version}.tgz`);
        await promisify(execFile)("tar", ["-czf", file, "-C", join(sources, language), "."]);
        return file;
      }),
    );
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
}

/** Converts the program `program.pp` in `folder`, as `pulumi convert` does. Writes a folder for each language. */
export async function generatePrograms(folder: string, languages: readonly ("nodejs" | "python")[]): Promise<void> {
  await generate(folder, "0.1.0", languages);
}

async function generate(folder: string, version: string, languages: readonly SdkLanguage[]): Promise<void> {
  const generator = await ensureProgram({
    title: "the generator of SDKs",
    neededBy: "SDKs need",
    file: "webextract-sdks",
    version: `${engineVersion}-${digestOfSource()}`,
    folder: source,
    package: ".",
    about: "about a minute on 2 cores",
  });
  const { code, lines } = await runAndWatch(generator, [schemaFile, version, folder, ...languages], {
    cwd: source,
    env: process.env,
    timeout: 120_000,
    everySoOften: () => undefined,
  });
  if (code !== 0) {
    throw new Error(`The code could not be generated: ${lines.join("\n")}`);
  }
}

function digestOfSource(): string {
  const hash = createHash("sha256");
  for (const file of ["main.go", "ours.go", "programs.go", "go.sum"]) hash.update(readFileSync(join(source, file)));
  return hash.digest("hex").slice(0, 8);
}
