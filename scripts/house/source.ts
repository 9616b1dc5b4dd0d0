import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/** A source file of the project. */
export interface Source {
  /** From the project's folder, with forward slashes. */
  path: string;
  text: string;
}

/** What the rules look at. */
export interface House {
  sources: readonly Source[];
  /** Text of a file that is no source, or `undefined` where it is not there. */
  read(path: string): string | undefined;
}

/** One rule: a line for each place that breaks it, with path and what to do. */
export type Rule = (house: House) => string[];

const folders = ["src", "emulator", "test", "scripts", "bench", "examples"];

/** Reads a project. */
export function readHouse(root: string): House {
  return {
    sources: folders.flatMap((folder) => readSources(root, folder)),
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined),
  };
}

function readSources(root: string, folder: string): Source[] {
  if (!existsSync(join(root, folder))) {
    return [];
  }
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      return ["node_modules", "dist"].includes(entry.name) ? [] : readSources(root, path);
    }
    return entry.name.endsWith(".ts") ? [{ path, text: readFileSync(join(root, path), "utf8") }] : [];
  });
}

/** What a file imports, in whatever way: local files as paths from the project's folder, without extension; packages by name. */
export function importsOf({ path, text }: Source): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith(".") ? posix.normalize(posix.join(posix.dirname(path), fileName)) : fileName,
    );
}

/** The file's code without comments and with one way of writing: for rules about words that may well stand in a comment. */
export function codeOf({ path, text }: Source): string {
  return ts.createPrinter({ removeComments: true }).printFile(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
}

/** Sources in a folder. */
export function under(house: House, folder: string): Source[] {
  return house.sources.filter(({ path }) => path.startsWith(`${folder}/`));
}
