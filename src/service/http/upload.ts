import { createHash, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { UploadSource } from "../contract/types";

/** The multipart body of one attempt, with its open file. */
export interface UploadBody {
  headers: Record<string, string>;
  /** @throws FileProblem */
  pieces: AsyncGenerator<Buffer, void, void>;
  /** Closes the file. To be called after success and failure. */
  close(): void;
}

/** The file cannot be sent. The message is for the user. */
export class FileProblem extends Error {
  constructor(cause: unknown) {
    super(`the file cannot be sent: ${cause instanceof Error ? cause.message : "unknown reason"}.`);
  }
}

/**
 * Streams `taskId`, if it is given, and `file` as multipart/form-data; `onProgress` is called for each piece of the file.
 * @throws FileProblem if the file cannot be opened
 */
export function uploadBody(taskId: string | undefined, file: UploadSource, onProgress: () => void): UploadBody {
  const { name = "urls.txt", size } = file;
  const boundary = `webextract-${randomUUID()}`;
  const head = Buffer.from(
    [
      ...(taskId === undefined ? [] : [`--${boundary}`, 'Content-Disposition: form-data; name="taskId"', "", taskId]),
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${name.replace(/["\r\n]/g, encodeURIComponent)}"`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      "",
    ].join("\r\n"),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length: Record<string, string> =
    size === undefined ? {} : { "Content-Length": String(head.length + size + tail.length) };
  let source: Readable;
  try {
    // An error before the first read would be unhandled. The loop over the source throws it.
    source = file.open().on("error", () => undefined);
  } catch (error) {
    throw new FileProblem(error);
  }
  async function* pieces(): AsyncGenerator<Buffer, void, void> {
    yield head;
    yield* checked(source, file, onProgress);
    yield tail;
  }
  return {
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, ...length },
    pieces: pieces(),
    close: () => source.destroy(),
  };
}

/**
 * Passes the file on, but keeps the last piece back until length and digest are verified. The service never receives
 * the end of a file that changed after its check, so it cannot accept the file.
 */
async function* checked(
  source: Readable,
  { size, sha256 }: UploadSource,
  onProgress: () => void,
): AsyncGenerator<Buffer, void, void> {
  const hash = createHash("sha256");
  let bytes = 0;
  let held: Buffer | undefined;
  try {
    for await (const given of source) {
      const piece = Buffer.from(given);
      bytes += piece.length;
      if (size !== undefined && bytes > size) break;
      hash.update(piece);
      onProgress();
      if (held !== undefined) yield held;
      held = piece;
    }
    if (bytes !== (size ?? bytes)) throw new Error(`its size is no longer ${size} bytes`);
    if (sha256 !== undefined && hash.digest("hex") !== sha256.toLowerCase()) {
      throw new Error("it is no longer the file that was checked, because its SHA-256 differs");
    }
  } catch (error) {
    throw new FileProblem(error);
  }
  if (held !== undefined) yield held;
}
