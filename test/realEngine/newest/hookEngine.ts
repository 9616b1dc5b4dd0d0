import { chmodSync, copyFileSync, linkSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Engine } from "../../../scripts/engine/engine";
import { engineAt, engineFiles } from "../../../scripts/engine/engine";

/** The engine, with the language host of these tests beside it: see `languageHost.js`. */
export function withHookHost(engine: Engine): Engine {
  const bin = mkdtempSync(join(tmpdir(), "webextract-engine-"));
  process.once("exit", () => rmSync(bin, { recursive: true, force: true }));
  const from = dirname(engine.pulumi);
  for (const file of readdirSync(from).filter((name) => name !== engineFiles.languageHost)) {
    put(join(from, file), join(bin, file));
  }
  writeHost(join(bin, engineFiles.languageHost), "");
  writeHost(join(bin, "pulumi-language-bun"), "LANGUAGE_HOST_RUNTIME=bun ");
  return engineAt(join(bin, engineFiles.pulumi), engine.source, engine.version, engine.env);
}

function writeHost(path: string, variables: string): void {
  writeFileSync(path, `#!/bin/sh\n${variables}exec node ${join(__dirname, "languageHost.js")} "$@"\n`);
  chmodSync(path, 0o755);
}

/** The engine looks for hosts beside the program itself, not beside a symbolic link to it. */
function put(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
