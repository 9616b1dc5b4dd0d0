import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policyStarter } from "./engine";

const script = "require.resolve('@pulumi/pulumi/cmd/run-policy-pack')";
const text = policyStarter.endsWith(".cmd")
  ? `@echo off\r\nfor /f "delims=" %%i in ('node -p "${script}"') do node "%%i" %*\r\n`
  : `#!/bin/sh\nrun=$(node -p "${script}") && exec node "$run" "$@"\n`;

/**
 * Adds the starter of policy packs to an engine in the cache, unless it exists. The engine runs it in the pack's folder, so that it uses
 * the pack's own SDK.
 */
export function addPolicyStarter(folder: string, say: (line: string) => void): void {
  const file = join(folder, policyStarter);
  if (existsSync(file)) {
    return;
  }
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, text);
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, file);
  } catch (error) {
    // Only policy packs need it, so a cache that cannot be written does not stop the command.
    say(`Policy packs will not run: ${error instanceof Error ? error.message : error}`);
    rmSync(unfinished, { force: true, recursive: true });
  }
}
