import type * as Sdk from "@aws-sdk/client-s3";
import { s3Path } from "./s3Path";
import { StoreError, storeError } from "./storeError";

/** An object, as the store describes it without its content. */
export interface StoredObject {
  etag: string;
  bytes: number;
  /** User-defined metadata, names in lower case. */
  metadata: Readonly<Record<string, string>>;
  /** SHA-256 in base64; of an object of several parts the one of the checksums of its parts. Some stores have none. */
  sha256?: string;
}

/** What a write requires: that there is no object, or still the one with this ETag. */
export type Condition = { IfNoneMatch: "*" } | { IfMatch: string };

/** What an object gets beside its content. */
export interface Headers {
  ContentType: string;
  Metadata: Record<string, string>;
}

export interface ObjectWrite {
  key: string;
  body: Buffer;
  /** In base64. The store refuses a body that does not have it. */
  sha256: string;
  headers: Headers;
  condition: Condition;
  signal: AbortSignal;
}

export interface MultipartUpload {
  key: string;
  uploadId: string;
}

export interface PartToSend {
  /** From 1. */
  number: number;
  body: Buffer;
  /** In base64. The store refuses a body that does not have it. */
  sha256: string;
}

export type SentPart = Awaited<ReturnType<Bucket["uploadPart"]>>;

/** Codes that say that another object has the name, or that the object has changed. */
const conflicts = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];

/** The requests of this package to one bucket. Each method throws a StoreError. */
export class Bucket {
  constructor(
    private readonly client: Sdk.S3,
    readonly name: string,
  ) {}

  /** Undefined if there is no such object. A missing bucket looks the same. */
  async head(key: string): Promise<StoredObject | undefined> {
    try {
      const found = await this.client.headObject({ Bucket: this.name, Key: key, ChecksumMode: "ENABLED" });
      return {
        etag: found.ETag ?? "",
        bytes: found.ContentLength ?? 0,
        metadata: found.Metadata ?? {},
        sha256: found.ChecksumSHA256?.replace(/-\d+$/, ""),
      };
    } catch (error) {
      if (error instanceof Error && error.name === "NotFound") {
        return undefined;
      }
      throw await this.reasonOf(key, error);
    }
  }

  /** The response to HeadObject has no body, so no reason for a failure. The response to a read of the same object has one. */
  private async reasonOf(key: string, error: unknown): Promise<StoreError> {
    try {
      const { Body } = await this.client.getObject({ Bucket: this.name, Key: key, Range: "bytes=0-0" });
      (Body as { destroy?(): void } | undefined)?.destroy?.();
      return await this.failure("HeadObject", key, error);
    } catch (reason) {
      return this.failure("HeadObject", key, reason);
    }
  }

  /** @returns false if another object has the name */
  async put({ key, body, sha256, headers, condition, signal }: ObjectWrite): Promise<boolean> {
    const request = { Bucket: this.name, Key: key, Body: body, ChecksumSHA256: sha256, ...headers, ...condition };
    return this.conditionally("PutObject", key, () => this.client.putObject(request, { abortSignal: signal }));
  }

  async createUpload(key: string, headers: Headers, signal: AbortSignal): Promise<MultipartUpload> {
    const request = { Bucket: this.name, Key: key, ChecksumAlgorithm: "SHA256" as const, ...headers };
    const { UploadId } = await this.named("CreateMultipartUpload", key, () =>
      this.client.createMultipartUpload(request, { abortSignal: signal }),
    );
    return { key, uploadId: UploadId ?? "" };
  }

  async uploadPart({ key, uploadId }: MultipartUpload, { number, body, sha256 }: PartToSend, signal: AbortSignal) {
    const part = { Key: key, UploadId: uploadId, PartNumber: number, Body: body, ChecksumSHA256: sha256 };
    const { ETag } = await this.named("UploadPart", key, () =>
      this.client.uploadPart({ Bucket: this.name, ...part }, { abortSignal: signal }),
    );
    return { PartNumber: number, ETag, ChecksumSHA256: sha256 };
  }

  /** @returns false if another object has the name */
  async completeUpload(
    { key, uploadId }: MultipartUpload,
    parts: readonly SentPart[],
    condition: Condition,
    signal: AbortSignal,
  ): Promise<boolean> {
    const request = { Key: key, UploadId: uploadId, MultipartUpload: { Parts: [...parts] }, ...condition };
    return this.conditionally("CompleteMultipartUpload", key, () =>
      this.client.completeMultipartUpload({ Bucket: this.name, ...request }, { abortSignal: signal }),
    );
  }

  /** An upload that does not exist any more is no failure. */
  async abortUpload({ key, uploadId }: MultipartUpload): Promise<void> {
    const request = { Bucket: this.name, Key: key, UploadId: uploadId };
    await this.named("AbortMultipartUpload", key, () => this.client.abortMultipartUpload(request)).catch((error) => {
      if (!(error instanceof StoreError && error.code === "NoSuchUpload")) {
        throw error;
      }
    });
  }

  /** @throws if the bucket does not exist, or if the account may not use it */
  async requireAccess(): Promise<void> {
    await this.named("ListObjectsV2", "", () => this.client.listObjectsV2({ Bucket: this.name, MaxKeys: 1 }));
  }

  async keys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined, isMore = true; isMore; ) {
      const request = { Bucket: this.name, Prefix: prefix, ContinuationToken: after };
      const list = await this.named("ListObjectsV2", prefix, () => this.client.listObjectsV2(request));
      found.push(...(list.Contents ?? []).flatMap(({ Key }) => Key ?? []));
      after = list.NextContinuationToken;
      isMore = list.IsTruncated === true;
    }
    return found;
  }

  /** The content of an object that has not changed since its ETag was read. */
  async *read(key: string, etag: string): AsyncGenerator<Uint8Array> {
    const request = { Bucket: this.name, Key: key, IfMatch: etag };
    const { Body } = await this.named("GetObject", key, () => this.client.getObject(request));
    try {
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw await this.failure("GetObject", key, error);
    }
  }

  /** @returns false if the object has changed since its ETag was read */
  async delete(key: string, etag: string): Promise<boolean> {
    const request = { Bucket: this.name, Key: key, IfMatch: etag };
    return this.conditionally("DeleteObject", key, () => this.client.deleteObject(request));
  }

  private async conditionally(operation: string, key: string, send: () => Promise<unknown>): Promise<boolean> {
    try {
      await this.named(operation, key, send);
      return true;
    } catch (error) {
      if (error instanceof StoreError && conflicts.includes(error.code)) {
        return false;
      }
      throw error;
    }
  }

  private async named<T>(operation: string, key: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw await this.failure(operation, key, error);
    }
  }

  private async failure(operation: string, key: string, error: unknown): Promise<StoreError> {
    return storeError(operation, s3Path(this.name, key), error, await this.secrets());
  }

  private async secrets(): Promise<string[]> {
    try {
      const { accessKeyId, secretAccessKey, sessionToken } = await this.client.config.credentials();
      return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    } catch {
      return [];
    }
  }
}
