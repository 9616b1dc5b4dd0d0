import { existsSync } from "node:fs";
import type { StateDocument } from "../document/stateDocument";
import { checkStateDocument, documentText } from "../document/stateDocument";
import { Store } from "../store";
import { createFromDocument } from "./newStateFile";
import { loadState } from "./stateFile";
import { lockState } from "./stateLock";

/**
 * Writes the state of a state file as one JSON document, with credentials, without starting an emulator. A file of an earlier version is
 * converted first.
 * @param write receives the parts of the document in their order.
 * @throws Error if the file does not exist or is not valid, or if an emulator uses it.
 */
export async function exportStateFile(
  stateFile: string,
  write: (text: string) => Promise<void> | void,
  log: (line: string) => void = () => undefined,
): Promise<void> {
  if (!existsSync(stateFile)) throw new Error(`the state file ${stateFile} does not exist`);
  const lock = await lockState(stateFile);
  try {
    const store = new Store();
    const loaded = loadState(lock.file, store, log);
    if (loaded === undefined) throw new Error(`the state file ${stateFile} does not exist`);
    try {
      for (const part of documentText(store, loaded.extras)) await write(part);
    } finally {
      await loaded.stateFile.close();
    }
  } finally {
    await lock.release();
  }
}

/**
 * Creates a state file with the content of an exported document, without starting an emulator.
 * An existing state file is replaced only with `replace`.
 * @throws Error that lists the problems of the document, or if the file exists, or if an emulator uses it.
 */
export async function importStateFile(
  stateFile: string,
  document: unknown,
  { replace = false }: { replace?: boolean } = {},
): Promise<void> {
  const checked: StateDocument = checkStateDocument(document, "the document", "export it again");
  const lock = await lockState(stateFile);
  try {
    if (existsSync(lock.file) && !replace) throw new Error(`the state file ${stateFile} exists`);
    createFromDocument(lock.file, checked);
  } finally {
    await lock.release();
  }
}
