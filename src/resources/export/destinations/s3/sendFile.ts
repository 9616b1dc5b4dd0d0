import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Context } from "../../../resource";
import { messageOf, ResourceError } from "../../../resource";
import type { Content } from "../destination";
import { howToAbort, inWords, noteUpload } from "./abandonedUploads";
import type { Bucket, Condition, Headers, MultipartUpload, PartToSend, SentPart } from "./bucket";
import { s3Path } from "./s3Path";
import { limits } from "./sdk";
import { StoreError } from "./storeError";

/** S3 allows no more parts. */
const mostParts = 10_000;

/** Milliseconds between two progress messages. */
const progressEveryMs = 500;

export interface FileToSend {
  /** Path of the complete file. */
  from: string;
  content: Content;
  key: string;
  headers: Headers;
  condition: Condition;
  /** Beside which the note of a multipart upload is. */
  workPath: string;
}

export interface SentFile {
  /** False if another object has the name. */
  isPlaced: boolean;
  /** SHA-256 of the object in base64, as a store that keeps checksums has it. */
  sha256: string;
}

/** Sends a file as an object, in constant memory. A multipart upload that fails is aborted. */
export async function sendFile(bucket: Bucket, file: FileToSend, context: Context): Promise<SentFile> {
  const handle = await open(file.from, "r");
  try {
    const sending = new Sending(bucket, file, handle, context);
    return await (file.content.bytes <= limits.partBytes ? sending.atOnce() : sending.inParts());
  } finally {
    await handle.close();
  }
}

class Sending {
  private readonly ended = new AbortController();
  private readonly signal: AbortSignal;
  private readonly partBytes: number;
  private readonly whole = createHash("sha256");
  private nextPart = 0;
  private sentBytes = 0;
  private shownAt = Number.NEGATIVE_INFINITY;
  /** The parts are read one after the other, so that the whole file has one digest. */
  private reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly bucket: Bucket,
    private readonly file: FileToSend,
    private readonly handle: FileHandle,
    private readonly context: Context,
  ) {
    this.signal = AbortSignal.any([this.ended.signal, context.interrupted]);
    const mebibyte = 1024 * 1024;
    const smallest = Math.ceil(file.content.bytes / mostParts / mebibyte) * mebibyte;
    this.partBytes = Math.max(limits.partBytes, smallest);
  }

  async atOnce(): Promise<SentFile> {
    const { key, headers, condition, content } = this.file;
    try {
      const { body, sha256 } = await this.read(Buffer.alloc(content.bytes), 0);
      this.checkWhole();
      const isPlaced = await this.bucket.put({ key, body, sha256, headers, condition, signal: this.signal });
      return { isPlaced, sha256 };
    } catch (error) {
      throw this.interruptionOr(error, "");
    }
  }

  async inParts(): Promise<SentFile> {
    const { bucket } = this;
    const { key, headers, workPath } = this.file;
    const upload = await bucket.createUpload(key, headers);
    const note = await noteUpload(workPath, { bucket: bucket.name, ...upload });
    let sent: SentFile;
    try {
      sent = await this.sendParts(upload);
    } catch (error) {
      const left = await this.abort(upload);
      await (left === "" ? note.forget() : note.leave());
      throw this.interruptionOr(error, left);
    }
    const left = sent.isPlaced ? "" : await this.abort(upload);
    await (left === "" ? note.forget() : note.leave());
    if (left !== "") {
      this.context.warn(left);
    }
    return sent;
  }

  private async sendParts(upload: MultipartUpload): Promise<SentFile> {
    const parts: SentPart[] = [];
    const count = Math.ceil(this.file.content.bytes / this.partBytes);
    const senders = Array.from({ length: Math.min(limits.partsInFlight, count) }, () =>
      this.sendUntilLast(upload, count, parts),
    );
    // After a failure, the other parts end before the upload is aborted: a part that arrives later would stay.
    const results = await Promise.allSettled(senders);
    for (const result of results) {
      if (result.status === "rejected") {
        throw this.firstError ?? result.reason;
      }
    }
    this.checkWhole();
    const digests = createHash("sha256");
    for (const { ChecksumSHA256 } of parts) {
      digests.update(Buffer.from(ChecksumSHA256, "base64"));
    }
    const isPlaced = await this.bucket.completeUpload(upload, parts, this.file.condition);
    return { isPlaced, sha256: digests.digest("base64") };
  }

  private firstError: unknown;

  private async sendUntilLast(upload: MultipartUpload, count: number, parts: SentPart[]): Promise<void> {
    const buffer = Buffer.allocUnsafe(this.partBytes);
    try {
      while (this.nextPart < count) {
        this.signal.throwIfAborted();
        const index = this.nextPart++;
        const reading = this.reading.then(() => this.read(buffer, index));
        this.reading = reading.catch(() => undefined);
        parts[index] = await this.bucket.uploadPart(upload, await reading, this.signal);
        this.showProgress(Math.min(this.partBytes, this.file.content.bytes - index * this.partBytes));
      }
    } catch (error) {
      this.firstError ??= error;
      this.ended.abort();
      throw error;
    }
  }

  private async read(buffer: Buffer, index: number): Promise<PartToSend> {
    const from = index * this.partBytes;
    const length = Math.min(buffer.length, this.file.content.bytes - from);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.handle.read(buffer, filled, length - filled, from + filled);
      if (bytesRead === 0) {
        throw this.changedOnDisk();
      }
      filled += bytesRead;
    }
    const body = buffer.subarray(0, length);
    this.whole.update(body);
    return { number: index + 1, body, sha256: createHash("sha256").update(body).digest("base64") };
  }

  private checkWhole(): void {
    if (this.whole.digest("hex") !== this.file.content.sha256) {
      throw this.changedOnDisk();
    }
  }

  private changedOnDisk(): Error {
    return new ResourceError(
      `The temporary file "${this.file.from}" was changed during the export, so it was not written to "${this.object}". Run the same command again.`,
    );
  }

  /** @returns what was left if the abort failed; otherwise an empty string */
  private async abort(upload: MultipartUpload): Promise<string> {
    try {
      await this.bucket.abortUpload(upload);
      return "";
    } catch (error) {
      return `${inWords(this.bucket, upload)} could not be aborted: ${messageOf(error)} To end it, ${howToAbort(this.bucket, upload)}`;
    }
  }

  private interruptionOr(error: unknown, left: string): unknown {
    const { interrupted } = this.context;
    if (interrupted.aborted) {
      const what = left === "" ? "No object was written." : `No object was written. ${left}`;
      return new ResourceError(`The upload of "${this.object}" was interrupted. ${what} Run the same command again.`);
    }
    return left !== "" && error instanceof StoreError
      ? new StoreError(`${error.message} ${left}`, error.code, error.advice)
      : error;
  }

  private showProgress(bytes: number): void {
    const { context } = this;
    this.sentBytes += bytes;
    if (context.now() - this.shownAt >= progressEveryMs) {
      this.shownAt = context.now();
      const of = this.file.content.bytes;
      const inMegabytes = (amount: number): string => (amount / 1e6).toFixed(0);
      const message = `${inMegabytes(this.sentBytes)} of ${inMegabytes(of)} MB uploaded`;
      context.progress(message, { done: this.sentBytes, of });
    }
  }

  private get object(): string {
    return s3Path(this.bucket.name, this.file.key);
  }
}
