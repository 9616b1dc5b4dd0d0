import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, StateFileError } from "../../errors";
import type { CredentialStore } from "../credentials";
import type { StateDocument, StateExtras } from "../document/stateDocument";
import { checkStateDocument } from "../document/stateDocument";
import type { Plan } from "../seed";
import type { Store } from "../store";
import { applicationId, databaseVersion, StateDatabase } from "./database";
import { convertStateFile, unusable } from "./newStateFile";
import { remedy, StateRecords } from "./records";

/** Minimum time between two saves of background work. Changes of a request are saved before its response. */
const backgroundMs = 200;

/** From this number of changed records on, requests have their turns during a save. */
const manyChanges = 500;

/** What a state file holds besides the store. */
interface SavedAccount {
  readonly plan: Plan;
  readonly credentials: CredentialStore;
}

/** Saves the changes of a store in its state file. Only for the owner of the lock. */
export class StateFile {
  private account: SavedAccount | undefined;
  private writing: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly database: StateDatabase,
    private readonly records: StateRecords,
  ) {}

  /** Begins to save. @param account has the content that is not in the store. */
  begin(account: SavedAccount): void {
    this.account = account;
    account.credentials.collect();
  }

  /** Resolves when all changes are on disk. Calls during a save share the next one. */
  save(): Promise<void> {
    this.queued ??= this.writing.then(() => {
      this.queued = undefined;
      const write = this.write();
      // A failed save must not fail the next one.
      this.writing = write.catch(() => undefined);
      return write;
    });
    return this.queued;
  }

  /** Saves within a short time. */
  saveSoon(onError: (error: unknown) => void): void {
    if (this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.save().catch(onError);
    }, backgroundMs);
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    try {
      await this.save();
    } finally {
      this.database.close();
    }
  }

  private async write(): Promise<void> {
    if (this.account === undefined) return;
    try {
      if (this.records.unsavedCount >= manyChanges) await this.records.beginSave();
      const { plan, credentials } = this.account;
      this.records.save({ plan, credentials: credentials.toJSON() }, credentials.unsaved);
      credentials.saved();
      await this.database.sync();
    } catch (error) {
      throw new StateFileError(`the state file ${this.database.file} could not be written: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** What SQLite says about the content of a file. Its other errors are of the disk, the permissions or the system. */
const damage = /malformed|not a database|no such (table|column)/;

/**
 * Fills an empty store from a file. A file of version 1 is converted and kept under another name.
 * @returns undefined if the file does not exist.
 * @throws Error with the reason why the file is not valid. The file does not change.
 */
export function loadState(
  file: string,
  store: Store,
  log: (line: string) => void,
): { extras: StateExtras; stateFile: StateFile } | undefined {
  const start = startOf(file);
  if (start === undefined) return undefined;
  if (start.subarray(0, 16).toString("latin1") === "SQLite format 3\0") checkDatabase(file, start);
  else {
    const kept = convertStateFile(file, parseDocument(file));
    log(`converted the state file ${file} to the form of this version; the earlier file is kept as ${kept}`);
  }
  let database: StateDatabase | undefined;
  try {
    database = StateDatabase.open(resolve(file));
    const records = new StateRecords(database, store);
    return { extras: records.load(), stateFile: new StateFile(database, records) };
  } catch (error) {
    database?.close();
    // JSON.parse quotes the text, which can be a credential.
    const reason = error instanceof SyntaxError ? "a record is incomplete" : messageOf(error);
    if (!(error instanceof SyntaxError) && !damage.test(reason)) throw new Error(unusable(file, "opened", reason));
    throw new Error(`the state file ${file} is damaged: ${reason}. Action: ${remedy}`);
  }
}

/** The bytes that tell the kind of a file; undefined if it does not exist. */
function startOf(file: string): Buffer | undefined {
  try {
    const descriptor = openSync(file, "r");
    try {
      const start = Buffer.alloc(100);
      return start.subarray(0, readSync(descriptor, start));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR") throw new Error(`the state file ${file} is a folder: name a file in it`);
    if (code === "EACCES" || code === "EPERM") {
      throw new Error(`the state file ${file} cannot be read, because this user has no permission (${code})`);
    }
    throw new Error(`the state file ${file} cannot be read (${code})`);
  }
}

/** Before the library opens the file, which would change it. The places are those of SQLite's file format. */
function checkDatabase(file: string, start: Buffer): void {
  if (start.length < 100) throw new Error(`the state file ${file} is damaged: it is too short. Action: ${remedy}`);
  if (start.readUInt32BE(68) !== applicationId) {
    throw new Error(`the state file ${file} is not a state of the emulator: ${remedy}`);
  }
  const version = start.readUInt32BE(60);
  if (version !== databaseVersion && version !== databaseVersion - 1) {
    throw new Error(
      `the state file ${file} has version ${version}; this emulator reads versions 1 to ${databaseVersion}`,
    );
  }
  // The lock and SQLite's log belong to a name, so each name would be a file of its own.
  const { nlink } = statSync(file);
  if (nlink > 1) {
    throw new Error(
      `the state file ${file} has ${nlink} names (hard links). Action: use a copy of the file, or a symbolic link`,
    );
  }
}

function parseDocument(file: string): StateDocument {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error(`the state file ${file} is neither a database nor JSON: ${remedy}`);
  }
  return checkStateDocument(value, `the state file ${file}`, remedy);
}
