import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import type { OnceOperation } from "../resources/task/requestJournal";
import { urnAs } from "../resources/urn";
import { codeOf, makePrivateFolder, readPrivateFile, setAside, writePrivateFile } from "../service/files/privateFile";
import { isTemporary, removeAbandonedFiles } from "../service/files/temporaryFiles";
import { isRecord } from "../service/isRecord";
import type { ProcessName } from "./processes";

/** What identifies a resource in the journal. */
export interface ResourceName {
  urn: string;
  /** The origin of its service. */
  origin: string;
  /** Empty for the credentials of the top level. */
  profile: string;
}

/** One request that must not be sent twice. Contains no secret: only ids, and a salted hash of the inputs. */
export interface Entry extends ResourceName {
  version: 1;
  operation: OnceOperation;
  what: string;
  /** When it was sent: milliseconds since 1970. */
  time: number;
  salt: string;
  inputs: string;
  /** The id of what the request made; undefined before its response, and for an append. */
  id?: string;
  detail: Record<string, unknown>;
  /** The process that sent it. Absent in entries of earlier versions. */
  process?: ProcessName;
}

export interface KeyedEntry {
  key: string;
  entry: Entry;
}

/** How long an entry is kept, in milliseconds. When it no longer counts, a warning can still name what the request made. */
const keptFor = 30 * 24 * 3600 * 1000;

/**
 * The name of an entry's file: one for each resource and operation. It is the same for a dynamic resource and a native one, so that a resource that moves
 * to the other kind finds its entries.
 */
export function keyOf(operation: OnceOperation, { urn, origin, profile }: ResourceName): string {
  const name = JSON.stringify([operation, urnAs(urn, "dynamic"), origin, profile]);
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

/** A process can have about a thousand open files, and a killed command can leave more entries. */
const fewFiles = pLimit(64);

/** The entries of earlier processes, found by the ids of what they made: a killed command can leave thousands of them. */
export class EarlierEntries {
  private readonly byId = new Map<string | undefined, Map<string, Entry>>();

  constructor(entries: readonly KeyedEntry[]) {
    for (const { key, entry } of entries) {
      const ofId = this.byId.get(entry.id) ?? new Map<string, Entry>();
      this.byId.set(entry.id, ofId.set(key, entry));
    }
  }

  all(): KeyedEntry[] {
    return this.of(this.byId.keys());
  }

  of(ids: Iterable<string | undefined>): KeyedEntry[] {
    return [...ids].flatMap((id) => [...(this.byId.get(id) ?? [])].map(([key, entry]) => ({ key, entry })));
  }

  remove({ key, entry }: KeyedEntry): void {
    this.byId.get(entry.id)?.delete(key);
  }
}

/** The journal's folder: a file for each entry. */
export class JournalFiles {
  private names: Promise<Set<string>> | undefined;
  private made: Promise<void> | undefined;
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** Whether an entry can exist. Lists the folder once, so that unchanged resources need no disk access. */
  async mayHave(key: string): Promise<boolean> {
    return (await this.listed()).has(this.fileName(key));
  }

  /** All entries that existed when this process first listed the folder. */
  async all(): Promise<KeyedEntry[]> {
    const keys = [...(await this.listed())].flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? []);
    // An entry that cannot be read blocks only the request that it is about.
    const entries = await Promise.all(
      keys.map((key) => fewFiles(async () => ({ key, entry: await this.read(key).catch(() => undefined) }))),
    );
    return entries.flatMap(({ key, entry }) => (entry === undefined ? [] : [{ key, entry }]));
  }

  /** @throws Error if an entry exists and cannot be read, because it can forbid a second copy or run */
  async read(key: string): Promise<Entry | undefined> {
    const file = this.path(key);
    let text: string | undefined;
    try {
      text = await readPrivateFile(file);
    } catch (error) {
      throw new Error(
        `The journal entry ${file} cannot be read (${codeOf(error)}). It may name a copy or a run that no state holds, so no request was sent. ` +
          "Make the file readable, or look for that copy or run at the service and delete the file.",
      );
    }
    if (text === undefined) {
      return undefined;
    }
    const entry = parse(text);
    if (entry === undefined) {
      const aside = await setAside(file).catch(() => undefined);
      this.warn(
        `The journal entry ${file} is corrupt. ${aside === undefined ? "It could not be renamed" : `It was renamed to ${aside}`}. ` +
          "If the last run was killed, look at the service for a copy or a run that no state holds.",
      );
    }
    return entry;
  }

  /** A journal that cannot be written does not stop the work. */
  async write(key: string, entry: Entry): Promise<void> {
    try {
      this.made ??= makePrivateFolder(this.folder);
      await this.made;
      // Not durable: the engine's own state does not survive a power cut either, and two waits for the disk take longer than a copy.
      await writePrivateFile(this.path(key), `${JSON.stringify(entry)}\n`, false);
      (await this.listed()).add(this.fileName(key));
    } catch (error) {
      if (!this.hasWarned) {
        this.hasWarned = true;
        this.warn(
          `The journal in ${this.folder} cannot be written (${codeOf(error)}): if this run is killed, the next one may copy or start a second time. ` +
            "Set webextract:journal to a folder that can be written, or to off.",
        );
      }
    }
  }

  async remove(key: string): Promise<void> {
    if (await this.mayHave(key)) {
      await rm(this.path(key), { force: true }).catch(() => undefined);
    }
  }

  /** Synchronous, for the end of the process. */
  removeNow(key: string): void {
    try {
      rmSync(this.path(key), { force: true });
    } catch {
      // The entry stays, and the next process that sees the resource removes it.
    }
  }

  private listed(): Promise<Set<string>> {
    this.names ??= this.list();
    return this.names;
  }

  private async list(): Promise<Set<string>> {
    await removeAbandonedFiles(this.folder, isTemporary);
    const names = await readdir(this.folder).catch(() => []);
    const left = await Promise.all(names.map((name) => fewFiles(async () => ((await this.isOld(name)) ? [] : [name]))));
    return new Set(left.flat());
  }

  /** Whether a file is older than `keptFor`. Removes such a file. */
  private async isOld(name: string): Promise<boolean> {
    const path = join(this.folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    const old = Date.now() - mtimeMs > keptFor;
    if (old) {
      await rm(path, { force: true }).catch(() => undefined);
    }
    return old;
  }

  private fileName(key: string): string {
    return `${key}.json`;
  }

  path(key: string): string {
    return join(this.folder, this.fileName(key));
  }
}

function parse(text: string): Entry | undefined {
  let entry: Partial<Entry>;
  try {
    entry = JSON.parse(text);
  } catch {
    return undefined;
  }
  const texts = [entry?.urn, entry?.origin, entry?.profile, entry?.what, entry?.salt, entry?.inputs, entry?.operation];
  const right =
    entry?.version === 1 &&
    texts.every((each) => typeof each === "string") &&
    typeof entry.time === "number" &&
    (entry.id === undefined || typeof entry.id === "string") &&
    isRecord(entry.detail) &&
    (entry.process === undefined || isRecord(entry.process));
  return right ? (entry as Entry) : undefined;
}
