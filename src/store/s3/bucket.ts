import type { Hash } from "node:crypto";
import { createHash, randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type * as Sdk from "@aws-sdk/client-s3";
import { messageOf, ResourceError } from "../../values/errors";
import { shellWord } from "../../values/words";
import type {
  Content,
  FileToSend,
  ObjectStore,
  SmallObject,
  StoreContext,
  StoredObject,
  UploadContext,
} from "../objectStore";
import { bucketAndKey, s3Path } from "./s3Path";
import type { Dated, S3Client } from "./sdk";
import { limits, s3Client } from "./sdk";
import { notRemoved, otherBucket, overwritten, storeError } from "./storeError";

/** What the requests of one upload have in common. */
interface Sending extends FileToSend {
  object: { Bucket: string; Key: string };
  headers: { ContentType: string; Metadata: Record<string, string> };
  conditions: readonly Condition[];
  /** False with the SDK's setting for stores that refuse checksums, such as AWS_REQUEST_CHECKSUM_CALCULATION=WHEN_REQUIRED. */
  sendsChecksums: boolean;
  options: { abortSignal: AbortSignal };
  context: UploadContext;
}

type Condition = { IfNoneMatch: "*" } | { IfMatch: string };

/** Codes that say that another object has the name, or that the object has changed. */
const conflicts = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];

/** The name of the metadata that says which write has made the object. */
const writeKey = "webextract-write";

/** The requests of this package to one bucket of S3. */
export class Bucket implements ObjectStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly grants: string | undefined;

  /**
   * The bucket of a path. Makes no request.
   * @throws StoreError if the SDK is not installed
   */
  constructor(path: string, context: StoreContext) {
    this.client = s3Client(context);
    this.bucket = bucketAndKey(path).bucket;
    this.grants = context.grants;
  }

  get name(): string {
    return s3Path(this.bucket, "").slice(0, -1);
  }

  /** Amazon S3 is known. */
  get isUnproven(): boolean {
    return !/\.amazonaws\.com(?:\.cn)?$/.test(this.client.seen.host);
  }

  async requireAccess(): Promise<void> {
    await this.list("", { MaxKeys: 1 });
  }

  async isMissing(): Promise<boolean> {
    const looking = this.client
      .listObjectsV2({ Bucket: this.bucket, MaxKeys: 1 }, { abortSignal: AbortSignal.timeout(limits.lookMs) })
      .then(
        () => false,
        ({ name }: Error) => name === "NoSuchBucket",
      );
    // The search for credentials does not end with the signal.
    return await Promise.race([looking, delay(limits.lookMs, false, { ref: false })]);
  }

  private async list(prefix: string, request: Partial<Sdk.ListObjectsV2Request>): Promise<Sdk.ListObjectsV2Output> {
    const sending = this.client.listObjectsV2({ Bucket: this.bucket, ...request });
    const list = await this.named("ListObjectsV2", prefix, sending);
    // A store that takes the bucket from the path would make a bucket of the first part of the key. AWS reserves the
    // ending for aliases of access points.
    if (list.Name !== this.bucket && !this.bucket.endsWith("-s3alias")) {
      throw otherBucket(this.bucket, list.Name);
    }
    return list;
  }

  async head(key: string): Promise<StoredObject | undefined> {
    try {
      const { ETag, ContentLength, Metadata } = await this.client.headObject({ Bucket: this.bucket, Key: key });
      return { etag: ETag ?? "", bytes: ContentLength ?? 0, metadata: Metadata ?? {} };
    } catch (error) {
      if ((error as Error).name === "NotFound") {
        return undefined;
      }
      // The response to HeadObject has no body, so no reason. The response to a read of the object has one.
      const reading = this.client.getObject({ Bucket: this.bucket, Key: key, Range: "bytes=0-0" });
      return this.named(
        "HeadObject",
        key,
        reading.then(({ Body }) => {
          (Body as Readable).destroy();
          throw error;
        }),
      );
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined> {
    const getting = this.client.getObject({ Bucket: this.bucket, Key: key }, small(signal)).then(async (found) => {
      const { ETag = "", LastModified, Body, $metadata } = found;
      const body = Buffer.from((await Body?.transformToByteArray()) ?? []);
      const age = Date.parse(($metadata as Dated).date ?? "") - Number(LastModified);
      return { etag: bare(ETag), body, age };
    });
    return await this.without(["NoSuchKey"], "GetObject", key, getting);
  }

  async put(
    key: string,
    body: Buffer,
    replaces: string | undefined,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const conditions = replaces === undefined ? [{ IfNoneMatch: "*" } as const] : ifMatch(replaces);
    const checksums = await this.named("PutObject", key, this.client.config.requestChecksumCalculation());
    const request = {
      Bucket: this.bucket,
      Key: key,
      Body: body,
      ...(checksums === "WHEN_SUPPORTED" && checksumOf(body)),
    };
    const done = await this.underCondition("PutObject", key, conditions, (condition) =>
      this.client.putObject({ ...request, ...condition }, small(signal)),
    );
    return done === undefined ? undefined : bare(done.ETag ?? "");
  }

  async send(file: FileToSend, context: UploadContext): Promise<StoredObject | undefined> {
    const { key, contentType, replaces } = file;
    const id = randomUUID();
    const checksums = await this.named("PutObject", key, this.client.config.requestChecksumCalculation());
    const sending: Sending = {
      ...file,
      object: { Bucket: this.bucket, Key: key },
      headers: { ContentType: contentType, Metadata: { [writeKey]: id } },
      conditions: replaces === undefined ? [{ IfNoneMatch: "*" }] : ifMatch(replaces.etag),
      sendsChecksums: checksums === "WHEN_SUPPORTED",
      options: { abortSignal: context.interrupted },
      context,
    };
    await this.requireAccess();
    const upload = file.content.bytes > limits.partBytes ? await this.createUpload(sending) : undefined;
    const isSent = await (upload === undefined ? this.sendWhole(sending) : this.sendParts(upload, sending)).catch(
      (error: Error) => error,
    );
    // If a response was lost, the SDK has repeated the request, which meets the object that it has made itself.
    const found = await this.head(key).catch((error: Error) => error);
    const object = found instanceof Error ? undefined : found;
    if (object?.metadata[writeKey] === id) {
      return object;
    }
    if (upload !== undefined && isSent !== true) {
      await this.abort(key, upload, context);
    }
    if (isSent instanceof Error || found instanceof Error) {
      throw isSent instanceof Error ? isSent : found;
    }
    if (isSent) {
      throw overwritten(s3Path(this.bucket, key));
    }
    return undefined;
  }

  private async sendWhole(sending: Sending): Promise<boolean> {
    const { from, content, key, object, headers, conditions, sendsChecksums, options } = sending;
    const Body = await readFile(from);
    requireContent(content, createHash("sha256").update(Body), from);
    const request = { ...object, Body, ...headers, ...(sendsChecksums && checksumOf(Body)) };
    const done = await this.underCondition("PutObject", key, conditions, (condition) =>
      this.client.putObject({ ...request, ...condition }, options),
    );
    return done !== undefined;
  }

  private async createUpload({ key, object, headers, sendsChecksums, options }: Sending): Promise<string> {
    const algorithm = sendsChecksums && ({ ChecksumAlgorithm: "CRC32" } as const);
    const creating = this.client.createMultipartUpload({ ...object, ...headers, ...algorithm }, options);
    return (await this.named("CreateMultipartUpload", key, creating)).UploadId ?? "";
  }

  private async sendParts(UploadId: string, sending: Sending): Promise<boolean> {
    const { from, content, key, object, replaces, conditions, sendsChecksums, options, context } = sending;
    const { client } = this;
    const upload = { ...object, UploadId };
    const Parts: Sdk.CompletedPart[] = [];
    const hash = createHash("sha256");
    let sent = 0;
    for await (const Body of partsOf(from)) {
      const PartNumber = Parts.length + 1;
      // Some stores repeat another checksum in the response, or none.
      const checksum = sendsChecksums && checksumOf(Body);
      const uploading = client.uploadPart({ ...upload, PartNumber, Body, ...checksum }, options);
      const { ETag } = await this.named("UploadPart", key, uploading);
      Parts.push({ PartNumber, ETag, ...checksum });
      hash.update(Body);
      sent += Body.length;
      context.progress(`${(sent / 1e6).toFixed(0)} of ${(content.bytes / 1e6).toFixed(0)} MB uploaded`);
    }
    requireContent(content, hash, from);
    // Some stores ignore the condition of the last request.
    if ((await this.head(key))?.etag !== replaces?.etag) {
      return false;
    }
    const done = await this.underCondition("CompleteMultipartUpload", key, conditions, (condition) =>
      client.completeMultipartUpload({ ...upload, MultipartUpload: { Parts }, ...condition }, options),
    );
    return done !== undefined;
  }

  /** A failed abort is no failure of the export: the warning says what the store still has. */
  private async abort(key: string, id: string, context: UploadContext): Promise<void> {
    const { bucket, client } = this;
    const aborting = client.abortMultipartUpload({ Bucket: bucket, Key: key, UploadId: id });
    try {
      await this.without(["NoSuchUpload"], "AbortMultipartUpload", key, aborting);
    } catch (error) {
      context.warn(
        `The multipart upload of "${s3Path(bucket, key)}" could not be aborted: ${messageOf(error)} ` +
          `Abort it with "aws s3api abort-multipart-upload --bucket ${bucket} --key ${shellWord(key)} --upload-id ${shellWord(id)}", so that its parts cost nothing.`,
      );
    }
  }

  async keys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined, isMore = true; isMore; ) {
      const list = await this.list(prefix, { Prefix: prefix, ContinuationToken: after });
      found.push(...(list.Contents ?? []).flatMap(({ Key }) => Key ?? []));
      after = list.NextContinuationToken;
      isMore = list.IsTruncated === true;
    }
    return found;
  }

  async *read(key: string, etag: string): AsyncGenerator<Uint8Array> {
    const request = { Bucket: this.bucket, Key: key, IfMatch: etag };
    const { Body } = await this.named("GetObject", key, this.client.getObject(request));
    try {
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      await this.named("GetObject", key, Promise.reject(error));
    }
  }

  async remove(key: string, etag: string): Promise<boolean> {
    const done = await this.underCondition("DeleteObject", key, ifMatch(etag), (condition) =>
      this.client.deleteObject({ Bucket: this.bucket, Key: key, ...condition }),
    );
    return done !== undefined;
  }

  async delete(key: string, etag: string): Promise<boolean> {
    await this.remove(key, etag);
    // After a lost response, the SDK has repeated the request, which then meets no object.
    const left = await this.head(key);
    if (left?.etag === etag) {
      throw notRemoved(s3Path(this.bucket, key));
    }
    return left === undefined;
  }

  /** Sends a request under each form of a condition, until the store takes one. Undefined if it refuses the condition. */
  private async underCondition<T>(
    operation: string,
    key: string,
    conditions: readonly Condition[],
    send: (condition: Condition) => Promise<T>,
  ): Promise<T | undefined> {
    for (const [index, condition] of conditions.entries()) {
      const isLast = index + 1 === conditions.length;
      // A store may have dropped the upload with its first refusal.
      const codes = index > 0 ? [...conflicts, "NoSuchUpload"] : conflicts;
      const sending = send(condition).catch((error: { $metadata?: { httpStatusCode?: number } }) =>
        !isLast && error.$metadata?.httpStatusCode === 400 ? undefined : Promise.reject(error),
      );
      const done = await this.without(codes, operation, key, sending);
      if (done !== undefined) {
        return done;
      }
    }
    return undefined;
  }

  /** Undefined if the request failed with one of these codes. */
  private without<T>(codes: readonly string[], operation: string, key: string, sending: Promise<T>) {
    const sent = sending.catch((error: Error) => (codes.includes(error.name) ? undefined : Promise.reject(error)));
    return this.named(operation, key, sent);
  }

  private async named<T>(operation: string, key: string, sending: Promise<T>): Promise<T> {
    try {
      return await sending;
    } catch (error) {
      const { accessKeyId, secretAccessKey, sessionToken } = await this.client.config
        .credentials()
        .catch(() => ({ accessKeyId: undefined, secretAccessKey: undefined, sessionToken: undefined }));
      const secrets = [accessKeyId, secretAccessKey, sessionToken];
      throw storeError(operation, s3Path(this.bucket, key), error, { secrets, grants: this.grants });
    }
  }
}

/**
 * Ceph and DigitalOcean compare quotes with the ETag, and other stores may refuse an ETag without them. No object has
 * the ETag "none": a request without the header would have no condition.
 */
function ifMatch(etag: string): Condition[] {
  const tag = bare(etag);
  return tag === "" ? [{ IfMatch: "none" }] : [{ IfMatch: tag }, { IfMatch: `"${tag}"` }];
}

function bare(etag: string): string {
  return etag.replaceAll('"', "");
}

/** A request for a small object ends early: who waits for it can look again. */
function small(signal: AbortSignal | undefined): { abortSignal: AbortSignal } {
  const late = AbortSignal.timeout(limits.smallMs);
  return { abortSignal: signal === undefined ? late : AbortSignal.any([signal, late]) };
}

/**
 * What the store compares with a body, beside the SHA-256 that each request signs. It is the checksum that the SDK
 * would send itself, because Cloudflare R2 takes no part with a checksum of SHA-256.
 */
function checksumOf(body: Uint8Array): { ChecksumCRC32: string } {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return { ChecksumCRC32: bytes.toString("base64") };
}

/** The parts of a file, one after the other in the same memory: a part lasts until the next one is requested. */
async function* partsOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  const memory = Buffer.allocUnsafe(limits.partBytes);
  try {
    for (let part = await fill(memory, file); part.length > 0; part = await fill(memory, file)) yield part;
  } finally {
    await file.close();
  }
}

/** Reads until the memory is full or the file ends, because one read can return less. */
async function fill(memory: Buffer, file: FileHandle): Promise<Buffer> {
  let length = 0;
  for (let count = -1; count !== 0 && length < memory.length; length += count) {
    ({ bytesRead: count } = await file.read(memory, length));
  }
  return memory.subarray(0, length);
}

function requireContent({ sha256 }: Content, sent: Hash, from: string): void {
  if (sent.digest("hex") !== sha256) {
    throw new ResourceError(`The temporary file "${from}" was changed during the export. Run the same command again.`);
  }
}
