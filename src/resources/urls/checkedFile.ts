import { resolve } from "node:path";
import type { Context } from "../resource";
import { messageOf, ResourceError } from "../resource";
import { NotUtf8 } from "./lines";

/** A file with a list, as it was when it was checked. */
export interface CheckedFile {
  /** Relative to the program's folder. */
  name: string;
  sha256: string;
  /** The argument that names it. */
  argument: string;
  taskId: string;
}

/** What `read` makes of a file that was checked. Between a check and a write anything may happen to it: only what was previewed is sent. */
export async function readChecked<T>(
  file: CheckedFile,
  context: Context,
  read: (path: string) => Promise<{ sha256: string; content: T }>,
): Promise<T> {
  const path = resolve(context.folder, file.name);
  const refused = (what: string, next: string): ResourceError =>
    new ResourceError(
      `The file "${file.name}" (${file.argument} of task "${file.taskId}") ${what}, so nothing of it was sent. ${next}`,
    );
  const changed = (): ResourceError =>
    refused("changed after it was checked", "Run the command again to see the change in a preview.");
  const { sha256, content } = await read(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof NotUtf8) {
      throw changed();
    }
    const isGone = error.code === "ENOENT" || error.code === "ENOTDIR";
    const what = isGone
      ? "is gone since it was checked"
      : `cannot be read any more (${error.code ?? messageOf(error)})`;
    const next = isGone ? `Put it back (it was looked for as "${path}")` : `Make "${path}" readable`;
    throw refused(what, `${next}, or name another one, and run the command again.`);
  });
  if (sha256 !== file.sha256) {
    throw changed();
  }
  return content;
}
