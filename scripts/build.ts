/**
 * `npm run build`: generates the types of the emulator's contracts, compiles both packages, `src` to `dist` and `emulator/src` to `emulator/dist`,
 * and bundles the program's part, the provider, the command line, the plugin and the emulator. The new folders replace the old ones only after both are complete.
 */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleEmulator, bundleEntries } from "./bundle";
import { repositoryRoot, runTool } from "./commands";
import { generateTypesIfStale } from "./openapi";
import { packageFolders } from "./packages/packages";
import { isBuilt, sourcesDigest, stampFile } from "./packages/sources";

/** Resolves with the errors of the generator or the compiler; an empty string on success. */
export async function build(): Promise<string> {
  const problems = await generateTypesIfStale();
  if (problems !== "") return problems;
  const folder = mkdtempSync(join(repositoryRoot, "node_modules", ".building-"));
  // Before the compiler reads the files: a file that changes during the build makes the result stale.
  const digest = sourcesDigest();
  try {
    const complaints = await Promise.all(packageFolders.map((name) => compile(name, join(folder, name, "new"))));
    if (complaints.some((complaint) => complaint !== "")) {
      return complaints.join("");
    }
    await bundleEntries(join(folder, "new"));
    await bundleEmulator(join(folder, "emulator", "new"));
    for (const name of packageFolders) {
      writeFileSync(join(folder, name, "new", stampFile), digest);
      replaceDist(join(repositoryRoot, name, "dist"), join(folder, name));
    }
    return "";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds unless both `dist` folders are up to date. Resolves as {@link build} does. */
export async function buildIfStale(): Promise<string> {
  return isBuilt() ? await generateTypesIfStale() : await build();
}

async function compile(name: string, outDir: string): Promise<string> {
  const { code, output } = await runTool("typescript-7/tsc", [
    "-p",
    join(name, "tsconfig.build.json"),
    "--outDir",
    outDir,
  ]);
  return code === 0 ? "" : output;
}

function replaceDist(dist: string, folder: string): void {
  if (existsSync(dist)) {
    renameSync(dist, join(folder, "old"));
  }
  renameSync(join(folder, "new"), dist);
}

if (require.main === module) {
  build().then((complaints) => {
    if (complaints !== "") {
      console.error(complaints);
      process.exitCode = 1;
    }
  });
}
