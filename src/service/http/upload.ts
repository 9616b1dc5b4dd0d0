import { createHash } from "node:crypto";
import { PassThrough, Transform } from "node:stream";
import FormData from "form-data";
import type { UploadSource } from "./uploadSource";

/** A multipart body on its way, from a file opened for this one try. */
export interface UploadBody {
  stream: PassThrough;
  headers: Record<string, string>;
  /** Why the file could not be sent to its end, once the stream has failed for that reason. */
  problem(): string | undefined;
  /** Closes the file, whatever became of the request. */
  dispose(): void;
}

/** Streams `taskId` and `file` as multipart/form-data; `onProgress` is called for each piece of the file. */
export function uploadBody(taskId: string, file: UploadSource, onProgress: () => void): UploadBody {
  let problem: string | undefined;
  const source = file.open();
  const checked = checkingStream(file, onProgress);
  const form = new FormData();
  form.append("taskId", taskId);
  form.append("file", checked, {
    filename: file.name ?? "urls.txt",
    contentType: "text/plain; charset=utf-8",
    knownLength: file.size,
  });
  const headers: Record<string, string> = form.getHeaders();
  if (file.size !== undefined) headers["content-length"] = String(form.getLengthSync());
  const stream = new PassThrough();
  const fail = (error: Error) => {
    problem ??= error instanceof FileChanged ? error.message : `the file cannot be read (${error.message}).`;
    stream.destroy(error);
  };
  source.on("error", fail);
  checked.on("error", fail);
  form.on("error", fail);
  source.pipe(checked);
  form.pipe(stream);
  return {
    stream,
    headers,
    problem: () => problem,
    dispose: () => {
      for (const part of [source, checked, stream]) part.destroy();
    },
  };
}

class FileChanged extends Error {}

/**
 * Passes the file on, holding back its last piece until length and digest are known to be right: the service never sees the end of a
 * file that is not the one that was checked, so it cannot take it.
 */
function checkingStream(file: UploadSource, onProgress: () => void): Transform {
  let bytes = 0;
  let held: Buffer | undefined;
  const hash = file.sha256 === undefined ? undefined : createHash("sha256");
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length;
      if (file.size !== undefined && bytes > file.size) {
        callback(new FileChanged(`the file grew while it was read: ${file.size} bytes were announced.`));
        return;
      }
      hash?.update(chunk);
      onProgress();
      if (held !== undefined) this.push(held);
      held = chunk;
      callback();
    },
    flush(callback) {
      if (file.size !== undefined && bytes !== file.size) {
        callback(
          new FileChanged(`the file changed while it was read: ${file.size} bytes were announced, ${bytes} came.`),
        );
        return;
      }
      if (hash !== undefined && hash.digest("hex") !== file.sha256?.toLowerCase()) {
        callback(new FileChanged("the file is no longer the one that was checked: its SHA-256 differs."));
        return;
      }
      if (held !== undefined) this.push(held);
      callback();
    },
  });
}
