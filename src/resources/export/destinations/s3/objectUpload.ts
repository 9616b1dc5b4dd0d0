import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Context } from "../../../resource";
import { messageOf, ResourceError } from "../../../resource";
import { sleep } from "../../../sleep";
import type { Content } from "../destination";
import type { UploadNote } from "./abandonedUploads";
import { howToAbort, inWords, noteUpload } from "./abandonedUploads";
import type { Bucket, Condition, Headers, MultipartUpload, PartToSend, SentPart } from "./bucket";
import { s3Path } from "./s3Path";
import { limits } from "./sdk";
import { StoreError } from "./storeError";

const mebibyte = 1024 * 1024;

/** Milliseconds between two progress messages. */
const progressEveryMs = 500;

export interface ObjectToSend {
  key: string;
  headers: Headers;
  /** Beside which the note of a multipart upload is. */
  workPath: string;
  /** Length of the object, if it is known: then the progress is shown, and an object of any length has few enough parts. */
  bytes?: number;
}

export interface SentObject {
  /** False if another object has the name. */
  isPlaced: boolean;
  /** SHA-256 of the object in base64, as a store that keeps checksums has it. */
  sha256: string;
}

/** A part that is filled. */
interface Part {
  buffer: Buffer;
  /** Length of the content in the buffer. */
  bytes: number;
  /** The digest of the content. It takes less time when the content is copied than later: then the processor has it at hand. */
  hash: Hash;
}

/** A multipart upload in progress. */
interface Begun {
  upload: MultipartUpload;
  note: UploadNote;
}

/**
 * An object that is sent while its content arrives, in constant memory: in one request at the end, or in parts if there is more than one part of content. It
 * has no name before `complete`. A multipart upload that fails is aborted.
 */
export class ObjectUpload {
  private readonly partBytes: number;
  private part: Part | undefined;
  /** Parts that have been sent can be filled again. */
  private readonly free: Buffer[] = [];
  private buffers = 0;
  private begun: Promise<Begun> | undefined;
  private readonly parts: Promise<SentPart | undefined>[] = [];
  private readonly inFlight = new Set<Promise<unknown>>();
  private problem: unknown;
  private readonly isAbandoned = new AbortController();
  /** Ends the pauses between tries. */
  private readonly isOver: AbortSignal;
  private sentBytes = 0;
  private shownAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bucket: Bucket,
    private readonly object: ObjectToSend,
    private readonly context: Context,
  ) {
    this.isOver = AbortSignal.any([context.interrupted, this.isAbandoned.signal]);
    const { bytes = 0 } = object;
    this.partBytes = Math.max(limits.partBytes, Math.ceil(bytes / limits.mostParts / mebibyte) * mebibyte);
  }

  /** Why a part could not be sent. `complete` throws it. */
  get failure(): unknown {
    return this.problem;
  }

  /** Returns when the content is copied, which can wait for parts in flight. After a failure it does nothing. */
  async write(content: Buffer): Promise<void> {
    for (let from = 0; from < content.length && this.failure === undefined; ) {
      const part = await this.partWithRoom();
      const piece = content.subarray(from, from + this.partBytes - part.bytes);
      piece.copy(part.buffer, part.bytes);
      part.hash.update(piece);
      part.bytes += piece.length;
      from += piece.length;
    }
  }

  /**
   * Writes a complete file. After a failure it does nothing, as `write`.
   * @throws ResourceError if the file does not have the content
   */
  async writeFile(from: string, content: Content): Promise<void> {
    const hash = createHash("sha256");
    for await (const piece of createReadStream(from, { highWaterMark: mebibyte })) {
      hash.update(piece as Buffer);
      await this.write(piece as Buffer);
      if (this.failure !== undefined) {
        return;
      }
    }
    if (hash.digest("hex") !== content.sha256) {
      throw new ResourceError(
        `The temporary file "${from}" was changed during the export, so it was not written to "${this.name}". Run the same command again.`,
      );
    }
  }

  /** Sends the last part. */
  async sendRest(): Promise<void> {
    if (this.begun !== undefined) {
      this.sendPart();
    }
    await Promise.all(this.parts);
  }

  /** Sends the rest and gives the object its name. */
  async complete(condition: Condition): Promise<SentObject> {
    try {
      const sent = await (this.begun === undefined ? this.sendAtOnce(condition) : this.completeParts(condition));
      if (!sent.isPlaced) {
        await this.abandon();
      }
      return sent;
    } catch (error) {
      throw this.interruptionOr(error, await this.abort());
    }
  }

  /** Ends an upload that is not completed. Never fails. */
  async abandon(): Promise<void> {
    const left = await this.abort();
    if (left !== "") {
      this.context.warn(left);
    }
  }

  private async sendAtOnce(condition: Condition): Promise<SentObject> {
    const { key, headers } = this.object;
    const { body, sha256 } = contentOf(this.part ?? newPart(Buffer.alloc(0)));
    const write = { key, body, sha256, headers, condition, signal: this.context.interrupted };
    const isPlaced = await this.patiently(() => this.bucket.put(write));
    return { isPlaced, sha256 };
  }

  private async completeParts(condition: Condition): Promise<SentObject> {
    await this.sendRest();
    if (this.failure !== undefined || this.begun === undefined) {
      throw this.failure;
    }
    const parts = (await Promise.all(this.parts)).flatMap((part) => part ?? []);
    const digests = createHash("sha256");
    for (const { ChecksumSHA256 } of parts) {
      digests.update(Buffer.from(ChecksumSHA256, "base64"));
    }
    const { upload, note } = await this.begun;
    const isPlaced = await this.patiently(() => this.bucket.completeUpload(upload, parts, condition));
    if (isPlaced) {
      this.begun = undefined;
      await note.forget();
    }
    return { isPlaced, sha256: digests.digest("base64") };
  }

  /** A part is sent when there is more content, because the last one ends the upload. */
  private async partWithRoom(): Promise<Part> {
    if (this.part?.bytes === this.partBytes) {
      this.sendPart();
    }
    this.part ??= newPart(await this.freeBuffer());
    return this.part;
  }

  private async freeBuffer(): Promise<Buffer> {
    while (this.free.length === 0 && this.buffers === limits.partsInFlight) {
      await Promise.race(this.inFlight);
    }
    const buffer = this.free.pop();
    if (buffer !== undefined) {
      return buffer;
    }
    this.buffers++;
    return Buffer.allocUnsafeSlow(this.partBytes);
  }

  private sendPart(): void {
    const { part } = this;
    if (part === undefined) {
      return;
    }
    this.part = undefined;
    const sending = this.send({ number: this.parts.length + 1, ...contentOf(part) })
      .catch((error): undefined => {
        this.problem ??= error;
      })
      .finally(() => {
        this.free.push(part.buffer);
        this.inFlight.delete(sending);
      });
    this.inFlight.add(sending);
    this.parts.push(sending);
  }

  private async send(part: PartToSend): Promise<SentPart> {
    const { interrupted } = this.context;
    if (part.number > limits.mostParts) {
      throw new ResourceError(`The object "${this.name}" has more parts than S3 allows.`);
    }
    interrupted.throwIfAborted();
    this.begun ??= this.begin();
    const { upload } = await this.begun;
    interrupted.throwIfAborted();
    const sent = await this.patiently(() => this.bucket.uploadPart(upload, part, interrupted));
    this.showProgress(part.body.length);
    return sent;
  }

  /** The SDK repeats a request for less than a second. If the store is busy for longer, all rows would have to be read again. */
  private async patiently<T>(request: () => Promise<T>): Promise<T> {
    const { isOver } = this;
    for (let tries = 1, pauseMs = limits.firstPauseMs; ; tries++, pauseMs *= 2) {
      try {
        return await request();
      } catch (error) {
        const mayPass = error instanceof StoreError && error.mayPass;
        if (!mayPass || tries === limits.mostTries) {
          throw error;
        }
        await sleep(pauseMs, isOver);
        if (isOver.aborted) {
          throw error;
        }
      }
    }
  }

  private async begin(): Promise<Begun> {
    const { key, headers, workPath } = this.object;
    const upload = await this.patiently(() => this.bucket.createUpload(key, headers));
    return { upload, note: await noteUpload(workPath, { bucket: this.bucket.name, ...upload }) };
  }

  /** @returns what was left if the abort failed; otherwise an empty string */
  private async abort(): Promise<string> {
    this.isAbandoned.abort();
    // A part that arrives after the abort would stay, so those in flight are sent to their end.
    await Promise.all(this.parts);
    const begun = await this.begun?.catch(() => undefined);
    this.begun = undefined;
    if (begun === undefined) {
      return "";
    }
    const { upload, note } = begun;
    try {
      await this.bucket.abortUpload(upload);
    } catch (error) {
      await note.leave();
      return `${inWords(this.bucket, upload)} could not be aborted: ${messageOf(error)} To end it, ${howToAbort(this.bucket, upload)}`;
    }
    await note.forget();
    return "";
  }

  private interruptionOr(error: unknown, left: string): unknown {
    if (this.context.interrupted.aborted) {
      const what = left === "" ? "No object was written." : `No object was written. ${left}`;
      return new ResourceError(`The upload of "${this.name}" was interrupted. ${what} Run the same command again.`);
    }
    return left !== "" && error instanceof StoreError
      ? new StoreError(`${error.message} ${left}`, error.code, error.advice)
      : error;
  }

  private showProgress(bytes: number): void {
    const { context } = this;
    const { bytes: of } = this.object;
    this.sentBytes += bytes;
    if (of !== undefined && context.now() - this.shownAt >= progressEveryMs) {
      this.shownAt = context.now();
      const inMegabytes = (amount: number): string => (amount / 1e6).toFixed(0);
      context.progress(`${inMegabytes(this.sentBytes)} of ${inMegabytes(of)} MB uploaded`, {
        done: this.sentBytes,
        of,
      });
    }
  }

  private get name(): string {
    return s3Path(this.bucket.name, this.object.key);
  }
}

function newPart(buffer: Buffer): Part {
  return { buffer, bytes: 0, hash: createHash("sha256") };
}

/** Call it once. */
function contentOf({ buffer, bytes, hash }: Part): Pick<PartToSend, "body" | "sha256"> {
  return { body: buffer.subarray(0, bytes), sha256: hash.digest("base64") };
}
