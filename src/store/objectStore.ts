import { ResourceError } from "../values/errors";

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
  /** What refused credentials must be allowed, as a sentence. Absent: what exports need. */
  readonly grants?: string;
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
  /** The ETag of an object. It says without a download that the object has not changed. */
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

/**
 * A request failed. `refused`: the store or the SDK refused it, so nothing was done, and a repetition would be refused
 * too. `unknown`: it may have been executed, also later.
 */
export class StoreError extends ResourceError {
  constructor(
    message: string,
    readonly kind: "refused" | "unknown",
  ) {
    super(message);
  }
}

/**
 * An object store with conditional writes: of exports, and of what machines share. Each method throws a
 * {@link StoreError}. A condition that does not hold is no error.
 */
export interface ObjectStore {
  /** Its address without a key, for messages. */
  readonly name: string;
  /** Whether its conditions must be tried before something depends on them. Known after the first response. */
  readonly isUnproven: boolean;
  /** @throws if the bucket does not exist, if the account may not use it, or if the store writes to another one */
  requireAccess(): Promise<void>;
  /** Whether the store says that there is no such bucket. False if it cannot be asked within a few seconds. */
  isMissing(): Promise<boolean>;
  /** Undefined if there is no such object. A missing bucket looks the same. */
  head(key: string): Promise<StoredObject | undefined>;
  /** Undefined if there is no such object. */
  get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined>;
  /**
   * Writes a small object.
   * @param replaces the ETag of the object that may be replaced. Undefined: there must be none
   * @returns its ETag; undefined if the condition did not hold
   */
  put(key: string, body: Buffer, replaces: string | undefined, signal?: AbortSignal): Promise<string | undefined>;
  /** @returns false if there is another object with this key, or none */
  remove(key: string, etag: string): Promise<boolean>;
  /** As `remove`, and looks whether the object is gone. True if there is none. */
  delete(key: string, etag: string): Promise<boolean>;
  /** The keys that begin so. */
  keys(prefix: string): Promise<string[]>;
  /** The content of an object that has not changed since its ETag was read. */
  read(key: string, etag: string): AsyncGenerator<Uint8Array>;
  /**
   * Sends a complete file in constant memory: in one request, or in parts if it is larger than a part. The object does
   * not exist before the last request. An interruption ends the request in flight.
   * @returns the object; undefined if the store refused the condition
   */
  send(file: FileToSend, context: UploadContext): Promise<StoredObject | undefined>;
}
