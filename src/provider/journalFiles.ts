import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import type { OnceOperation } from "../resources/task/requestJournal";
import { urnAs } from "../resources/urn";
import { codeOf, makePrivateFolder, readPrivateFile, writePrivateFile } from "../service/files/privateFile";
import { isTemporary, removeAbandonedFiles } from "../service/files/temporaryFiles";
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
  /** The process that sent it. */
  process: ProcessName;
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

/** The journal's folder: a file for each entry. */
export class JournalFiles {
  private hasWarned = false;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** All entries that can be read. Removes those that are too old, and the temporary files of killed processes. */
  async all(): Promise<KeyedEntry[]> {
    await removeAbandonedFiles(this.folder, isTemporary);
    const names = await readdir(this.folder).catch(() => []);
    const keys = names.flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? []);
    const entries = await Promise.all(
      keys.map((key) =>
        fewFiles(async () => {
          const entry = await this.read(key).catch(() => undefined);
          if (entry !== undefined && Date.now() - entry.time > keptFor) {
            this.remove(key);
            return [];
          }
          return entry === undefined ? [] : [{ key, entry }];
        }),
      ),
    );
    return entries.flat();
  }

  /** @throws Error if an entry exists and cannot be read, because it can forbid a second copy or run */
  async read(key: string): Promise<Entry | undefined> {
    const file = this.path(key);
    try {
      const text = await readPrivateFile(file);
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      throw new Error(
        `The journal entry ${file} cannot be read (${error instanceof SyntaxError ? "it is corrupt" : codeOf(error)}). It may name a copy or a run that no state holds, ` +
          "so no request was sent. Make the file readable, or look for that copy or run at the service and delete the file.",
      );
    }
  }

  /** A journal that cannot be written does not stop the work. */
  async write(key: string, entry: Entry): Promise<void> {
    try {
      await makePrivateFolder(this.folder);
      // Not durable: the engine's own state does not survive a power cut either, and two waits for the disk take longer than a copy.
      await writePrivateFile(this.path(key), `${JSON.stringify(entry)}\n`, false);
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

  /** Synchronous, because it is called at the end of the process too. */
  remove(key: string): void {
    try {
      rmSync(this.path(key), { force: true });
    } catch {
      // The entry stays, and the next process that sees the resource removes it.
    }
  }

  path(key: string): string {
    return join(this.folder, `${key}.json`);
  }
}

/** @throws SyntaxError if a power cut has damaged the entry, or a later version has written it */
function parse(text: string): Entry {
  const entry: Entry | null = JSON.parse(text);
  if (entry?.version !== 1) {
    throw new SyntaxError("no entry of this version");
  }
  return entry;
}
