import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { whyNotAllowed } from "../resources/lists/allowedFile";
import { ManifestFile } from "./nodes";
import type { Problems } from "./problems";

const endings = /\.ya?ml$/i;
/** A symbolic link can lead to a whole disk. */
const mostEntries = 100_000;

/**
 * The files that a path, a glob or a folder names, each once. Files of a folder or a glob come in the order of their paths, so that the same files always
 * give the same order. It is a generator with a step for each folder: a caller that listens for Ctrl-C can do so in between.
 * @param folder the folder that paths are relative to
 */
export function* findFiles(
  paths: readonly string[],
  folder: string,
  problems: Problems,
): Generator<void, string[], void> {
  const found = new Set<string>();
  for (const path of paths) {
    for (const file of yield* filesOf(path, folder, problems)) {
      found.add(file);
    }
  }
  return [...found];
}

function* filesOf(path: string, folder: string, problems: Problems): Generator<void, string[], void> {
  const full = resolve(folder, path);
  const at = `(looked for "${full}", relative to the program's folder)`;
  const refuse = (reason: string): string[] => {
    problems.addFile(path.trim() === "" ? JSON.stringify(path) : path, reason);
    return [];
  };
  if (path.trim() === "") {
    return refuse("is not a path: give a file, a glob or a folder");
  }
  const kind = kindOf(full);
  if (kind === "file") {
    return [full];
  }
  if (kind === "other") {
    return refuse(`is neither a file nor a folder ${at}`);
  }
  const wildcards = /[{[(]/.test(path) ? "; the only wildcards are *, ? and **" : "";
  const glob = kind === "missing" ? globIn(path.split(sep).join("/")) : undefined;
  if (kind === "missing" && glob === undefined) {
    return refuse(`does not exist ${at}${wildcards}`);
  }
  const top = glob === undefined ? full : resolve(folder, glob.folder);
  const files = kindOf(top) === "folder" ? yield* filesWithin(top, folder, problems) : [];
  if (files === undefined) {
    return refuse(`holds more than ${mostEntries} files and folders, with those behind links: give a smaller folder`);
  }
  const fitting = files.filter((file) =>
    glob === undefined ? endings.test(file) : glob.matches(relative(top, file).split(sep).join("/")),
  );
  const none =
    glob === undefined ? `has no file that ends in .yaml or .yml ${at}` : `matches no file ${at}${wildcards}`;
  return fitting.length === 0 ? refuse(none) : fitting;
}

function kindOf(path: string): "file" | "folder" | "other" | "missing" {
  try {
    const stats = statSync(path);
    return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  } catch {
    return "missing";
  }
}

/**
 * All files below a folder in the order of their paths, without hidden files and node_modules. Each folder counts once, however many links lead to it.
 * Undefined if there are too many.
 */
function* filesWithin(
  top: string,
  programFolder: string,
  problems: Problems,
): Generator<void, string[] | undefined, void> {
  const files: string[] = [];
  const known = new Set<string>();
  // The next path is the last one.
  const ahead = [top];
  let count = 0;
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const kind = kindOf(path);
    if (kind === "file") {
      files.push(path);
    }
    if (kind !== "folder") {
      if (kind !== "file" && endings.test(path)) {
        const reason = kind === "missing" ? "is a link that leads nowhere" : "is neither a file nor a folder";
        problems.addFile(shownName(path, programFolder), reason);
      }
      continue;
    }
    yield;
    try {
      const real = realpathSync(path);
      const names = known.has(real) ? [] : readdirSync(path);
      known.add(real);
      count += names.length;
      if (count > mostEntries) {
        return undefined;
      }
      const visible = names.filter((name) => !name.startsWith(".") && name !== "node_modules");
      for (const name of visible.sort().reverse()) {
        ahead.push(join(path, name));
      }
    } catch (error) {
      problems.addFile(shownName(path, programFolder), `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
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
  let bytes: Buffer;
  try {
    const why = whyNotAllowed(file, places);
    if (why !== undefined) {
      problems.addFile(name, why);
      return undefined;
    }
    bytes = readFileSync(file);
  } catch (error) {
    problems.addFile(name, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
  try {
    return new ManifestFile(name, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    problems.addFile(name, "is not UTF-8 text");
    return undefined;
  }
}

/**
 * Globs with `*` and `?` for a part of a name, and `**` for any number of folders. The libraries for globs make regular expressions, with which `*a*a*a*a*b` takes
 * hours. Here the time grows with the lengths of the glob and of the path only.
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

/** Whether the parts fit one after the other, where `any` stands for any number of parts. Only the last `any` can have taken too few. */
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
