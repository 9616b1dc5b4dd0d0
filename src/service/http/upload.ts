import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { UploadSource } from "../contract/types";

/** The multipart body of one attempt, with its open file. */
export interface UploadBody {
  stream: Readable;
  headers: Record<string, string>;
  /** Why the file could not be sent completely, after the stream failed for that reason. */
  problem(): string | undefined;
  /** Closes the file. To be called after success and failure. */
  dispose(): void;
}

/** Streams `taskId` and `file` as multipart/form-data; `onProgress` is called for each piece of the file. */
export function uploadBody(taskId: string, file: UploadSource, onProgress: () => void): UploadBody {
  let problem: string | undefined;
  const { head, tail, headers } = frameOf(taskId, file);
  const source = file.open();
  // An error before the first read would be unhandled. The loop over the source throws it.
  source.on("error", () => undefined);
  async function* body(): AsyncGenerator<Buffer, void, void> {
    yield head;
    try {
      yield* checked(source, file, onProgress);
    } catch (error) {
      // The stream of an aborted request is already destroyed. The file is not the cause then.
      if (!stream.destroyed) problem = problemOf(error);
      throw error;
    }
    yield tail;
  }
  const stream = Readable.from(body(), { objectMode: false });
  const dispose = () => {
    stream.destroy();
    source.destroy();
  };
  return { stream, headers, problem: () => problem, dispose };
}

/** The parts of the body before and after the file, and the headers. */
function frameOf(taskId: string, file: UploadSource): { head: Buffer; tail: Buffer; headers: Record<string, string> } {
  const boundary = `webextract-${randomBytes(16).toString("hex")}`;
  const escapes: Record<string, string> = { '"': "%22", "\r": "%0D", "\n": "%0A" };
  const filename = (file.name ?? "urls.txt").replace(/["\r\n]/g, (character) => escapes[character] ?? "");
  const head = Buffer.from(
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="taskId"',
      "",
      taskId,
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${filename}"`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      "",
    ].join("\r\n"),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const headers: Record<string, string> = { "content-type": `multipart/form-data; boundary=${boundary}` };
  if (file.size !== undefined) headers["content-length"] = String(head.length + file.size + tail.length);
  return { head, tail, headers };
}

/** A problem of the file. The message is for the user. */
class FileProblem extends Error {}

function problemOf(error: unknown): string {
  if (error instanceof FileProblem) return error.message;
  return `the file cannot be read (${error instanceof Error ? error.message : "unknown reason"}).`;
}

/**
 * Passes the file on, but keeps the last piece back until length and digest are verified. The service never receives the end of a file that
 * changed after its check, so it cannot accept the file.
 */
async function* checked(
  pieces: AsyncIterable<unknown>,
  { size, sha256 }: UploadSource,
  onProgress: () => void,
): AsyncGenerator<Buffer, void, void> {
  let bytes = 0;
  let held: Buffer | undefined;
  const hash = sha256 === undefined ? undefined : createHash("sha256");
  for await (const given of pieces) {
    const piece = bytesOf(given);
    bytes += piece.length;
    if (size !== undefined && bytes > size) {
      throw new FileProblem(`the file grew while it was read: ${size} bytes were announced.`);
    }
    hash?.update(piece);
    onProgress();
    if (held !== undefined) yield held;
    held = piece;
  }
  if (size !== undefined && bytes !== size) {
    throw new FileProblem(`the file changed while it was read: ${size} bytes were announced, ${bytes} came.`);
  }
  if (hash !== undefined && hash.digest("hex") !== sha256?.toLowerCase()) {
    throw new FileProblem("the file is no longer the one that was checked: its SHA-256 differs.");
  }
  if (held !== undefined) yield held;
}

function bytesOf(piece: unknown): Buffer {
  if (typeof piece === "string") return Buffer.from(piece);
  if (piece instanceof Uint8Array) return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  throw new FileProblem("the file cannot be read: its stream gives neither bytes nor strings.");
}
