import { readdirSync, readFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { StateDocument, StateExtras } from "./document/stateDocument";
import { checkStateDocument, fillStore, stateDocument } from "./document/stateDocument";
import type { Store } from "./store";

/**
 * Fills an empty store from the file.
 * @returns undefined if the file does not exist.
 * @throws Error with the reason why the file is not valid. The file does not change.
 */
export function loadState(file: string, store: Store): StateExtras | undefined {
  const text = readState(file);
  if (text === undefined) return undefined;
  const document = parseState(file, text);
  fillStore(store, document);
  return { plan: document.plan, credentials: document.credentials };
}

function readState(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
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

/** A damaged file can hold rows that are nowhere else, so no message advises to delete it. */
const remedy = "restore it from a copy, or start with another file";

function parseState(file: string, text: string): StateDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`the state file ${file} is not JSON: ${remedy}`);
  }
  return checkStateDocument(value, `the state file ${file}`, remedy);
}

/** Minimum time between two saves of background work. Changes of a request are saved before its response. */
const backgroundMs = 200;

/** Writes the state file as a whole. */
export class StateWriter {
  private readonly file: string | undefined;
  private readonly text: () => string;
  private writing: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(file: string | undefined, store: Store, extras: () => StateExtras) {
    this.file = file;
    this.text = () => `${JSON.stringify(stateDocument(store, extras()))}\n`;
  }

  /** Removes what killed processes have left. Only for the owner of the lock. */
  async prepare(): Promise<void> {
    if (this.file === undefined) return;
    const folder = dirname(this.file);
    const start = `${basename(this.file)}.`;
    const left = readdirSync(folder).filter(
      (name) => name.startsWith(start) && /^\d+\.tmp$/.test(name.slice(start.length)),
    );
    await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
  }

  /** Writes the current state. Calls during a write share the next write. */
  save(): Promise<void> {
    if (this.file === undefined) return Promise.resolve();
    this.queued ??= this.writing.then(() => {
      this.queued = undefined;
      const write = this.write();
      // A failed write must not fail the next one.
      this.writing = write.catch(() => undefined);
      return write;
    });
    return this.queued;
  }

  /** Writes within a short time. */
  saveSoon(onError: (error: unknown) => void): void {
    if (this.file === undefined || this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.save().catch(onError);
    }, backgroundMs);
  }

  /** Writes for the last time. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.save();
  }

  private async write(): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    await mkdir(dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      // The file holds credentials.
      const handle = await open(temporary, "w", 0o600);
      try {
        await handle.writeFile(this.text());
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }
}
