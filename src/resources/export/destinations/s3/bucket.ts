import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import type * as Sdk from "@aws-sdk/client-s3";
import type { Context } from "../../../resource";
import { messageOf, ResourceError } from "../../../resource";
import type { Content } from "../destination";
import { bucketAndKey, s3Path } from "./s3Path";
import { limits, s3Client } from "./sdk";
import { storeError } from "./storeError";

/** An object, as the store describes it without its content. */
export interface StoredObject {
  etag: string;
  bytes: number;
  /** User-defined metadata, names in lower case. */
  metadata: Readonly<Record<string, string>>;
}

export interface FileToSend {
  /** Path of the complete file. */
  from: string;
  content: Content;
  key: string;
  /** What the object gets beside its content. */
  headers: { ContentType: string; Metadata: Record<string, string> };
  /** What the write requires: that there is no object, or still the one with this ETag. */
  condition: { IfNoneMatch: "*" } | { IfMatch: string };
}

/** Codes that say that another object has the name, or that the object has changed. */
const conflicts = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];

/** The store refuses a body that does not have the SHA-256 that the SDK sends with it. */
const checksum = { ChecksumAlgorithm: "SHA256" } as const;

/** The requests of this package to one bucket. Each method throws a ResourceError. */
export class Bucket {
  private readonly client: Sdk.S3;
  private readonly name: string;

  /**
   * The bucket of a path. Makes no request.
   * @throws ResourceError if the SDK is not installed
   */
  constructor(path: string, context: Pick<Context, "settings" | "folder">) {
    this.client = s3Client(context);
    this.name = bucketAndKey(path).bucket;
  }

  /** @throws if the bucket does not exist, or if the account may not use it */
  async requireAccess(): Promise<void> {
    await this.named("ListObjectsV2", "", this.client.listObjectsV2({ Bucket: this.name, MaxKeys: 1 }));
  }

  /** Undefined if there is no such object. A missing bucket looks the same. */
  async head(key: string): Promise<StoredObject | undefined> {
    try {
      const { ETag, ContentLength, Metadata } = await this.client.headObject({ Bucket: this.name, Key: key });
      return { etag: ETag ?? "", bytes: ContentLength ?? 0, metadata: Metadata ?? {} };
    } catch (error) {
      if ((error as Error).name === "NotFound") {
        return undefined;
      }
      // The response to HeadObject has no body, so no reason. The response to a read of the object has one.
      const reading = this.client.getObject({ Bucket: this.name, Key: key, Range: "bytes=0-0" });
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

  /**
   * Sends a complete file in constant memory: in one request, or in parts if it is larger than a part. The object does not exist before the last request.
   * An interruption ends the request in flight.
   * @returns whether the object was written; false if another object has the name
   */
  async send({ from, content, key, headers, condition }: FileToSend, context: Context): Promise<boolean> {
    const { client } = this;
    const { bytes } = content;
    const object = { Bucket: this.name, Key: key };
    const options = { abortSignal: context.interrupted };
    if (bytes <= limits.partBytes) {
      const Body = await readFile(from);
      requireContent(content, createHash("sha256").update(Body), from);
      const request = { ...object, Body, ...headers, ...checksum, ...condition };
      return (await this.without(conflicts, "PutObject", key, client.putObject(request, options))) !== undefined;
    }
    const creating = client.createMultipartUpload({ ...object, ...headers, ...checksum }, options);
    const { UploadId } = await this.named("CreateMultipartUpload", key, creating);
    const upload = { ...object, UploadId };
    let isPlaced = false;
    try {
      const Parts: Sdk.CompletedPart[] = [];
      const hash = createHash("sha256");
      let sent = 0;
      for await (const Body of partsOf(from)) {
        const PartNumber = Parts.length + 1;
        const sending = client.uploadPart({ ...upload, PartNumber, Body, ...checksum }, options);
        const { ETag, ChecksumSHA256 } = await this.named("UploadPart", key, sending);
        Parts.push({ PartNumber, ETag, ChecksumSHA256 });
        hash.update(Body);
        sent += Body.length;
        context.progress(`${(sent / 1e6).toFixed(0)} of ${(bytes / 1e6).toFixed(0)} MB uploaded`);
      }
      requireContent(content, hash, from);
      const request = { ...upload, MultipartUpload: { Parts }, ...condition };
      const completing = client.completeMultipartUpload(request, options);
      isPlaced = (await this.without(conflicts, "CompleteMultipartUpload", key, completing)) !== undefined;
      return isPlaced;
    } finally {
      if (!isPlaced) {
        await this.abort(key, UploadId, context);
      }
    }
  }

  /** A failed abort is no failure of the export: the warning says what the store still has. */
  private async abort(key: string, id: string | undefined, context: Context): Promise<void> {
    const { name: bucket, client } = this;
    const aborting = client.abortMultipartUpload({ Bucket: bucket, Key: key, UploadId: id });
    try {
      await this.without(["NoSuchUpload"], "AbortMultipartUpload", key, aborting);
    } catch (error) {
      context.warn(
        `The multipart upload of "${s3Path(bucket, key)}" could not be aborted: ${messageOf(error)} ` +
          `Abort it with "aws s3api abort-multipart-upload --bucket ${bucket} --key ${key} --upload-id ${id}", so that its parts cost nothing.`,
      );
    }
  }

  async keys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined, isMore = true; isMore; ) {
      const request = { Bucket: this.name, Prefix: prefix, ContinuationToken: after };
      const list = await this.named("ListObjectsV2", prefix, this.client.listObjectsV2(request));
      found.push(...(list.Contents ?? []).flatMap(({ Key }) => Key ?? []));
      after = list.NextContinuationToken;
      isMore = list.IsTruncated === true;
    }
    return found;
  }

  /** The content of an object that has not changed since its ETag was read. */
  async *read(key: string, etag: string): AsyncGenerator<Uint8Array> {
    const request = { Bucket: this.name, Key: key, IfMatch: etag };
    const { Body } = await this.named("GetObject", key, this.client.getObject(request));
    try {
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      await this.named("GetObject", key, Promise.reject(error));
    }
  }

  /** @returns false if the object has changed since its ETag was read */
  async delete(key: string, etag: string): Promise<boolean> {
    const deleting = this.client.deleteObject({ Bucket: this.name, Key: key, IfMatch: etag });
    return (await this.without(conflicts, "DeleteObject", key, deleting)) !== undefined;
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
      throw storeError(operation, s3Path(this.name, key), error, [accessKeyId, secretAccessKey, sessionToken]);
    }
  }
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
