import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StateDocument } from "./internals";
import { loadState, Store, stateDocument } from "./internals";

/** The content of a state file as one document. The emulator that uses the file can be running: this is what a kill would leave. */
export async function savedState(file: string): Promise<StateDocument> {
  const folder = mkdtempSync(join(tmpdir(), "emulator-saved-"));
  const copy = join(folder, "copy.db");
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  const store = new Store();
  const loaded = loadState(copy, store, () => undefined);
  if (loaded === undefined) throw new Error(`${file} does not exist`);
  const document = JSON.parse(JSON.stringify(stateDocument(store, loaded.extras)));
  await loaded.stateFile.close();
  rmSync(folder, { recursive: true });
  return document;
}
