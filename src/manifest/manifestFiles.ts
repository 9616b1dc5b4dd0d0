import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import picomatch from "picomatch";
import type { Problems } from "./problems";
import { SourceFile } from "./sourceFile";

const endings = /\.ya?ml$/i;

/**
 * The files that a path, a glob or a folder names, each once. Files of a folder or a glob come in the order of their paths, so that the same files always
 * give the same order.
 * @param folder the folder that paths are relative to
 */
export function findFiles(paths: readonly string[], folder: string, problems: Problems): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (const file of filesOf(path, folder, problems)) {
      found.add(file);
    }
  }
  return [...found];
}

function filesOf(path: string, folder: string, problems: Problems): string[] {
  const full = resolve(folder, path);
  const at = `(looked for "${full}", relative to the program's folder)`;
  if (path.trim() === "") {
    problems.addFile(JSON.stringify(path), "is not a path: give a file, a glob or a folder");
    return [];
  }
  const kind = kindOf(full);
  if (kind === "file") {
    return [full];
  }
  if (kind === "folder") {
    const files = filesWithin(full, problems, folder).filter((file) => endings.test(file));
    if (files.length === 0) {
      problems.addFile(path, `has no file that ends in .yaml or .yml ${at}`);
    }
    return files;
  }
  if (kind !== "missing") {
    problems.addFile(path, `is neither a file nor a folder ${at}`);
    return [];
  }
  const { base, isGlob } = picomatch.scan(path);
  if (!isGlob) {
    problems.addFile(path, `does not exist ${at}`);
    return [];
  }
  const start = resolve(folder, base);
  const matches = picomatch(path.replace(/^\.\//, ""));
  const nameOf = (file: string): string => {
    const name = relative(folder, file).split(sep).join("/");
    return resolve(folder, path) === resolve(path) && path.startsWith("/") ? file : name;
  };
  const files = kindOf(start) === "folder" ? filesWithin(start, problems, folder) : [];
  const fitting = files.filter((file) => matches(nameOf(file)));
  if (fitting.length === 0) {
    problems.addFile(path, `matches no file ${at}`);
  }
  return fitting;
}

function kindOf(path: string): "file" | "folder" | "other" | "missing" {
  try {
    const stats = statSync(path);
    return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  } catch {
    return "missing";
  }
}

/** All files below a folder in the order of their paths, without hidden files and node_modules. */
function filesWithin(
  folder: string,
  problems: Problems,
  programFolder: string,
  above: readonly string[] = [],
): string[] {
  try {
    const real = realpathSync(folder);
    if (above.includes(real)) {
      // A symbolic link to a folder that contains it.
      return [];
    }
    return readdirSync(folder)
      .filter((name) => !name.startsWith(".") && name !== "node_modules")
      .sort()
      .flatMap((name) => {
        const path = join(folder, name);
        const kind = kindOf(path);
        return kind === "folder"
          ? filesWithin(path, problems, programFolder, [...above, real])
          : kind === "file"
            ? [path]
            : [];
      });
  } catch (error) {
    problems.addFile(shownName(folder, programFolder), `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return [];
  }
}

/** How errors name a file: relative to the program's folder if it is within. */
export function shownName(file: string, folder: string): string {
  const path = relative(folder, file);
  return (path === "" || path.startsWith("..") ? file : path).split(sep).join("/");
}

/** The text of a file, or undefined with a problem. */
export function readText(file: string, folder: string, problems: Problems): SourceFile | undefined {
  const name = shownName(file, folder);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    problems.addFile(name, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
  try {
    return new SourceFile(name, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    problems.addFile(name, "is not UTF-8 text");
    return undefined;
  }
}
