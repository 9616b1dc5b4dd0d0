import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../values/errors";
import { partsOfFile, requireContent } from "./fileParts";
import { limits } from "./limits";
import { bucketTitle, partsOf, withKey } from "./storeAddress";
import type { Facts } from "./storeError";
import { isNoBucket, notRemoved, overwritten, storeError } from "./storeError";

/** Configuration of all stores. */
export interface StoreSettings {
  /** The folder of optional packages, relative to the program's folder. Absent: the program's folder. */
  readonly packagesFolder?: string;
  /**
   * Whether S3 requests have the bucket in the path and not in the host's name. Absent: as the AWS SDK does it by
   * default.
   */
  readonly s3ForcePathStyle?: boolean;
}

export interface StoreContext {
  /** The program's folder. */
  readonly folder: string;
  readonly settings: StoreSettings;
  /** The prefix below which machines share what they have, with a slash at its end. Absent: for exports. */
  readonly sharedPrefix?: string;
}

/** What an upload uses of the step that sends it. */
export interface UploadContext {
  /** Shows a warning beside the resource. */
  warn(message: string): void;
  /** Shows the progress of a long step. Each message replaces the previous one. */
  progress(message: string): void;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
}

/** What is known of the content of a file. */
export interface Content {
  /** Length in bytes. */
  bytes: number;
  /** SHA-256 in hex. */
  sha256: string;
  /**
   * The ETag of an object; in Google Cloud Storage its generation. It says without a download that the object has not
   * changed.
   */
  etag?: string;
}

/** An object, as the store describes it without its content. */
export interface StoredObject {
  etag: string;
  bytes: number;
  /** User-defined metadata, names in lower case. */
  metadata: Readonly<Record<string, string>>;
}

/** A small object with its content. */
export interface SmallObject {
  etag: string;
  body: Buffer;
  /** Milliseconds since it was written, by the store's own clock. */
  age: number;
}

export interface FileToSend {
  /** Path of the complete file. */
  from: string;
  content: Content;
  key: string;
  contentType: string;
  /** The object that may be replaced. Undefined: there must be none. */
  replaces: StoredObject | undefined;
}

/** Where and how an object is written. */
export interface Target {
  readonly key: string;
  readonly contentType?: string;
  /** With it, the object shows which write has made it. */
  readonly metadata?: Record<string, string>;
  /** The ETag of the object that may be replaced. Undefined: there must be none. */
  readonly replaces: string | undefined;
  readonly signal: AbortSignal;
}

interface Page {
  readonly keys: string[];
  readonly next: string | undefined;
}

/** An upload in parts. There is no object before `complete`. */
export interface Upload {
  /** @param body lasts until the next part */
  part(body: Buffer): Promise<void>;
  /** False if the store refused the condition. */
  complete(): Promise<boolean>;
  /** Removes the parts from the store. */
  abort(): Promise<void>;
  /** What to do if it fails. */
  readonly remedy: string;
}

/** The name of the metadata that says which write has made the object: letters only, for Azure. */
const writeKey = "webextractwrite";

/**
 * An object store with conditional writes: of exports, and of what machines share. Each method throws a
 * {@link StoreError}. A condition that does not hold is no error. Repeated requests meet what they have made.
 */
export abstract class ObjectStore {
  protected readonly bucket: string;
  protected readonly sharedPrefix: string | undefined;
  /** What the store calls its requests that list, read, write and remove. */
  abstract readonly operations: readonly [string, string, string, string];
  /** Whether its conditions must be tried before something depends on them. Known after the first response. */
  abstract readonly isUnproven: boolean;

  /** Makes no request. @throws StoreError if the SDK is not installed */
  constructor(
    protected readonly address: string,
    { sharedPrefix }: StoreContext,
  ) {
    this.bucket = partsOf(address).bucket;
    this.sharedPrefix = sharedPrefix;
  }

  /** Undefined if there is no such object. A missing bucket looks the same. */
  abstract head(key: string): Promise<StoredObject | undefined>;
  /** Undefined if there is no such object. */
  abstract get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined>;
  /** @returns false if there is another object with this key, or none */
  abstract remove(key: string, etag: string): Promise<boolean>;
  /** Writes an object in one request. @returns its ETag; undefined if the condition did not hold */
  protected abstract insert(body: Buffer, target: Target): Promise<string | undefined>;
  protected abstract beginUpload(file: FileToSend, target: Target): Promise<Upload>;
  /** Some keys that begin so, and where the next ones are. */
  protected abstract page(prefix: string, after?: string, most?: number, signal?: AbortSignal): Promise<Page>;
  /** The content of an object that has not changed since its ETag was read. */
  protected abstract open(key: string, etag: string): Promise<Readable>;
  /** What an error of the SDK says. */
  protected abstract factsOf(error: unknown, operation: string, object: string): Facts | Promise<Facts>;

  /** The address of a key. */
  path(key: string): string {
    return withKey(this.address, key);
  }

  /** @throws if the bucket does not exist, if the account may not use it, or if the store writes to another one */
  async requireAccess(): Promise<void> {
    await this.named(this.operations[0], "", this.page("", undefined, 1));
  }

  /** Whether the store says that there is no such bucket. False if it cannot be asked within a few seconds. */
  async isMissing(): Promise<boolean> {
    const looking = this.page("", undefined, 1, AbortSignal.timeout(limits.lookMs)).then(
      () => false,
      async (error) => isNoBucket(await this.factsOf(error, this.operations[0], this.path(""))),
    );
    // The search for credentials does not end with the signal.
    return await Promise.race([looking, delay(limits.lookMs, false, { ref: false })]);
  }

  /** The keys that begin so. */
  async keys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
      const { keys, next } = await this.named(this.operations[0], prefix, this.page(prefix, after));
      found.push(...keys);
      after = next;
    }
    return found;
  }

  /**
   * Writes a small object.
   * @param replaces the ETag of the object that may be replaced. Undefined: there must be none
   * @returns its ETag; undefined if the condition did not hold
   */
  async put(key: string, body: Buffer, replaces: string | undefined, signal?: AbortSignal) {
    return await this.insert(body, { key, replaces, signal: smallSignal(signal) });
  }

  /** The content of an object that has not changed since its ETag was read. */
  async *read(key: string, etag: string): AsyncGenerator<Uint8Array> {
    const stream = await this.named(this.operations[1], key, this.open(key, etag));
    const idle = setTimeout(() => stream.destroy(new Error("the response stopped")), limits.idleMs);
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        idle.refresh();
        yield piece;
      }
    } catch (error) {
      await this.named(this.operations[1], key, Promise.reject(error));
    } finally {
      clearTimeout(idle);
    }
  }

  /** As `remove`, and looks whether the object is gone. True if there is none. */
  async delete(key: string, etag: string): Promise<boolean> {
    await this.remove(key, etag);
    // After a lost response, the SDK has repeated the request, which then meets no object.
    const left = await this.head(key);
    if (left?.etag === etag) throw notRemoved(this.path(key), this.operations[3]);
    return left === undefined;
  }

  /**
   * Sends a complete file in constant memory: in one request, or in parts if it is larger than a part. The object does
   * not exist before the last request. An interruption ends the request in flight.
   * @returns the object; undefined if the store refused the condition
   */
  async send(file: FileToSend, context: UploadContext): Promise<StoredObject | undefined> {
    const { key, content, contentType, replaces } = file;
    const id = randomUUID();
    const metadata = { [writeKey]: id };
    const target: Target = { key, contentType, metadata, replaces: replaces?.etag, signal: context.interrupted };
    await this.requireAccess();
    const upload = content.bytes > limits.partBytes ? await this.beginUpload(file, target) : undefined;
    const isSent = await (upload === undefined
      ? this.sendWhole(file, target)
      : this.sendParts(upload, file, context)
    ).catch((error: Error) => error);
    // If a response was lost, the SDK has repeated the request, which meets the object that it has made itself.
    const found = await this.head(key).catch((error: Error) => error);
    const object = found instanceof Error ? undefined : found;
    if (object?.metadata[writeKey] === id) return object;
    if (isSent !== true) {
      // A failed abort is no failure of the export: the warning says what the store still has.
      await upload?.abort().catch((error) => {
        const what = `The multipart upload of "${this.path(key)}" could not be aborted`;
        context.warn(`${what}: ${messageOf(error)} ${upload.remedy}`);
      });
    }
    if (isSent instanceof Error || found instanceof Error) {
      throw isSent instanceof Error ? isSent : found;
    }
    if (isSent) throw overwritten(this.path(key));
    return undefined;
  }

  private async sendWhole({ from, content }: FileToSend, target: Target): Promise<boolean> {
    const body = await readFile(from);
    requireContent(content, createHash("sha256").update(body), from);
    return (await this.insert(body, target)) !== undefined;
  }

  private async sendParts(
    upload: Upload,
    { from, content, key, replaces }: FileToSend,
    context: UploadContext,
  ): Promise<boolean> {
    const hash = createHash("sha256");
    let sent = 0;
    for await (const body of partsOfFile(from)) {
      await upload.part(body);
      hash.update(body);
      sent += body.length;
      context.progress(`${(sent / 1e6).toFixed(0)} of ${(content.bytes / 1e6).toFixed(0)} MB uploaded`);
    }
    requireContent(content, hash, from);
    // Some stores ignore the condition of the last request.
    return (await this.head(key))?.etag === replaces?.etag && (await upload.complete());
  }

  /** Undefined if the request failed with one of these codes. */
  protected async without<T>(codes: readonly string[], operation: string, key: string, sending: Promise<T>) {
    try {
      return await sending;
    } catch (error) {
      const object = this.path(key);
      const facts = await this.factsOf(error, operation, object);
      if (codes.includes(facts.code)) return undefined;
      throw storeError(error, `${operation} of "${object}"`, bucketTitle(object), facts);
    }
  }

  protected async named<T>(operation: string, key: string, sending: Promise<T>): Promise<T> {
    return (await this.without([], operation, key, sending)) as T;
  }
}

/** A request for a small object ends early: who waits for it can look again. */
export function smallSignal(signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(limits.smallMs);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}
