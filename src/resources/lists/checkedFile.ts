import { resolve } from "node:path";
import type { Context } from "../resource";
import { messageOf, ResourceError } from "../resource";
import { whyNotAllowed } from "./allowedFile";
import { NotUtf8 } from "./lines";

/** A file with a list, as `check` has read it. */
export interface CheckedFile {
  /** Relative to the program's folder. */
  name: string;
  sha256: string;
  /** Path of the argument that names the file. */
  argument: string;
  taskId: string;
}

/** Reads a file that was checked. Refuses a file that changed since then, because only what the preview showed can be sent. */
export async function readChecked<T>(
  file: CheckedFile,
  context: Context,
  read: (path: string) => Promise<{ sha256: string; content: T }>,
): Promise<T> {
  const path = resolve(context.folder, file.name);
  const refused = (what: string, next: string): ResourceError =>
    new ResourceError(
      `The file "${file.name}" (${file.argument} of task "${file.taskId}") ${what} after the check. No part of it was sent. ${next}`,
    );
  const changed = (): ResourceError => refused("changed", "Run the command again to see the change in a preview.");
  const readAllowed = async () => {
    const why = whyNotAllowed(path, context);
    if (why !== undefined) {
      throw refused(`became another one: it ${why}`, "Then run the command again.");
    }
    return read(path);
  };
  const { sha256, content } = await readAllowed().catch((error: NodeJS.ErrnoException) => {
    if (error instanceof ResourceError) {
      throw error;
    }
    if (error instanceof NotUtf8) {
      throw changed();
    }
    const isGone = error.code === "ENOENT" || error.code === "ENOTDIR";
    const what = isGone ? "was removed" : `became unreadable (${error.code ?? messageOf(error)})`;
    const next = isGone ? `Restore "${path}"` : `Make "${path}" readable`;
    throw refused(what, `${next} or name another file, then run the command again.`);
  });
  if (sha256 !== file.sha256) {
    throw changed();
  }
  return content;
}
