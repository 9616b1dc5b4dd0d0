import { createHash } from "node:crypto";
import fs from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isStoreAddress } from "../../store/storeAddress";
import { pause } from "../../system/clock";
import { lock } from "../../system/fileLock";
import { codeOf, makePrivateFolder, obstacleOf, readPrivateFile, writePrivateFile } from "../../system/privateFile";
import { targetOf } from "../../system/replaceFile";
import { isTemporary, removeAbandonedFiles } from "../../system/temporaryFiles";
import { isRecord } from "../../values/plain";
import type { ClientSettings } from "../options";
import { parsedJson } from "../parsedJson";
import { serviceAddress, spellingsOf } from "../serviceAddress";

/**
 * The newest tokens that one start token led to. A start token is the refresh token that somebody configured or
 * imported. Times are milliseconds since 1970.
 */
export interface TokenFamily {
  /** The name of the start token, see {@link TokenStore.keyOf}. */
  key: string;
  refreshToken: string;
  accessToken: string;
  /** When the access token expires. Absent: not known. */
  expiresAt?: number;
  /** When the start token was first used. For people only: clocks can be wrong. */
  beganAt: number;
  updatedAt: number;
  /** The accounts that have used it, as {@link storedName} writes them. */
  profiles: string[];
}

/** The families of one service that a profile can use. */
export interface Families {
  /** The family that began with the configured refresh token. */
  own?: TokenFamily;
  /** The other families of the profile, in the order in which they began. */
  others: TokenFamily[];
  /** The last one of `others`, if it began after `own`. */
  standIn?: TokenFamily;
  /** The family that `token import` stored last for the profile. */
  imported?: TokenFamily;
}

/** The family of the configured refresh token; without one, and with the store alone, the imported or the only family. */
export function ownFamily({ own, imported, others }: Families, options: CredentialOptions): TokenFamily | undefined {
  const { refreshToken, accessToken, credentialCommand, tokenStore } = options;
  const isStoreAlone = (refreshToken ?? accessToken ?? credentialCommand) === undefined && tokenStore !== undefined;
  return isStoreAlone ? (imported ?? (others.length === 1 ? others[0] : undefined)) : own;
}

type CredentialOptions = Partial<
  Record<"refreshToken" | "accessToken" | "credentialCommand" | "tokenStore", string | undefined>
>;

interface StoreFile {
  version: 1;
  /**
   * In the order in which they began. No family is ever dropped: a clock that is wrong must not cost an account its
   * only valid refresh token.
   */
  families: TokenFamily[];
  /** By account: the key of the family that `token import` stored last. */
  imported: Record<string, string>;
  /** By the key of a family: the place to which it was moved. */
  moved?: Record<string, string>;
  /** The files of other spellings or earlier addresses whose families are in this one. */
  taken?: string[];
}

type StoreSettings = Pick<ClientSettings, "baseUrl" | "movedFrom" | "profile" | "sharesDefault" | "warn">;

/** Milliseconds after which the lock of a killed process is stale. */
const lockStaleAfter = 20_000;

/** The number of tries to get a lock that another process holds. They take about two minutes. */
const lockAttempts = 150;

/** The store exists and cannot be used. The message is for the user. */
export class TokenStoreError extends Error {
  /** What to do. Another store has none of the tokens of this one, and the refresh token that it began with may be spent. */
  readonly hint: string;

  constructor(message: string, remedy = "Make the token store readable") {
    super(message);
    this.hint = `${remedy}, or log in again: set tokenStore to another folder and use a newly issued refresh token.`;
  }
}

/**
 * A refresh and a destroy look where the last up has looked.
 * @param from the place of the file. Tokens that were moved to the same place are those of another address
 */
export function movedFromTo(file: string, to: string, from = file): string {
  if (to === from) {
    return `tokens in ${file} belong to the address to which the service has moved. Set webextract:baseUrl to it, and webextract:movedFrom to this one`;
  }
  const only = isStoreAddress(to) ? "" : ", only on the machine that has that folder";
  return `tokens were moved from ${file} to ${to}. Set tokenStore to it${only}, and run "pulumi up" before a refresh or a destroy`;
}

/**
 * The rotated refresh tokens of one service: a file that only its owner can read. Profiles with the same refresh token
 * share its family, in one process and in several.
 */
export class TokenStore {
  /** Empty if there is no folder for it: then it has no tokens, and nothing is stored. */
  readonly file: string;
  readonly #settings: StoreSettings;
  /** Earlier versions named file and families after the address as it is written. */
  readonly #earlier: readonly string[];
  /** The name of the account, and the one that earlier versions gave it. */
  readonly #names: readonly string[];
  #isLocked = false;
  /** Why there is no lock while work under it runs. */
  #noLock: string | undefined;
  /** The newest tokens of this process, if they could not be stored. */
  #unstored: TokenFamily | undefined;

  constructor(settings: StoreSettings & Pick<ClientSettings, "tokenStore">) {
    const { baseUrl, movedFrom, profile, sharesDefault, tokenStore } = settings;
    this.#settings = settings;
    const service = serviceAddress(baseUrl);
    const spellings = [baseUrl, ...movedFrom].flatMap(spellingsOf);
    this.#earlier = [...new Set(spellings)].filter((address) => address !== service);
    const wasDefault = !sharesDefault && (profile === "" || profile === sharedName);
    this.#names = [storedName(profile), ...(wasDefault ? [sharedName] : [])];
    this.file = tokenStore === undefined ? "" : join(tokenStore, fileOf(service));
  }

  get hasUnstored(): boolean {
    return this.#unstored !== undefined;
  }

  /** The name of a start token in the file, which does not contain the token itself. */
  keyOf(startToken: string): string {
    return keyAt(serviceAddress(this.#settings.baseUrl), startToken);
  }

  /**
   * @param isNeeded whether a corrupt store is an error. Without a start token it is: then nothing else has tokens
   * @param isAgainHere whether a family that was moved may come back
   * @throws TokenStoreError, also if the own family was moved: the token that it began with is spent
   */
  async families(
    startToken: string | undefined,
    isNeeded = startToken === undefined,
    isAgainHere = false,
  ): Promise<Families> {
    const { families, imported, moved = {} } = await this.#read(isNeeded, startToken);
    const [ofImport] = this.#names.flatMap((name) => imported[name] ?? []);
    const own = startToken === undefined ? undefined : this.keyOf(startToken);
    const place = families.findIndex(({ key }) => key === own);
    const movedTo = place < 0 && own !== undefined && !isAgainHere ? moved[own] : undefined;
    if (movedTo !== undefined)
      throw new TokenStoreError(`the ${movedFromTo(this.file, movedTo, dirname(this.file))}`, "Do so");
    const others = families.filter(
      ({ key, profiles }) => key !== own && profiles.some((name) => this.#names.includes(name)),
    );
    const last = others.at(-1);
    return {
      own: families[place],
      others,
      standIn: last !== undefined && place >= 0 && families.indexOf(last) > place ? last : undefined,
      imported: families.find(({ key }) => key === ofImport),
    };
  }

  /**
   * To be called under the lock. If it fails, this store keeps the family until the end of the process.
   * @param startToken the configured one, if any
   */
  async save(family: TokenFamily, startToken?: string): Promise<void> {
    this.#unstored = family;
    await this.#write(await this.#read(false, startToken));
    this.#unstored = undefined;
    await this.#markEarlier().catch(() => undefined);
  }

  /** A process that still uses an earlier address must not send a token that is spent now. */
  async #markEarlier(): Promise<void> {
    const { baseUrl, movedFrom } = this.#settings;
    const former = movedFrom.map(serviceAddress).filter((address) => address !== serviceAddress(baseUrl));
    for (const file of former.map((address) => join(dirname(this.file), fileOf(address)))) {
      const found = await this.#contentOf(file, false);
      if (found === undefined || found.families.length === 0) continue;
      const moved = Object.fromEntries(found.families.map(({ key }) => [key, dirname(this.file)]));
      const content = { ...found, families: [], moved: { ...found.moved, ...moved } };
      await writePrivateFile(file, JSON.stringify(content), true);
    }
  }

  /** Notes that a family is in another place now. To be called under the lock. */
  async remove({ key }: TokenFamily, startToken: string, movedTo: string): Promise<void> {
    const content = await this.#read(true, startToken);
    const families = content.families.filter((each) => each.key !== key);
    await this.#write({ ...content, families, moved: { ...content.moved, [key]: movedTo } });
  }

  /**
   * Makes the family of this start token the one that the profile uses where no credential is configured.
   * @throws TokenStoreError, or an error of the file system
   */
  async setImported(startToken: string): Promise<void> {
    await this.locked(async () => {
      const content = await this.#read(false, startToken);
      const imported = { ...content.imported, [storedName(this.#settings.profile)]: this.keyOf(startToken) };
      await this.#write({ ...content, imported });
    });
  }

  /** To be called under the lock. The code of the error if the store cannot be written. */
  async writeProblem(): Promise<string | undefined> {
    return await this.#write(await this.#read()).then(() => undefined, codeOf);
  }

  /**
   * Runs the work while no other process holds the same store; without a lock if there can be none, because a read-only
   * home folder must not block a command. If the lock is needed, it fails at once without it.
   */
  async locked<T>(work: () => Promise<T>, isNeeded = false): Promise<T> {
    const unlock = await this.#lock(isNeeded ? 1 : lockAttempts).catch((error: unknown) => {
      if (isNeeded) throw error;
      this.#noLock = codeOf(error);
    });
    this.#isLocked = unlock !== undefined;
    try {
      return await work();
    } finally {
      this.#isLocked = false;
      this.#noLock = undefined;
      await unlock?.().catch(() => undefined);
    }
  }

  /** To be called before the refresh token is sent. */
  warnWithoutLock(): void {
    if (this.#noLock === undefined) return;
    this.#settings.warn(
      `The token store ${this.file} cannot be locked (${this.#noLock}): processes that share this refresh token may invalidate it for each other.`,
    );
  }

  async #lock(attempts: number): Promise<() => Promise<void>> {
    await makePrivateFolder(dirname(this.file));
    const target = await targetOf(this.file);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await lock(target, {
          realpath: false,
          stale: lockStaleAfter,
          update: 5_000,
          fs: lockFiles,
          // By default, the library throws and so ends the process. A process that was only suspended for a while must
          // continue.
          onCompromised: (error) => {
            this.#isLocked = false;
            this.#noLock = codeOf(error);
            this.#settings.warn(`The lock of the token store ${this.file} was lost to another process.`);
          },
        });
      } catch (error) {
        if (codeOf(error) !== "ELOCKED" || attempt === attempts) throw error;
        await pause(Math.min(1_000, 20 * 1.2 ** attempt) * (1 + Math.random()));
      }
    }
  }

  async #write(content: StoreFile): Promise<void> {
    await makePrivateFolder(dirname(this.file));
    await writePrivateFile(this.file, `${JSON.stringify(content)}\n`, true);
    const target = await targetOf(this.file);
    await removeAbandonedFiles(dirname(target), (name) => name.startsWith(`${basename(target)}.`) && isTemporary(name));
  }

  /**
   * The content, with the families of other spellings and of earlier addresses, and with the tokens that could not be
   * stored.
   * @param isNeeded whether a corrupt store is an error
   * @param startToken finds its family under an earlier address, where it gets its present name
   */
  async #read(isNeeded = false, startToken?: string): Promise<StoreFile> {
    if (this.file === "") return nothing;
    let content = (await this.#contentOf(this.file, isNeeded)) ?? nothing;
    for (const address of this.#earlier) {
      const name = fileOf(address);
      const beside = join(dirname(this.file), name);
      const found = content.taken?.includes(name) ? undefined : await this.#contentOf(beside, isNeeded);
      content = found === undefined ? content : withEarlier(content, found, name);
      if (startToken !== undefined) {
        content = renamed(content, keyAt(address, startToken), this.keyOf(startToken));
      }
    }
    return this.#unstored === undefined ? content : withFamily(content, this.#unstored, this.#settings.profile);
  }

  /** Undefined if there is no such file. */
  async #contentOf(file: string, isNeeded: boolean): Promise<StoreFile | undefined> {
    let text: string | undefined;
    try {
      text = await readPrivateFile(file);
    } catch (error) {
      const { reason, isOfOther } = await obstacleOf(file, error, "readable");
      const remedy = isOfOther ? "Run this as that user" : undefined;
      throw new TokenStoreError(`the token store ${file} cannot be read ${reason}`, remedy);
    }
    const content = text === undefined ? undefined : (parse(text) ?? (await this.#corrupt(file, isNeeded)));
    if (content === "otherVersion") {
      throw new TokenStoreError(
        `the token store ${file} was written by another version of pulumi-webextract and was not changed`,
      );
    }
    return content;
  }

  /**
   * The file is kept, because it can contain the only valid refresh token. The work continues, because the configured
   * refresh token can still be valid. Without the lock, another process can replace the file at any moment, so only the
   * holder of the lock renames it.
   */
  async #corrupt(file: string, isNeeded: boolean): Promise<undefined> {
    if (this.#isLocked) {
      const target = await targetOf(file);
      const aside = `${target}.corrupt-${Date.now()}`;
      await rename(target, aside).catch((error: unknown) => {
        throw new TokenStoreError(`the token store ${file} is corrupt and cannot be renamed (${codeOf(error)})`);
      });
      this.#settings.warn(`The token store ${file} is corrupt. It was renamed to ${aside}.`);
    } else if (isNeeded || this.#noLock !== undefined) {
      const noLock = this.#noLock === undefined ? "" : `, because it cannot be locked (${this.#noLock})`;
      throw new TokenStoreError(
        `the token store ${file} is corrupt and was not changed${noLock}. It can contain the only valid refresh token: keep a copy, correct the file, or import a newly issued refresh token with "webextract token import"`,
      );
    }
    return undefined;
  }
}

const nothing: StoreFile = { version: 1, families: [], imported: {} };

/** Earlier versions called so both the account of the top level and a profile that is called so. */
const sharedName = "default";

/** The name of an account in the file. That of the top level is empty, and a profile's name never is {@link sharedName}. */
export function storedName(profile: string): string {
  return /^=*default$/.test(profile) ? `=${profile}` : profile;
}

function fileOf(address: string): string {
  return `${sha256(address).slice(0, 32)}.json`;
}

function keyAt(address: string, startToken: string): string {
  return sha256(`${address}\n${startToken}`);
}

/** The families of an earlier address began before those of the present one. */
function withEarlier(content: StoreFile, earlier: StoreFile, name: string): StoreFile {
  const isNew = ({ key }: TokenFamily): boolean => content.families.every((each) => each.key !== key);
  return {
    ...content,
    families: [...earlier.families.filter(isNew), ...content.families],
    imported: { ...earlier.imported, ...content.imported },
    moved: { ...earlier.moved, ...content.moved },
    taken: [...(content.taken ?? []), name, ...(earlier.taken ?? [])],
  };
}

/** A family that began at the present address is not replaced. */
function renamed(content: StoreFile, from: string, to: string): StoreFile {
  if (content.families.some(({ key }) => key === to)) return content;
  const nameOf = (key: string): string => (key === from ? to : key);
  return {
    ...content,
    families: content.families.map((family) => ({ ...family, key: nameOf(family.key) })),
    imported: Object.fromEntries(Object.entries(content.imported).map(([name, key]) => [name, nameOf(key)])),
    moved: Object.fromEntries(Object.entries(content.moved ?? {}).map(([key, place]) => [nameOf(key), place])),
  };
}

function withFamily(content: StoreFile, family: TokenFamily, profile: string): StoreFile {
  const before = content.families.find(({ key }) => key === family.key);
  // This account uses it, so a name that says less is not needed.
  const others = (before?.profiles ?? family.profiles).filter((name) => name !== sharedName);
  const profiles = [...new Set([...others, storedName(profile)])];
  const renewed = { ...family, profiles };
  const families = content.families.map((each) => (each === before ? renewed : each));
  return { ...content, families: before === undefined ? [...families, renewed] : families };
}

/**
 * The file system of the lock library. The time of a live lock is never in the future. Such a lock was made while the
 * clock was wrong, and the library would wait until that time. So it gets the oldest time, with which the lock is
 * stale.
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

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Undefined if the content is invalid. */
function parse(text: string): StoreFile | "otherVersion" | undefined {
  const content = parsedJson(text);
  if (!isRecord(content)) return undefined;
  const { version, families, imported } = content;
  if (typeof version === "number" && version !== 1) return "otherVersion";
  const isValid = version === 1 && Array.isArray(families) && families.every(isTokenFamily) && isRecord(imported);
  return isValid ? (content as unknown as StoreFile) : undefined;
}

function isTokenFamily(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, refreshToken, accessToken, expiresAt, beganAt, updatedAt, profiles } = value;
  return (
    [key, refreshToken, accessToken].every((each) => typeof each === "string") &&
    [beganAt, updatedAt, expiresAt ?? 0].every((time) => typeof time === "number" && isTime(time)) &&
    Array.isArray(profiles) &&
    profiles.every((profile) => typeof profile === "string")
  );
}

/** Whether a number is a time that a `Date` can hold. */
export function isTime(milliseconds: number): boolean {
  return !Number.isNaN(new Date(milliseconds).getTime());
}
