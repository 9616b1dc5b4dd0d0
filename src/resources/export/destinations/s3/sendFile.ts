import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { onAbort } from "../../../../service/http/onAbort";
import type { Context } from "../../../resource";
import { messageOf, ResourceError } from "../../../resource";
import type { Content } from "../destination";
import type { Bucket, Condition, Headers, MultipartUpload, SentPart } from "./bucket";
import { s3Path } from "./s3Path";
import { limits } from "./sdk";

const mebibyte = 1024 * 1024;

/** Milliseconds between two progress messages. */
const progressEveryMs = 500;

export interface FileToSend {
  /** Path of the complete file. */
  from: string;
  content: Content;
  key: string;
  headers: Headers;
  condition: Condition;
}

export interface SentObject {
  /** False if another object has the name. */
  isPlaced: boolean;
  /** SHA-256 of the object in base64, as a store that keeps checksums has it. */
  sha256: string;
}

/**
 * Sends a complete file in constant memory: in one request, or in parts if it is larger than a part. The object does not exist before the last request.
 * After a failure or an interruption, no request is in flight, and a multipart upload is aborted.
 * @throws ResourceError after an interruption, or if the file does not have the content
 */
export async function sendFile(file: FileToSend, bucket: Bucket, context: Context): Promise<SentObject> {
  const { interrupted } = context;
  const ending = new AbortController();
  const stopListening = onAbort(interrupted, () => ending.abort());
  const handle = await open(file.from);
  const upload = new Upload(file, handle, bucket, context, ending);
  try {
    interrupted.throwIfAborted();
    const sent = await (file.content.bytes > limits.partBytes ? upload.inParts() : upload.atOnce());
    if (upload.left !== undefined) {
      context.warn(upload.left);
    }
    return sent;
  } catch (error) {
    const left = upload.left === undefined ? "" : ` ${upload.left}`;
    if (interrupted.aborted) {
      throw new ResourceError(
        `The upload of "${upload.name}" was interrupted. No object was written.${left} Run the same command again.`,
      );
    }
    if (error instanceof Error) {
      error.message += left;
    }
    throw error;
  } finally {
    stopListening();
    await handle.close();
  }
}

class Upload {
  /** What the store still has of an upload that could not be aborted, and how to remove it. */
  left: string | undefined;
  private readonly hash = createHash("sha256");
  private shownAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly file: FileToSend,
    private readonly handle: FileHandle,
    private readonly bucket: Bucket,
    private readonly context: Context,
    /** Ends the requests in flight. */
    private readonly ending: AbortController,
  ) {}

  get name(): string {
    return s3Path(this.bucket.name, this.file.key);
  }

  async atOnce(): Promise<SentObject> {
    const { key, headers, condition, content } = this.file;
    const body = await this.read(0, content.bytes);
    this.requireContent();
    const sha256 = digestOf(body);
    const isPlaced = await this.bucket.put({ key, body, sha256, headers, condition, signal: this.ending.signal });
    return { isPlaced, sha256 };
  }

  async inParts(): Promise<SentObject> {
    const { bucket, ending } = this;
    const { key, headers, condition } = this.file;
    const upload = await bucket.createUpload(key, headers, ending.signal);
    let isPlaced = false;
    try {
      const parts = await this.sendParts(upload);
      this.requireContent();
      isPlaced = await bucket.completeUpload(upload, parts, condition, ending.signal);
      const digests = parts.map(({ ChecksumSHA256 }) => Buffer.from(ChecksumSHA256, "base64"));
      return { isPlaced, sha256: digestOf(Buffer.concat(digests)) };
    } finally {
      if (!isPlaced) {
        await this.abort(upload);
      }
    }
  }

  /** In order, a few at the same time. A failure ends the others. */
  private async sendParts(upload: MultipartUpload): Promise<SentPart[]> {
    const { ending } = this;
    const { bytes } = this.file.content;
    const partBytes = Math.max(limits.partBytes, Math.ceil(bytes / limits.mostParts / mebibyte) * mebibyte);
    const sent: SentPart[] = [];
    const inFlight = new Set<Promise<void>>();
    /** Buffers of parts that were sent. */
    const free: Buffer[] = [];
    let failure: unknown;
    const send = async (index: number, buffer: Buffer, body: Buffer): Promise<void> => {
      try {
        const part = { number: index + 1, body, sha256: digestOf(body) };
        sent[index] = await this.bucket.uploadPart(upload, part, ending.signal);
        this.showProgress(sent.length * partBytes);
        free.push(buffer);
      } catch (error) {
        failure ??= error;
        ending.abort();
      }
    };
    for (let from = 0; from < bytes && failure === undefined; from += partBytes) {
      const buffer = free.pop() ?? Buffer.allocUnsafeSlow(partBytes);
      const body = await this.read(from, Math.min(partBytes, bytes - from), buffer);
      const sending = send(from / partBytes, buffer, body).finally(() => inFlight.delete(sending));
      inFlight.add(sending);
      if (inFlight.size === limits.partsInFlight) {
        await Promise.race(inFlight);
      }
    }
    await Promise.all(inFlight);
    if (failure !== undefined) {
      throw failure;
    }
    return sent;
  }

  /** The next range of the file. */
  private async read(from: number, length: number, buffer: Buffer = Buffer.allocUnsafeSlow(length)): Promise<Buffer> {
    const { bytesRead } = await this.handle.read(buffer, 0, length, from);
    const range = buffer.subarray(0, bytesRead);
    this.hash.update(range);
    return range;
  }

  private requireContent(): void {
    if (this.hash.digest("hex") !== this.file.content.sha256) {
      throw new ResourceError(
        `The temporary file "${this.file.from}" was changed during the export, so it was not written to "${this.name}". Run the same command again.`,
      );
    }
  }

  private async abort(upload: MultipartUpload): Promise<void> {
    try {
      await this.bucket.abortUpload(upload);
    } catch (error) {
      const { key, uploadId } = upload;
      this.left =
        `The multipart upload "${uploadId}" of "${this.name}" could not be aborted: ${messageOf(error)} ` +
        `Abort it with "aws s3api abort-multipart-upload --bucket ${this.bucket.name} --key ${key} --upload-id ${uploadId}", so that its parts cost nothing.`;
    }
  }

  private showProgress(bytes: number): void {
    const { context } = this;
    const of = this.file.content.bytes;
    if (context.now() - this.shownAt >= progressEveryMs) {
      this.shownAt = context.now();
      const inMegabytes = (amount: number): string => (amount / 1e6).toFixed(0);
      context.progress(`${inMegabytes(bytes)} of ${inMegabytes(of)} MB uploaded`);
    }
  }
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}
