import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { messageOf, ResourceError } from "../../values/errors";
import type { Context, ServiceTraits } from "../resource";

/** Where the files are that arguments can name. */
export interface FilePlaces {
  /** The program's folder. */
  folder: string;
  /** Without them, as on the command line, each regular file counts: the user has named it. */
  settings?: Pick<ServiceTraits, "allowedFolders">;
}

/**
 * Why an argument must not name this file: a part of a sentence; undefined if it can. The lines of such a file go to
 * the service. So a manifest or a link in a pull request must not lead to the environment of a process or to a key, and
 * a read of a device or a FIFO would never end.
 * @throws the error of the file system if there is no such file
 */
export function whyNotAllowed(path: string, { folder, settings }: FilePlaces): string | undefined {
  const real = realpathSync(path);
  if (!statSync(real).isFile()) {
    return "is not a file";
  }
  const places = settings && [folder, ...settings.allowedFolders.map((each) => resolve(folder, each))];
  return places === undefined || places.some((place) => isInside(real, place))
    ? undefined
    : `is the file "${real}", which is outside of the program's folder. Copy it into that folder, or add its folder to webextract:allowedFolders`;
}

/** Whether a real path is the place or in it. */
export function isInside(real: string, place: string): boolean {
  try {
    const path = relative(realpathSync(place), real);
    return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  } catch {
    // A folder that does not exist contains nothing.
    return false;
  }
}

/**
 * What `read` finds in a file that an argument names, relative to the program's folder; or why the file cannot be used:
 * a part of a sentence. Synchronous, because a check must end before the program continues.
 */
export function readAllowed<T>(
  name: string,
  places: FilePlaces,
  read: (path: string) => T,
): { found: T; why?: undefined } | { found?: undefined; why: string } {
  const path = resolve(places.folder, name);
  try {
    const why = whyNotAllowed(path, places);
    return why === undefined ? { found: read(path) } : { why };
  } catch (error) {
    return { why: describeFileError(error, path) };
  }
}

/** A file with a list, as `check` has read it. */
export interface CheckedFile {
  /** Relative to the program's folder. */
  name: string;
  sha256: string;
  taskId: string;
}

/**
 * Reads a file that was checked. Refuses a file that changed since then, because only what the preview showed can be
 * sent.
 */
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

/**
 * On this system, a backslash is a character of a name like others. Undefined for a path without one, and on Windows.
 */
export function backslashHint(path: string): string | undefined {
  return sep === "/" && path.includes("\\")
    ? 'contains a backslash, which separates no folders on this system. Write "/"'
    : undefined;
}

function describeFileError(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) {
    return messageOf(error);
  }
  const what = code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be read: ${code}`;
  const hint = backslashHint(path);
  return `${what} (looked for "${path}", relative to the program's folder${hint === undefined ? "" : `; it ${hint}`})`;
}
