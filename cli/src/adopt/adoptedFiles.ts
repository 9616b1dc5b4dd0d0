import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import type { AdoptedTask } from "../../../src/resources/adopt/adoptedTask";
import { typeToken } from "../../../src/values/urn";
import type { PlannedFile } from "../output/writeFiles";
import { planned } from "../output/writeFiles";
import type { Declaration } from "./declaration";
import { declarationOf, freeName, notesOf } from "./declaration";
import { typescriptProgram } from "./typescriptProgram";

export type Language = "yaml" | "typescript";

export interface AdoptTarget {
  /** A file, or a folder with one file for each task. Absent: one document, with all lists in it. */
  out?: string;
  /** By default that of the file `out`, otherwise YAML. */
  language?: Language;
  /** Folder of the files with lists. By default `items` beside the declarations. */
  itemsDir?: string;
  /** A file for `pulumi import --file`, in place of declarations. */
  importFile?: string;
  /** The program's folder. All paths are relative to it. */
  folder: string;
}

/** The name of the resource of a task, the one that was wanted if it is another, and the file. */
export interface AdoptedTaskFile {
  name: string;
  originalName?: string;
  taskId: string;
  file?: string;
  /** The ids of the actions that are declared. */
  actions: string[];
  /** What is not declared, or to be checked. */
  notes: string[];
}

/** What adopted tasks look like in files. Nothing is written yet. */
export interface AdoptedFiles {
  tasks: AdoptedTaskFile[];
  files: PlannedFile[];
  /** Without `out`: the declarations. */
  document?: string;
}

/** A list with more items goes to a file. */
const longestList = 20;

/** Plans the files that declare these tasks. */
export function adoptedFiles(tasks: readonly AdoptedTask[], target: AdoptTarget): AdoptedFiles {
  const { out, importFile, folder, language = /\.ts$/i.test(out ?? "") ? "typescript" : "yaml" } = target;
  const isFile = out !== undefined && isFilePath(out, folder);
  const onlyName = isFile && tasks.length === 1 ? basename(out, extname(out)) : undefined;
  const ending = language === "yaml" ? ".yaml" : ".ts";
  const names = new Set<string>();
  const folders = foldersOf(tasks);
  const all = tasks.map((task): AdoptedTaskFile => {
    const { taskId, name, shownName, group = "" } = task;
    const named = fileNameFor(name ?? onlyName ?? (shownName || taskId), names);
    const file = out && (isFile ? out : join(out, folders.get(group) ?? "", `${named.name}${ending}`));
    const actions = task.actions.map(({ actionId }) => actionId);
    return { ...named, taskId, file: file && shown(file, folder), actions, notes: notesOf(task) };
  });
  if (importFile !== undefined) {
    return { tasks: all, files: [planned(shown(importFile, folder), bulkImport(all), folder)] };
  }
  const lists = new Map<string, string>();
  const namesOfLists = new Set<string>();
  const itemsDir = target.itemsDir ?? join(isFile ? dirname(out) : (out ?? ""), "items");
  const variables = new Set<string>();
  const declarations = new Map<string | undefined, Declaration[]>();
  for (const [index, task] of tasks.entries()) {
    const { name, originalName, file } = all[index] as AdoptedTaskFile;
    const itemsFileOf = (actionId: string, items: readonly string[]): string | undefined => {
      if (out === undefined || items.length <= longestList) {
        return undefined;
      }
      const path = shown(join(itemsDir, `${fileNameFor(`${name}-${actionId}`, namesOfLists).name}.txt`), folder);
      lists.set(path, items.map((item) => `${item}\n`).join(""));
      return path;
    };
    const declared = declarationOf({ name, originalName, task }, itemsFileOf, variables);
    declarations.set(file, [...(declarations.get(file) ?? []), declared]);
  }
  const textOf = (declared: readonly Declaration[], path?: string): string => {
    if (language === "typescript") {
      return typescriptProgram(declared);
    }
    const isNameOfFile = path !== undefined && (!isFile || declared[0]?.name === onlyName);
    const schema = path && schemaFor(path, folder);
    return yamlWriter().yamlManifest(declared, isNameOfFile, schema);
  };
  if (out === undefined) {
    return { tasks: all, files: [], document: textOf(declarations.get(undefined) ?? []) };
  }
  const texts = [...declarations].map(([path = "", declared]): [string, string] => [path, textOf(declared, path)]);
  return { tasks: all, files: [...texts, ...lists].map(([path, content]) => planned(path, content, folder)) };
}

/** What `pulumi import --file` reads: for each task, the one resource that a declaration of it would be. */
function bulkImport(tasks: readonly AdoptedTaskFile[]): string {
  const type = typeToken("ExtractionTask", "native");
  const resources = tasks.map(({ name, taskId }) => ({ type, name, id: taskId }));
  return `${JSON.stringify({ resources }, undefined, 2)}\n`;
}

/** For editors: that of the installed package, or of the repository in a project of a language without node_modules. */
function schemaFor(path: string, folder: string): string {
  const name = "src/manifest/manifest.schema.json";
  return ["package.json", "node_modules"].some((each) => existsSync(join(folder, each)))
    ? shown(join(folder, "node_modules/pulumi-webextract", name), resolve(folder, dirname(path)))
    : `https://raw.githubusercontent.com/pulumi-webextract/pulumi-webextract/main/${name}`;
}

/** Why these options contradict each other; undefined if they do not. */
export function targetProblem({ out, language, itemsDir, importFile, folder }: AdoptTarget): string | undefined {
  if (importFile !== undefined && (out ?? language ?? itemsDir) !== undefined) {
    return "--import-file writes no declarations, so it cannot be combined with --out, --language and --items-dir.";
  }
  if (out === undefined) {
    return itemsDir && "--items-dir needs --out: without it, nothing is written to files.";
  }
  const endings = { yaml: /\.ya?ml$/i, typescript: /\.ts$/i };
  const ofFile = language === undefined ? Object.values(endings) : [endings[language]];
  return isFilePath(out, folder) && !ofFile.some((ending) => ending.test(out))
    ? `--out names the file "${out}", whose ending must be ${language === "typescript" ? ".ts" : language === "yaml" ? ".yaml" : ".yaml or .ts"}.`
    : undefined;
}

/** Names of declarations, and of what users take for one. */
const namedAsFile = /\.(?:ya?ml|[cm]?[jt]sx?|json|py|go|cs|fs|vb|java|txt|csv|md)$/i;

function isFilePath(out: string, folder: string): boolean {
  const full = resolve(folder, out);
  return existsSync(full) ? !statSync(full).isDirectory() : namedAsFile.test(out);
}

function yamlWriter(): typeof import("./yamlManifest") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the YAML library with every command
  return require("./yamlManifest");
}

/** With slashes on every system, because it is written to files that others read. */
function shown(path: string, folder: string): string {
  return relative(folder, resolve(folder, path)).split(sep).join("/");
}

function foldersOf(tasks: readonly AdoptedTask[]): Map<string, string> {
  const names = new Set<string>();
  const groups = new Set(tasks.flatMap(({ group }) => group ?? []));
  return new Map([...groups].map((group) => [group, fileNameFor(group, names).name]));
}

/** A file system counts bytes, at most 255 in a name. A character has up to 4, and a number and an ending follow. */
const longestName = 60;

/**
 * A name that is valid for files on every system and is not taken, whatever the case; and the one that was wanted if it
 * is another.
 */
function fileNameFor(wanted: string, taken: Set<string>): { name: string; originalName?: string } {
  const characters = wanted.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-");
  // Windows drops a dot at the end of a name, and a name that begins with one is hidden.
  const valid = [...characters.replace(/^[.-]+/, "")]
    .slice(0, longestName)
    .join("")
    .replace(/(?<![.-])[.-]+$/, "");
  // Windows takes some names for devices, and a map loses the key __proto__ on the way through an output of Pulumi.
  const isRefused = valid === "" || /^(?:(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|__proto__$)/i.test(valid);
  const base = isRefused ? `task${valid && "-"}${valid}` : valid;
  // `ß` and `SS` are the same on a system without case.
  const name = freeName(base, taken, (each) => each.toUpperCase().toLowerCase());
  return name === wanted.normalize("NFC") ? { name } : { name, originalName: wanted };
}
