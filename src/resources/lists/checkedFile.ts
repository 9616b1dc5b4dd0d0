import { resolve } from "node:path";
import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { describeFileError, whyNotAllowed } from "./allowedFile";

/** A file with a list, as `check` has read it. */
export interface CheckedFile {
  /** Relative to the program's folder. */
  name: string;
  sha256: string;
  taskId: string;
}

/** Reads a file that was checked. Refuses a file that changed since then, because only what the preview showed can be sent. */
export async function readChecked<T extends { sha256: string }>(
  file: CheckedFile,
  context: Context,
  read: (path: string) => T | Promise<T>,
): Promise<T> {
  const path = resolve(context.folder, file.name);
  const refused = (why: string): ResourceError =>
    new ResourceError(
      `The file "${file.name}" of task "${file.taskId}" changed after the check: it ${why}. No part of it was sent. Run the command again to see the change in a preview.`,
    );
  let found: T | undefined;
  let why: string | undefined;
  try {
    why = whyNotAllowed(path, context);
    found = why === undefined ? await read(path) : undefined;
  } catch (error) {
    why = describeFileError(error, path);
  }
  if (found === undefined || found.sha256 !== file.sha256) {
    throw refused(why ?? "has other content");
  }
  return found;
}
