import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./folders";
import { Problem } from "./problem";

/** Builds dist if it is missing or older than a source file. The program and the provider host run dist. */
export function ensureBuilt(say: (line: string) => void): void {
  if (!isStale()) return;
  say("Building the package ...");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: projectFolder, stdio: "inherit" });
  if (status !== 0) throw new Problem("The build failed. The messages of the compiler are above.");
}

function isStale(): boolean {
  const built = join(projectFolder, "dist/index.js");
  if (!existsSync(built)) return true;
  const sources = readdirSync(join(projectFolder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(projectFolder, "src", file));
  const configuration = ["tsconfig.json", "tsconfig.build.json"].map((file) => join(projectFolder, file));
  const newest = Math.max(...[...sources, ...configuration].map((file) => statSync(file).mtimeMs));
  return newest > statSync(built).mtimeMs;
}
