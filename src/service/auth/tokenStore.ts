import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
// Loaded at the start, although few programs need it, because the library listens to signals from its import on. A listener that is added after
// a `process.once` of the program would be the only one left and would end the process.
import { lock } from "proper-lockfile";
import { codeOf, makePrivateFolder, readPrivateFile, setAside, writePrivateFile } from "../files/privateFile";
import { targetOf } from "../files/replaceFile";
import { isTemporary, removeAbandonedFiles } from "../files/temporaryFiles";
import { pause } from "../http/clock";
import { isRecord } from "../isRecord";
import type { FamilyPlace, StoredFamilies, StoredFamily, TokenFamily } from "./tokenFamily";
import { isTokenFamily } from "./tokenFamily";

interface StoreFile {
  version: 1;
  /** The start tokens are in the file as salted hashes only. */
  salt: string;
  /**
   * By the hash of the start token, in the order in which the families began. No family is ever dropped: a clock that is wrong must not
   * cost an account its only valid refresh token.
   */
  families: Record<string, TokenFamily>;
  /** By profile: the key of the family that `token import` stored last. */
  imported?: Record<string, string>;
}

/** Milliseconds after which the lock of a killed process is stale. */
const lockStaleAfter = 20_000;

/** The number of tries to get a lock that another process holds. They take about two minutes. */
const lockAttempts = 150;

const corrupt =
  'It can contain the only valid refresh token: keep a copy, correct the file, or import a newly issued refresh token with "webextract token import"';

/** The store exists and cannot be used. The message is for the user. */
export class TokenStoreError extends Error {}

/**
 * The rotated refresh tokens of one service: a file that only its owner can read. Profiles with the same refresh token share its family, in
 * one process and in several.
 */
export class TokenStore {
  readonly file: string;
  readonly #profile: string;
  readonly #warn: (message: string) => void;
  #isLocked = false;

  constructor(folder: string, baseUrl: string, profile: string, warn: (message: string) => void) {
    this.file = join(folder, `${createHash("sha256").update(baseUrl).digest("hex").slice(0, 32)}.json`);
    this.#profile = profile;
    this.#warn = warn;
  }

  /**
   * @param isNeeded whether a corrupt store is an error. Without a start token it is: then nothing else has tokens
   * @throws TokenStoreError
   */
  async families(startToken: string | undefined, isNeeded = startToken === undefined): Promise<StoredFamilies> {
    const { salt, families, imported } = await this.#read({ isNeeded });
    const ownKey = startToken === undefined ? undefined : keyOf(salt, startToken);
    const all = Object.entries(families).map(([key, family]) => ({ ...family, key }));
    const place = all.findIndex(({ key }) => key === ownKey);
    const isOther = ({ key, profiles }: StoredFamily) => key !== ownKey && profiles.includes(this.#profile);
    return {
      own: all[place],
      others: all.filter(isOther),
      later: place < 0 ? [] : all.slice(place).filter(isOther),
      imported: all.find(({ key }) => key === imported?.[this.#profile]),
    };
  }

  /**
   * As `families`, for a command that only shows them: rejects if the store cannot be read, is not a folder, or its content is not valid.
   * @throws TokenStoreError
   */
  async readableFamilies(startToken: string | undefined): Promise<StoredFamilies> {
    const folder = dirname(this.file);
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
      throw new TokenStoreError(`the token store ${folder} is not a folder`);
    }
    return this.families(startToken, true);
  }

  /** @throws TokenStoreError, or an error of the file system */
  async save(family: TokenFamily, place: FamilyPlace): Promise<void> {
    await makePrivateFolder(dirname(this.file));
    const content = await this.#read({ maySetAside: true });
    const key = "key" in place ? place.key : keyOf(content.salt, place.startToken);
    const profiles = [...new Set([...(content.families[key]?.profiles ?? []), ...family.profiles, this.#profile])];
    await this.#write({ ...content, families: { ...content.families, [key]: { ...family, profiles } } });
  }

  /**
   * Makes the family of this start token the one that the profile uses where no credential is configured.
   * @throws TokenStoreError, or an error of the file system
   */
  async setImported(startToken: string): Promise<void> {
    await this.locked(async () => {
      const content = await this.#read();
      const imported = { ...content.imported, [this.#profile]: keyOf(content.salt, startToken) };
      await this.#write({ ...content, imported });
    });
  }

  async #write(content: StoreFile): Promise<void> {
    await writePrivateFile(this.file, `${JSON.stringify(content)}\n`, true);
    await this.#removeAbandoned();
  }

  /** To be called under the lock. Rejects if the store cannot be written. */
  async checkWritable(): Promise<void> {
    await this.#write(await this.#read());
  }

  /** Runs the work while no other process holds the same store. Rejects without running it if the lock is not available. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    await makePrivateFolder(dirname(this.file));
    const unlock = await this.#lock();
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      this.#isLocked = false;
      await unlock().catch(() => undefined);
    }
  }

  async #lock(): Promise<() => Promise<void>> {
    const target = await targetOf(this.file);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await lock(target, {
          realpath: false,
          stale: lockStaleAfter,
          update: 5_000,
          fs: lockFiles,
          // By default, the library throws and so ends the process. A process that was only suspended for a while must continue.
          onCompromised: () => this.#warn(`The lock of the token store ${this.file} was lost to another process.`),
        });
      } catch (error) {
        if (codeOf(error) !== "ELOCKED" || attempt === lockAttempts) throw error;
        await pause(Math.min(1_000, 20 * 1.2 ** attempt) * (1 + Math.random()));
      }
    }
  }

  /**
   * Without the lock, another process can replace a corrupt store at any moment, so only the holder of the lock sets one aside.
   * @param isNeeded whether a corrupt store that is not set aside is an error
   */
  async #read({ maySetAside = this.#isLocked, isNeeded = false } = {}): Promise<StoreFile> {
    let text: string | undefined;
    try {
      text = await readPrivateFile(this.file);
    } catch (error) {
      throw new TokenStoreError(`the token store ${this.file} cannot be read (${codeOf(error)})`);
    }
    const content = text === undefined ? undefined : parse(text);
    if (content === "otherVersion") {
      throw new TokenStoreError(
        `the token store ${this.file} was written by another version of pulumi-webextract and was not changed`,
      );
    }
    if (content === undefined && text !== undefined) {
      if (maySetAside) await this.#setAside();
      else if (isNeeded)
        throw new TokenStoreError(`the token store ${this.file} is corrupt and was not changed. ${corrupt}`);
    }
    return content ?? { version: 1, salt: randomBytes(16).toString("hex"), families: {} };
  }

  /**
   * The file is kept, because it can contain the only valid refresh token. The work continues, because the configured refresh token can
   * still be valid.
   */
  async #setAside(): Promise<void> {
    let aside: string;
    try {
      aside = await setAside(this.file);
    } catch (error) {
      throw new TokenStoreError(`the token store ${this.file} is corrupt and cannot be renamed (${codeOf(error)})`);
    }
    this.#warn(`The token store ${this.file} is corrupt. It was renamed to ${aside}.`);
  }

  async #removeAbandoned(): Promise<void> {
    const target = await targetOf(this.file);
    await removeAbandonedFiles(dirname(target), (name) => name.startsWith(`${basename(target)}.`) && isTemporary(name));
  }
}

/**
 * The file system of the lock library. The time of a live lock is never in the future. Such a lock was made while the clock was wrong, and the
 * library would wait until that time. So it gets the oldest time, with which the lock is stale.
 */
const lockFiles = {
  ...fs,
  stat(path: string, done: (error: NodeJS.ErrnoException | null, stats: fs.Stats) => void): void {
    fs.stat(path, (error, stats) => {
      if (error === null && stats.mtimeMs > Date.now() + lockStaleAfter) stats.mtime = new Date(0);
      done(error, stats);
    });
  },
};

function keyOf(salt: string, startToken: string): string {
  return createHash("sha256").update(`${salt}\n${startToken}`).digest("hex");
}

/** Undefined if the content is invalid. */
function parse(text: string): StoreFile | "otherVersion" | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(content)) return undefined;
  const { version, salt, families, imported } = content;
  if (typeof version === "number" && version !== 1) return "otherVersion";
  if (version !== 1 || typeof salt !== "string" || !isRecord(families)) return undefined;
  if (imported !== undefined && !isRecord(imported)) return undefined;
  const entries = Object.entries(families);
  const known = entries.flatMap(([key, family]) => (isTokenFamily(family) ? [[key, family] as const] : []));
  if (known.length < entries.length) return undefined;
  return { version, salt, families: Object.fromEntries(known), imported: imported as StoreFile["imported"] };
}
