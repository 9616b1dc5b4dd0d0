import type { Stats } from "node:fs";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { whyNotAllowed } from "../resources/lists/allowedFile";
import { describeShellPart, shellPartOf } from "../values/shellPart";
import type { Problems } from "./problems";
import { ManifestFile } from "./problems";

const endings = /\.ya?ml$/i;

/**
 * The files that a path, a glob or a folder names, each once. Files of a folder or a glob come in the order of their
 * paths, so that the same files always give the same order. It is a generator with a step for each folder: a caller
 * that listens for Ctrl-C can do so in between.
 * @param folder the folder that paths are relative to
 */
export function* findFiles(paths: readonly string[], folder: string, problems: Problems): Generator<void, string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const part = shellPartOf(path);
    if (part !== undefined) {
      problems.addFile(path, `is ${describeShellPart(part)}`);
      continue;
    }
    const full = resolve(folder, path);
    let isUnread = false;
    const unread: Unread = (place, { code }) => {
      if (nowhere.includes(code)) return;
      isUnread = true;
      problems.addFile(shownName(place, folder), `cannot be read (${code})`);
    };
    const asGlob = globIn(path.split(sep).join("/"));
    // An empty path would be the program's folder with all that is in it.
    const stats = path.trim() === "" ? undefined : statsOf(full, asGlob === undefined ? unread : undefined);
    const glob = stats === undefined ? asGlob : undefined;
    let files = stats !== undefined && !stats.isDirectory() ? [full] : [];
    if (stats?.isDirectory() === true || glob !== undefined) {
      const top = glob === undefined ? full : resolve(folder, glob.folder);
      const isWanted = (file: string): boolean =>
        glob === undefined ? endings.test(file) : glob.matches(relative(top, file).split(sep).join("/"));
      files = (yield* addFiles([], top, unread)).filter(isWanted);
    }
    if (files.length === 0 && !isUnread) {
      const where = `looked for "${full}", relative to the program's folder`;
      const reason = `leads to no file that ends in .yaml or .yml (${where}; the only wildcards are *, ? and **)`;
      problems.addFile(path.trim() === "" ? JSON.stringify(path) : path, reason);
    }
    for (const file of files) {
      found.add(file);
    }
  }
  return [...found];
}

/** Called with what cannot be read. */
type Unread = (path: string, error: NodeJS.ErrnoException) => void;

/** The codes of a path that leads nowhere: also where a part of it is a file, a link leads to itself, or a name is too long. */
const nowhere: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Undefined if the path leads nowhere. */
function statsOf(path: string, unread?: Unread): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    unread?.(path, error as NodeJS.ErrnoException);
    return undefined;
  }
}

/**
 * Adds all files below a folder in the order of their paths, without hidden files and node_modules. Links to folders
 * are not followed.
 */
function* addFiles(files: string[], top: string, unread: Unread): Generator<void, string[]> {
  yield;
  try {
    const entries = readdirSync(top, { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = join(top, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") {
        continue;
      }
      if (entry.isDirectory()) {
        yield* addFiles(files, path, unread);
      } else if (statsOf(path)?.isDirectory() !== true) {
        files.push(path);
      }
    }
  } catch (error) {
    unread(top, error as NodeJS.ErrnoException);
  }
  return files;
}

/** How errors name a file: relative to the program's folder if it is within. */
function shownName(file: string, folder: string): string {
  const path = relative(folder, file);
  const isWithin = path !== "" && path.split(sep)[0] !== "..";
  return (isWithin ? path : file).split(sep).join("/");
}

/** The text of a file, or undefined with a problem. */
export function readText(file: string, places: FilePlaces, problems: Problems): ManifestFile | undefined {
  const name = shownName(file, places.folder);
  try {
    const why = whyNotAllowed(file, places);
    if (why === undefined) {
      return new ManifestFile(name, new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)));
    }
    problems.addFile(name, why);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.addFile(name, error instanceof TypeError ? "is not UTF-8 text" : `cannot be read (${code})`);
  }
  return undefined;
}

/**
 * Globs with `*` and `?` for a part of a name, and `**` for any number of folders. The libraries for globs make regular
 * expressions, with which `*a*a*a*a*b` takes hours. Here the time grows with the lengths of the glob and of the path
 * only.
 */
interface Glob {
  /** The folder above all that can match. */
  readonly folder: string;
  /** @param path relative to the folder, with `/` */
  matches(path: string): boolean;
}

/** The glob in a path; undefined if it has no wildcard. */
export function globIn(path: string): Glob | undefined {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?]/.test(part));
  if (first < 0) {
    return undefined;
  }
  const rest = parts.slice(first).filter((part) => part !== "");
  return {
    // The part before the first slash of an absolute path is empty.
    folder: `${parts.slice(0, first).join("/")}${first === 1 ? "/" : ""}`,
    matches: (name) => matchParts(rest, name.split("/"), "**", matchName),
  };
}

function matchName(glob: string, name: string): boolean {
  return matchParts([...glob], [...name], "*", (one, character) => one === "?" || one === character);
}

/**
 * Whether the parts fit one after the other, where `any` stands for any number of parts. Only the last `any` can have
 * taken too few.
 */
function matchParts(
  glob: readonly string[],
  parts: readonly string[],
  any: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let [at, from, lastAny] = [0, 0, -1];
  for (let next = 0; next < parts.length; ) {
    const wanted = glob[at];
    if (wanted === any) {
      lastAny = at++;
      from = next;
    } else if (wanted !== undefined && fits(wanted, parts[next] ?? "")) {
      at++;
      next++;
    } else if (lastAny >= 0) {
      at = lastAny + 1;
      next = ++from;
    } else {
      return false;
    }
  }
  return glob.slice(at).every((each) => each === any);
}
