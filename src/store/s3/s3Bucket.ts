import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type * as Sdk from "@aws-sdk/client-s3";
import { shellWord } from "../../values/words";
import type { FileToSend, SmallObject, StoreContext, StoredObject, Target, Upload } from "../objectStore";
import { ObjectStore, smallSignal } from "../objectStore";
import type { Facts } from "../storeError";
import { otherBucket, s3Facts } from "./s3Error";
import type { Dated, S3Client } from "./sdk";
import { s3Client, until } from "./sdk";

type Condition = { IfNoneMatch: "*" } | { IfMatch: string };

/** Codes that say that another object has the name, or that the object has changed. */
const conflicts = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];

/** The requests of this package to one bucket of S3. */
export class S3Bucket extends ObjectStore {
  readonly operations = ["ListObjectsV2", "GetObject", "PutObject", "DeleteObject"] as const;
  private readonly client: S3Client;

  constructor(address: string, context: StoreContext) {
    super(address, context);
    this.client = s3Client(context, this.bucket);
  }

  /** Amazon S3 is known. */
  get isUnproven(): boolean {
    return !/\.amazonaws\.com(?:\.cn)?$/.test(this.client.seen.host);
  }

  protected async page(Prefix: string, after?: string, most?: number, signal?: AbortSignal) {
    const request = { Bucket: this.bucket, Prefix, ContinuationToken: after, MaxKeys: most };
    const list = await this.client.listObjectsV2({ ...request, ...until(signal) });
    // A store that takes the bucket from the path would make a bucket of the first part of the key. AWS reserves the
    // ending for aliases of access points.
    if (list.Name !== this.bucket && !this.bucket.endsWith("-s3alias")) {
      throw otherBucket(this.address, list.Name);
    }
    const keys = (list.Contents ?? []).flatMap(({ Key }) => Key ?? []);
    return { keys, next: list.IsTruncated === true ? list.NextContinuationToken : undefined };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const found = await this.named("HeadObject", key, this.look(key));
    return found && { etag: found.ETag ?? "", bytes: found.ContentLength ?? 0, metadata: found.Metadata ?? {} };
  }

  private async look(Key: string): Promise<Sdk.HeadObjectOutput | undefined> {
    try {
      return await this.client.headObject({ Bucket: this.bucket, Key });
    } catch (error) {
      if ((error as Error).name === "NotFound") return undefined;
      // The response to HeadObject has no body, so no reason. The response to a read of the object has one.
      const { Body } = await this.client.getObject({ Bucket: this.bucket, Key, Range: "bytes=0-0" });
      (Body as Readable).destroy();
      throw error;
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<SmallObject | undefined> {
    const getting = this.client
      .getObject({ Bucket: this.bucket, Key: key, ...until(smallSignal(signal)) })
      .then(async ({ ETag = "", LastModified, Body, $metadata }) => {
        const body = Buffer.from((await Body?.transformToByteArray()) ?? []);
        const age = Date.parse(($metadata as Dated).date ?? "") - Number(LastModified);
        return { etag: bare(ETag), body, age };
      });
    return await this.without(["NoSuchKey"], "GetObject", key, getting);
  }

  protected async insert(Body: Buffer, { key, contentType, metadata, replaces, signal }: Target) {
    const checksum = (await this.sendsChecksums(key)) && checksumOf(Body);
    const request = { Bucket: this.bucket, Key: key, Body, ContentType: contentType, Metadata: metadata, ...checksum };
    const done = await this.underCondition("PutObject", key, replaces, (condition) =>
      this.client.putObject({ ...request, ...condition, ...until(signal) }),
    );
    return done && bare(done.ETag ?? "");
  }

  /** Not with the SDK's setting for stores that refuse checksums, such as AWS_REQUEST_CHECKSUM_CALCULATION=WHEN_REQUIRED. */
  private async sendsChecksums(key: string): Promise<boolean> {
    const setting = await this.named("PutObject", key, this.client.config.requestChecksumCalculation());
    return setting === "WHEN_SUPPORTED";
  }

  protected async beginUpload(_: FileToSend, target: Target): Promise<Upload> {
    const { key, replaces, contentType: ContentType, metadata: Metadata, signal } = target;
    const { client, bucket } = this;
    const sendsChecksums = await this.sendsChecksums(key);
    const algorithm = sendsChecksums && ({ ChecksumAlgorithm: "CRC32" } as const);
    const object = { Bucket: bucket, Key: key };
    const creating = client.createMultipartUpload({ ...object, ContentType, Metadata, ...algorithm, ...until(signal) });
    const { UploadId = "" } = await this.named("CreateMultipartUpload", key, creating);
    const upload = { ...object, UploadId };
    const Parts: Sdk.CompletedPart[] = [];
    return {
      part: async (Body) => {
        const PartNumber = Parts.length + 1;
        // Some stores repeat another checksum in the response, or none.
        const checksum = sendsChecksums && checksumOf(Body);
        const uploading = client.uploadPart({ ...upload, PartNumber, Body, ...checksum, ...until(signal) });
        const { ETag } = await this.named("UploadPart", key, uploading);
        Parts.push({ PartNumber, ETag, ...checksum });
      },
      complete: async () => {
        const request = { ...upload, MultipartUpload: { Parts } };
        const done = await this.underCondition("CompleteMultipartUpload", key, replaces, (condition) =>
          client.completeMultipartUpload({ ...request, ...condition, ...until(signal) }),
        );
        return done !== undefined;
      },
      abort: async () => {
        await this.without(["NoSuchUpload"], "AbortMultipartUpload", key, client.abortMultipartUpload(upload));
      },
      remedy: `Abort it with "aws s3api abort-multipart-upload --bucket ${bucket} --key ${shellWord(key)} --upload-id ${shellWord(UploadId)}", so that its parts cost nothing.`,
    };
  }

  protected async open(Key: string, IfMatch: string): Promise<Readable> {
    return (await this.client.getObject({ Bucket: this.bucket, Key, IfMatch })).Body as Readable;
  }

  async remove(key: string, etag: string): Promise<boolean> {
    const done = await this.underCondition("DeleteObject", key, etag, (condition) =>
      this.client.deleteObject({ Bucket: this.bucket, Key: key, ...condition }),
    );
    return done !== undefined;
  }

  /** Sends a request under each form of a condition, until the store takes one. Undefined if it refuses the condition. */
  private async underCondition<T>(
    operation: string,
    key: string,
    replaces: string | undefined,
    send: (condition: Condition) => Promise<T>,
  ): Promise<T | undefined> {
    const conditions = replaces === undefined ? [{ IfNoneMatch: "*" } as const] : ifMatch(replaces);
    for (const [index, condition] of conditions.entries()) {
      const isLast = index + 1 === conditions.length;
      // A store may have dropped the upload with its first refusal.
      const codes = index > 0 ? [...conflicts, "NoSuchUpload"] : conflicts;
      const sending = send(condition).catch((error: { $metadata?: { httpStatusCode?: number } }) =>
        !isLast && error.$metadata?.httpStatusCode === 400 ? undefined : Promise.reject(error),
      );
      const done = await this.without(codes, operation, key, sending);
      if (done !== undefined) return done;
    }
    return undefined;
  }

  protected async factsOf(error: unknown, operation: string, object: string): Promise<Facts> {
    const used = await this.client.config.credentials().catch(() => undefined);
    const { bucket, sharedPrefix } = this;
    const grants =
      sharedPrefix === undefined
        ? undefined
        : `Allow s3:GetObject, s3:PutObject and s3:DeleteObject on ${bucket}/${sharedPrefix}*, and s3:ListBucket on ${bucket}.`;
    const secrets = [used?.accessKeyId, used?.secretAccessKey, used?.sessionToken];
    return { ...s3Facts(error, operation, object, grants), secrets };
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

/**
 * What the store compares with a body, beside the SHA-256 that each request signs. It is the checksum that the SDK
 * would send itself, because Cloudflare R2 takes no part with a checksum of SHA-256.
 */
function checksumOf(body: Uint8Array): { ChecksumCRC32: string } {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return { ChecksumCRC32: bytes.toString("base64") };
}
