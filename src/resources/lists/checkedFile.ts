import type { Context } from "../resource";
import { ResourceError } from "../resource";
import { readAllowed } from "./allowedFile";

/** A file with a list, as `check` has read it. */
export interface CheckedFile {
  /** Relative to the program's folder. */
  name: string;
  sha256: string;
  taskId: string;
}

/** Reads a file that was checked. Refuses a file that changed since then, because only what the preview showed can be sent. */
export function readChecked<T extends { sha256: string }>(
  { name, sha256, taskId }: CheckedFile,
  context: Context,
  read: (path: string) => T,
): T {
  const { found, why = "has other content" } = readAllowed(name, context, read);
  if (found?.sha256 !== sha256) {
    throw new ResourceError(
      `The file "${name}" of task "${taskId}" changed after the check: it ${why}. No part of it was sent. Run the command again to see the change in a preview.`,
    );
  }
  return found;
}
