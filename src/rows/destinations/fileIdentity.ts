import type { Dirent } from "node:fs";
import { lstatSync, opendirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { identityOf, isStoreAddress } from "../../store/storeAddress";

/**
 * What the name of an export's file stands for: the same string for each spelling of one file. Names on the disk are
 * relative to the folder. A file is replaced and not followed if it is a link, so links count only in its folders.
 */
export function fileIdentity(folder: string, name: string): string {
  if (isStoreAddress(name)) {
    return identityOf(name);
  }
  const path = resolve(folder, name);
  let [place, rest] = [dirname(path), basename(path)];
  for (let real = realFolder(place); ; real = realFolder(place)) {
    if (real !== undefined) {
      return foldsCase(real) ? join(real, rest).normalize("NFC").toLowerCase() : join(real, rest);
    }
    [place, rest] = [dirname(place), join(basename(place), rest)];
  }
}

/** Whether two names are one file, as `./rows.csv` and `rows.csv` are. Names are relative to the folder. */
export function isSameFile(folder: string, one: string, other: string): boolean {
  return fileIdentity(folder, one) === fileIdentity(folder, other);
}

/** Undefined if there is none yet. */
function realFolder(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : undefined;
  }
}

const folding = new Map<string, boolean>();

/** Whether names in a folder that differ in case are one file. The folder shows it with the first name that has letters. */
function foldsCase(folder: string): boolean {
  const above = dirname(folder);
  const unseen = (): boolean => (above === folder ? ["darwin", "win32"].includes(process.platform) : foldsCase(above));
  const folds = folding.get(folder) ?? looksFolded(folder) ?? unseen();
  folding.set(folder, folds);
  return folds;
}

function looksFolded(folder: string): boolean | undefined {
  try {
    const entries = opendirSync(folder);
    try {
      for (let entry: Dirent | null = entries.readSync(); entry !== null; entry = entries.readSync()) {
        const other = inOtherCase(entry.name);
        if (other !== entry.name) {
          const found = inodeOf(join(folder, other));
          return found !== undefined && found === inodeOf(join(folder, entry.name));
        }
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    // The folder cannot be listed.
  }
  return undefined;
}

function inOtherCase(name: string): string {
  const lower = name.toLowerCase();
  return lower === name ? name.toUpperCase() : lower;
}

function inodeOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Why an export must not have the file that another one leaves. */
export function describeLeftFile(file: string, other: string): string {
  return `leads to "${file}", which ${other} has written. It gets another path now, and that file stays and is never overwritten: remove it first, or use another path`;
}

/** Why two exports must not have one file. */
export function describeSharedFile(file: string, other: string): string {
  return `leads to "${file}", which is the file of ${other} too: give each export a file of its own`;
}
