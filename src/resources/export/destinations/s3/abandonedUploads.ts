import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "../../../../service/files/privateFile";
import { isRecord } from "../../../../service/isRecord";
import type { Context } from "../../../resource";
import type { Bucket, MultipartUpload, OpenUpload } from "./bucket";
import { s3Path } from "./s3Path";

/**
 * Multipart uploads that a killed export has left. They are in no list of objects, and cost storage until they are aborted. A note on the disk says
 * which upload this machine has begun; the list of the store shows those of other machines.
 */

/** Milliseconds after which an upload counts as abandoned, although its process can be running. Such an export then reads its rows again, or sends its file again. */
const abandonedAfter = 24 * 3600 * 1000;

/** Milliseconds within which an upload of another machine counts as in progress. */
const inProgressFor = 3600 * 1000;

const ending = ".upload";

interface Note extends MultipartUpload {
  bucket: string;
  host: string;
  pid: number;
}

/** Which process an upload belongs to that its process could not abort. */
const noProcess = 0;

/** A note that cannot be written or removed fails nothing: the list of the store shows the upload too. */
export interface UploadNote {
  /** The upload has ended. */
  forget(): Promise<void>;
  /** The upload could not be aborted: the next export tries again. */
  leave(): Promise<void>;
}

/** Remembers an upload that begins. */
export async function noteUpload(workPath: string, upload: MultipartUpload & { bucket: string }): Promise<UploadNote> {
  const note: Omit<Note, "pid"> = { ...upload, host: hostname() };
  const file = `${workPath}.${Buffer.from(upload.uploadId).toString("hex").slice(-16)}${ending}`;
  const write = (pid: number): Promise<void> => writePrivateFile(file, `${JSON.stringify({ ...note, pid })}\n`, false);
  const ignore = (): void => undefined;
  await write(process.pid).catch(ignore);
  return { forget: () => rm(file, { force: true }).catch(ignore), leave: () => write(noProcess).catch(ignore) };
}

/**
 * Aborts the abandoned uploads of a path, and warns of those that may be abandoned. Never fails: an account may be allowed to
 * write, and not to list uploads.
 * @param prefix with which each key of the path begins
 * @param isOfPath whether an export to the path can have made this key
 */
export async function endAbandonedUploads(
  bucket: Bucket,
  {
    folder,
    prefix,
    isOfPath,
    warn,
  }: { folder: string; prefix: string; isOfPath(key: string): boolean } & Pick<Context, "warn">,
): Promise<void> {
  const ours = new Set<string>();
  const files = new Map<string, string>();
  for (const { file, note } of await notesIn(folder)) {
    if (note.bucket !== bucket.name || !isOfPath(note.key)) {
      continue;
    }
    files.set(note.uploadId, file);
    if (note.host !== hostname()) {
      continue;
    }
    if (isRunning(note.pid)) {
      ours.add(note.uploadId);
    } else if (await isAborted(bucket, note)) {
      await rm(file, { force: true });
    }
  }
  const open = await bucket.openUploads(prefix).catch((): OpenUpload[] => []);
  for (const upload of open.filter(({ key }) => isOfPath(key))) {
    const age = Date.now() - (upload.initiated?.getTime() ?? Date.now());
    if (age < (ours.has(upload.uploadId) ? abandonedAfter : inProgressFor)) {
      continue;
    }
    if (age >= abandonedAfter && (await isAborted(bucket, upload))) {
      await rm(files.get(upload.uploadId) ?? "", { force: true });
      continue;
    }
    warn(
      `${inWords(bucket, upload)} has not ended. If no export is running elsewhere, it was abandoned: ${howToAbort(bucket, upload)}`,
    );
  }
}

/** An upload, for messages. */
export function inWords(bucket: Bucket, { key, uploadId }: MultipartUpload): string {
  return `The multipart upload "${uploadId}" of "${s3Path(bucket.name, key)}"`;
}

export function howToAbort({ name }: Bucket, { key, uploadId }: MultipartUpload): string {
  return `abort it with "aws s3api abort-multipart-upload --bucket ${name} --key ${key} --upload-id ${uploadId}", so that its parts cost nothing.`;
}

async function isAborted(bucket: Bucket, upload: MultipartUpload): Promise<boolean> {
  return bucket.abortUpload(upload).then(
    () => true,
    () => false,
  );
}

async function notesIn(folder: string): Promise<{ file: string; note: Note }[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith(ending))
      .map(async (name) => {
        const file = join(folder, name);
        const note = noteIn(await readPrivateFile(file).catch(() => undefined));
        return note === undefined ? [] : [{ file, note }];
      }),
  );
  return found.flat();
}

function noteIn(text: string | undefined): Note | undefined {
  try {
    const note: unknown = JSON.parse(text ?? "");
    const isNote =
      isRecord(note) &&
      [note.bucket, note.key, note.uploadId, note.host].every((each) => typeof each === "string") &&
      Number.isSafeInteger(note.pid);
    return isNote ? (note as unknown as Note) : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  if (pid === noProcess) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
