import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { NoEngine } from "./engine";
import { findGo } from "./goBuild";

/** The newest version of the engine that is published as a Go module. */
export async function newestEngine(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const go = findGo(env);
  if (go === undefined) {
    throw new NoEngine("Go is not on PATH, so the newest version of the engine cannot be looked up");
  }
  const newest = ["list", "-m", "-f", "{{.Version}}", "github.com/pulumi/pulumi/pkg/v3@latest"];
  // In a folder without a go.mod, so that no module of this repository counts.
  const { stdout } = await promisify(execFile)(go, newest, { cwd: tmpdir(), env }).catch((error) => {
    throw new NoEngine(`Go could not look up the newest engine: ${String(error.stderr).trim().split("\n").at(-1)}`);
  });
  return stdout.trim().replace(/^v/, "");
}
