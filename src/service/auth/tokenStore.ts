import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import { makePrivateFolder, setAside, writePrivateFile } from "../files/privateFile";
import { isRecord } from "../isRecord";

/** The newest tokens that came from one start token. Times are milliseconds since 1970. */
export interface Chain {
  refreshToken: string;
  accessToken: string;
  /** End of the access token's life. */
  expiresAt?: number;
  /** From here on it is renewed. */
  refreshAt?: number;
  updatedAt: number;
}

interface StoreFile {
  version: 1;
  /** Start tokens stand in the file as salted hashes only. */
  salt: string;
  chains: Record<string, Chain>;
}

/** Chains that nobody has used for so long are dropped: refresh tokens live for days. Milliseconds. */
const longestLife = 90 * 24 * 3600 * 1000;

/**
 * The rotated refresh tokens of one service and profile: a file that only its owner can read, replaced as a whole, so that a reader never
 * sees half of it.
 */
export class TokenStore {
  readonly file: string;
  readonly #folder: string;
  readonly #warn: (message: string) => void;
  #held = false;

  constructor(folder: string, baseUrl: string, profile: string, warn: (message: string) => void) {
    this.#folder = folder;
    this.#warn = warn;
    this.file = join(
      folder,
      `${createHash("sha256").update(`${baseUrl}\n${profile}`).digest("hex").slice(0, 32)}.json`,
    );
  }

  /** The chain that began with this token. */
  async chain(startToken: string): Promise<Chain | undefined> {
    const content = await this.#read();
    return content?.chains[keyOf(content.salt, startToken)];
  }

  /** All other chains, newest first. */
  async otherChains(startToken: string | undefined): Promise<Chain[]> {
    const content = await this.#read();
    if (content === undefined) return [];
    const own = startToken === undefined ? undefined : keyOf(content.salt, startToken);
    const others = Object.entries(content.chains).filter(([key]) => key !== own);
    return others.map(([, chain]) => chain).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Puts a chain in the place of the one that began with `startToken`, or of the one that holds `replaces` as its refresh token. */
  async save(chain: Chain, place: { startToken: string } | { replaces: string }): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const content = (await this.#read(true)) ?? { version: 1, salt: randomBytes(16).toString("hex"), chains: {} };
    const oldest = Date.now() - longestLife;
    const chains = Object.fromEntries(Object.entries(content.chains).filter(([, old]) => old.updatedAt > oldest));
    const key =
      "startToken" in place
        ? keyOf(content.salt, place.startToken)
        : (Object.keys(chains).find((known) => chains[known]?.refreshToken === place.replaces) ??
          keyOf(content.salt, place.replaces));
    chains[key] = chain;
    await writePrivateFile(this.file, `${JSON.stringify({ ...content, chains })}\n`);
  }

  /** Runs `work` while no other process holds the same store. Rejects, without running it, where no lock can be had. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    await makePrivateFolder(this.#folder);
    const unlock = await lock(this.file, {
      realpath: false,
      stale: 20_000,
      update: 5_000,
      retries: { retries: 150, factor: 1.2, minTimeout: 20, maxTimeout: 1_000, randomize: true },
      // The library would end the process: a lock taken over by another, after this one slept, is no reason for that.
      onCompromised: () => this.#warn(`The lock of the token store ${this.file} was lost to another process.`),
    });
    this.#held = true;
    try {
      return await work();
    } finally {
      this.#held = false;
      await unlock().catch(() => undefined);
    }
  }

  /** Without the lock another process may put a good store in the place of a bad one at any moment: only its holder sets one aside. */
  async #read(mayBeReplaced = this.#held): Promise<StoreFile | undefined> {
    let text = "";
    try {
      text = await readFile(this.file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    }
    const content = parse(text);
    if (content === undefined && mayBeReplaced) await this.#setAside();
    return content;
  }

  /** Not fatal: the start token may still work. Kept, because it may hold the only valid refresh token. */
  async #setAside(): Promise<void> {
    const aside = await setAside(this.file);
    this.#warn(`The token store ${this.file} cannot be read as one; it was set aside as ${aside}.`);
  }
}

function keyOf(salt: string, startToken: string): string {
  return createHash("sha256").update(`${salt}\n${startToken}`).digest("hex");
}

function parse(text: string): StoreFile | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(content) || content.version !== 1 || typeof content.salt !== "string" || !isRecord(content.chains))
    return undefined;
  const chains: Record<string, Chain> = {};
  for (const [key, value] of Object.entries(content.chains)) {
    if (!isChain(value)) return undefined;
    chains[key] = value;
  }
  return { version: 1, salt: content.salt, chains };
}

function isChain(value: unknown): value is Chain {
  if (!isRecord(value)) return false;
  const time = (given: unknown) => given === undefined || typeof given === "number";
  return (
    typeof value.refreshToken === "string" &&
    typeof value.accessToken === "string" &&
    typeof value.updatedAt === "number" &&
    time(value.expiresAt) &&
    time(value.refreshAt)
  );
}
