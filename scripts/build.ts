/** `npm run build`: compiles `src` to `dist`. The old `dist` stands until the new one is whole, and no file of it survives. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, runTool } from "./commands";

/** Resolves with the compiler's complaints; an empty text is success. */
export async function build(): Promise<string> {
  const folder = mkdtempSync(join(repositoryRoot, "node_modules", ".building-"));
  try {
    const { code, output } = await runTool("typescript/tsc", [
      "-p",
      "tsconfig.build.json",
      "--outDir",
      join(folder, "new"),
    ]);
    if (code !== 0) {
      return output;
    }
    replaceDist(join(folder, "new"), join(folder, "old"));
    return "";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function replaceDist(fresh: string, stale: string): void {
  const dist = join(repositoryRoot, "dist");
  if (existsSync(dist)) {
    renameSync(dist, stale);
  }
  renameSync(fresh, dist);
}

if (require.main === module) {
  build().then((complaints) => {
    if (complaints !== "") {
      console.error(complaints);
      process.exitCode = 1;
    }
  });
}
