/**
 * `npm run build`: compiles both packages, `src` to `dist` and `emulator/src` to `emulator/dist`. The new folders replace the old ones only
 * after both are complete.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, runTool } from "./commands";

/** The folders of the packages, relative to the repository. */
const packages = [".", "emulator"];

/** Resolves with the compiler's errors; an empty string on success. */
export async function build(): Promise<string> {
  const folder = mkdtempSync(join(repositoryRoot, "node_modules", ".building-"));
  try {
    const complaints = await Promise.all(packages.map((name) => compile(name, join(folder, name, "new"))));
    if (complaints.some((complaint) => complaint !== "")) {
      return complaints.join("");
    }
    for (const name of packages) {
      replaceDist(join(repositoryRoot, name, "dist"), join(folder, name));
    }
    return "";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compile(name: string, outDir: string): Promise<string> {
  const { code, output } = await runTool("typescript/tsc", [
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
