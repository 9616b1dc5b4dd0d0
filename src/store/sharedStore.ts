import { clock, pause } from "../system/clock";
import { madeOnce } from "../values/plain";
import { conditionsNotKept } from "./conditions";
import type { ObjectStore, SmallObject, StoreContext } from "./objectStore";
import { partsOf } from "./storeAddress";
import { refusedCondition, StoreError } from "./storeError";
import { storeOf } from "./storeOf";
import { requireSdks } from "./storeSdk";

/** Below the prefix that the user has chosen. Another layout gets another name. */
const layout = "webextract-v1";

/** Milliseconds for a write whose outcome is not known. Replaced by tests. */
export const patience = { ms: 60_000 };

/** A condition that is refused so often, although it holds, will be refused always. */
const mostRefusals = 5;

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/** By the address: which conditions a store does not keep. */
const tried = new Map<string, Promise<string[]>>();

/** What the processes of several machines share below the address of a store. */
export class SharedStore {
  private readonly sharedPrefix: string;
  private readonly prefix: string;
  private opened: ObjectStore | undefined;

  /** Makes no request. @throws StoreError if the SDK is not installed */
  constructor(
    readonly address: string,
    private readonly context: Omit<StoreContext, "sharedPrefix">,
  ) {
    requireSdks(address, context);
    // With a slash at its end.
    this.sharedPrefix = partsOf(address).key.replace(/(?<=[^/])$/, "/");
    this.prefix = `${this.sharedPrefix}${layout}`;
  }

  /** Made with the first request, because it loads the SDK. */
  private get store(): ObjectStore {
    this.opened ??= storeOf(this.address, { ...this.context, sharedPrefix: this.sharedPrefix });
    return this.opened;
  }

  /** The name of an object, for messages. */
  path(name: string): string {
    return this.store.path(`${this.prefix}/${name}`);
  }

  /** Undefined if there is none. @throws StoreError */
  async get(name: string, signal?: AbortSignal): Promise<SmallObject | undefined> {
    const found = await this.store.get(`${this.prefix}/${name}`, signal);
    if (Number.isNaN(found?.age)) {
      throw new StoreError(`The response about "${this.path(name)}" has no header Date or Last-Modified.`, "refused");
    }
    return found;
  }

  /** The names in a folder. @throws StoreError */
  async names(folder: string): Promise<string[]> {
    const keys = await this.store.keys(`${this.prefix}/${folder}/`);
    return keys.map((key) => key.slice(this.prefix.length + 1));
  }

  /**
   * Refuses a store that ignores conditions: two machines would use one refresh token, or send one request twice. Tried
   * once a process.
   * @throws StoreError
   */
  async requireConditions(): Promise<void> {
    if (!this.store.isUnproven) return;
    const trial = madeOnce(tried, this.address, () => conditionsNotKept(this.store, `${this.prefix}/probe`));
    const lost = await trial.catch((error: unknown) => {
      tried.delete(this.address);
      throw error;
    });
    if (lost.length > 0) {
      throw new StoreError(
        `The store of "${this.address}" does not keep ${lost.join(" and ")}: two machines could use one refresh token, or send one request twice. ` +
          "Nothing was sent to the service. Use Amazon S3, another store that keeps conditions, or a folder.",
        "refused",
      );
    }
  }

  /**
   * Writes an object. If the outcome of a request is not known, the object shows it: each content is written once only,
   * because it has random parts.
   * @param replaces the ETag of the object that may be replaced. Undefined: there must be none
   * @returns its ETag; undefined if there is another object
   * @throws StoreError. If its kind is `unknown`, the object may still be written
   */
  async write(name: string, body: Buffer, replaces: string | undefined): Promise<string | undefined> {
    const key = `${this.prefix}/${name}`;
    const until = clock.now() + patience.ms;
    for (let refusals = 0, wait = firstWaitMs; ; wait = Math.min(2 * wait, longestWaitMs)) {
      try {
        const etag = await this.store.put(key, body, replaces);
        if (etag !== undefined) return etag;
        const found = await this.store.get(key);
        // After a lost response, the request meets the object that it has made itself.
        if (found?.body.equals(body) === true) return found.etag;
        if (found?.etag !== replaces) return undefined;
        refusals += 1;
        if (refusals === mostRefusals) {
          const condition = replaces === undefined ? "If-None-Match" : "If-Match";
          throw refusedCondition(this.path(name), condition, "Use a bucket without versions, or another store.");
        }
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind === "refused" || clock.now() > until) throw error;
      }
      await pause(wait * (0.5 + Math.random()));
    }
  }

  /** False if there is another object now, or none. @throws StoreError */
  async remove(name: string, etag: string): Promise<boolean> {
    return await this.store.remove(`${this.prefix}/${name}`, etag);
  }
}
