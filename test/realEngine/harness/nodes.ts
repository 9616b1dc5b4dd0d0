import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installPackages } from "./package";

const nodes = new Map<string, Promise<string>>();

/** The folder of the program `node`, in a version that npm has for this machine: `20.19.0`, or `20` for the newest of a major version. */
export function nodeFolder(version: string): Promise<string> {
  const found = nodes.get(version) ?? installNode(version);
  nodes.set(version, found);
  return found;
}

async function installNode(version: string): Promise<string> {
  if (process.version === `v${version}`) {
    return dirname(process.execPath);
  }
  const folder = mkdtempSync(join(tmpdir(), "webextract-node-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const name = `node-${process.platform}-${process.arch}`;
  await installPackages(folder, [`${name}@${version}`]);
  return join(folder, "node_modules", name, "bin");
}
