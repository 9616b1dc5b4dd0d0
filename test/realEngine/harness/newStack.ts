import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new stack, as the engine wrote it. */
export interface NewStack {
  /** The text of `Pulumi.STACK.yaml`: the salt of the encryption and the encrypted secrets. */
  settings: string;
  /** A copy of the backend's folder. */
  state: string;
}

const kept = new Map<string, NewStack>();

/** The folder of all copies, made with the first one. */
let copies: string | undefined;

/**
 * A stack that `stack init` and `config set` have made before in this process. Each of the two takes as long as an empty preview, most of it for the
 * key of the encryption, and the result is the same for projects with the same names, passphrase and secrets.
 */
export function keptStack(key: string): NewStack | undefined {
  return kept.get(key);
}

/** Keeps copies of the files of a new stack until the process ends. */
export function keepStack(key: string, settingsFile: string, stateFolder: string): void {
  const state = mkdtempSync(join(folderOfCopies(), "stack-"));
  cpSync(stateFolder, state, { recursive: true });
  kept.set(key, { settings: readFileSync(settingsFile, "utf8"), state });
}

function folderOfCopies(): string {
  if (copies === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "webextract-stacks-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    copies = folder;
  }
  return copies;
}
