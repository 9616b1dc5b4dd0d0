import { buildIfStale } from "../build";
import { isBuilt } from "../packages/sources";
import { Problem } from "./problem";

/** Builds dist if it is missing or older than the sources. The program and the provider host run dist. */
export async function ensureBuilt(say: (line: string) => void): Promise<void> {
  if (isBuilt()) return;
  say("Building the package ...");
  const complaints = await buildIfStale();
  if (complaints !== "") throw new Problem(`The build failed:\n${complaints}`);
}
