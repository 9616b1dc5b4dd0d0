import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../errors";
import type { StateDocument, StateExtras } from "../document/stateDocument";
import { fillStore } from "../document/stateDocument";
import { Store } from "../store";
import { StateDatabase } from "./database";
import { StateRecords } from "./records";

/** The message about a file that is not damaged. SQLite does not tell which error of the system it has met. */
export function unusable(file: string, done: "opened" | "created", reason: string): string {
  const folder = dirname(resolve(file));
  const { bavail } = statfsSync(folder);
  const cause = bavail === 0 ? "the disk is full" : systemReason(file, folder);
  return (
    `the state file ${file} could not be ${done}: ${cause ?? reason}. ` +
    "Action: make sure that the disk has space and that this user can write the file and its folder; the file has not changed"
  );
}

/** Why the system does not let this process write a file; undefined if it does. */
function systemReason(file: string, folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    if (existsSync(file)) closeSync(openSync(file, "r+"));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Creates a state file, or replaces it. The file appears under its name when it is complete. */
export function createStateFile(name: string, store: Store, extras: StateExtras): void {
  const path = resolve(name);
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.new`;
  let database: StateDatabase | undefined;
  try {
    database = StateDatabase.create(unfinished);
    store.collect();
    new StateRecords(database, store).save(extras);
    database.close();
    // Windows syncs only what is open for writing.
    syncFile(unfinished, "r+");
  } catch (error) {
    database?.close();
    // On a full disk, it would take the space that is left.
    for (const end of ["", "-wal", ".lock"]) rmSync(unfinished + end, { force: true, recursive: true });
    throw new Error(unusable(name, "created", messageOf(error)), { cause: error });
  }
  // A kill leaves the log of an earlier file with this name. SQLite would write its changes into the new file.
  rmSync(`${path}-wal`, { force: true });
  renameSync(unfinished, path);
  // The new name must survive a loss of power too. Windows opens no folders.
  if (process.platform !== "win32") syncFile(dirname(path), "r");
}

/** Creates a state file with the content of a document. */
export function createFromDocument(name: string, document: StateDocument): void {
  const store = new Store();
  fillStore(store, document);
  createStateFile(name, store, { plan: document.plan, credentials: document.credentials });
}

/**
 * Replaces a file of version 1, which is a JSON document.
 * @returns the name under which it is kept.
 */
export function convertStateFile(name: string, document: StateDocument): string {
  const kept = freeName(name);
  // A second name first: at each moment, one of the two files has the name.
  if (!existsSync(kept)) linkSync(name, kept);
  createFromDocument(name, document);
  return kept;
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const kept = `${name}.v1${number === 1 ? "" : `-${number}`}.json`;
    // A link of an interrupted conversion is the same file.
    if (!existsSync(kept) || readFileSync(kept).equals(readFileSync(name))) return kept;
  }
}

function syncFile(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
