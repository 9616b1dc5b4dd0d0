import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import type { AdoptedAction, AdoptedTask } from "../../resources/adopt/adoptedTask";
import { secretValue } from "../../resources/adopt/adoptedTask";
import { typeToken } from "../../resources/urn";
import type { PlannedFile } from "../output/writeFiles";
import { requireFile } from "../output/writeFiles";
import type { Declared, ItemsFileOf, NamedTask } from "./declaration";
import { declarationOf } from "./declaration";
import { typescriptProgram } from "./typescriptProgram";
import type { ManifestOptions } from "./yamlManifest";

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

/** What adopted tasks look like in files. Nothing is written yet. */
export interface AdoptedFiles {
  tasks: { name: string; originalName?: string; taskId: string; file?: string }[];
  files: PlannedFile[];
  /** Without `out`: the declarations. */
  document?: string;
}

/** A list with more items goes to a file. */
const longestList = 20;

/** Plans the files that declare these tasks. */
export function adoptedFiles(tasks: readonly AdoptedTask[], target: AdoptTarget): AdoptedFiles {
  const { out, importFile, folder } = target;
  const language = languageOf(target);
  const names = new Names();
  const variables = new Set<string>();
  if (importFile !== undefined || out === undefined) {
    const all = tasks.map((task) => ({ ...names.named(nameOf(task)), task }));
    const named = all.map(({ task: { taskId }, ...each }) => ({ ...each, taskId }));
    if (importFile !== undefined) {
      return { tasks: named, files: [planned(importFile, bulkImport(named), folder)] };
    }
    const declared = all.map((each) => declaredAs(each, () => undefined, variables));
    return { tasks: named, files: [], document: written(declared, language) };
  }
  const ending = language === "yaml" ? ".yaml" : ".ts";
  const isFile = isFilePath(out, folder);
  const beside = isFile ? join(out, "..") : out;
  const lists = new ListFiles(target.itemsDir ?? join(beside, "items"), folder);
  const isAlone = isFile && tasks.length === 1;
  const nameOfFile = basename(out, extname(out));
  const groups = new Names();
  const folders = new Map<string, string>();
  const all: (NamedTask & { file: string })[] = tasks.map((task) => {
    const { name: wanted, group } = task;
    const named = names.named(isAlone ? (wanted ?? nameOfFile) : nameOf(task));
    if (group !== undefined && !folders.has(group)) {
      folders.set(group, groups.give(group));
    }
    const file = isFile ? out : join(out, folders.get(group ?? "") ?? "", `${named.name}${ending}`);
    return { ...named, task, file };
  });
  const texts = new Map<string, Declared[]>();
  for (const each of all) {
    texts.set(each.file, [...(texts.get(each.file) ?? []), declaredAs(each, lists.fileOf, variables)]);
  }
  const declarations = [...texts].map(([path, declared]) => ({
    path,
    content: written(declared, language, {
      isNameOfFile: !isFile || (isAlone && all[0]?.name === nameOfFile),
      schema: shown(join(folder, schemaPath), resolve(folder, dirname(path))),
    }),
  }));
  return {
    tasks: all.map(({ task: { taskId }, file, ...named }) => ({ ...named, taskId, file: shown(file, folder) })),
    files: [...declarations, ...lists.files].map(({ path, content }) => planned(path, content, folder)),
  };
}

/** What `pulumi import --file` reads: for each task, the one resource that a declaration of it would be. */
function bulkImport(tasks: readonly { name: string; taskId: string }[]): string {
  const type = typeToken("ExtractionTask", "native");
  const resources = tasks.map(({ name, taskId }) => ({ type, name, id: taskId }));
  return `${JSON.stringify({ resources }, undefined, 2)}\n`;
}

function declaredAs({ task, ...named }: NamedTask, itemsFileOf: ItemsFileOf, taken: Set<string>): Declared {
  return { ...named, fields: declarationOf({ ...named, task }, itemsFileOf, taken) };
}

/** What the task is called, unless its file says so: what the user says, what the service says, its id. */
function nameOf({ name, shownName, taskId }: AdoptedTask): string {
  return name ?? shownName ?? taskId;
}

/** For editors. Relative to the program's folder. */
const schemaPath = "node_modules/pulumi-webextract/manifest.schema.json";

/** The language that was asked for, or that of the file. */
export function languageOf({ language, out = "" }: Pick<AdoptTarget, "language" | "out">): Language {
  return language ?? (extname(out) === ".ts" ? "typescript" : "yaml");
}

/** Why these options contradict each other; undefined if they do not. */
export function targetProblem({ out, language, itemsDir, importFile, folder }: AdoptTarget): string | undefined {
  if (importFile !== undefined) {
    const others = Object.entries({ "--out": out, "--language": language, "--items-dir": itemsDir });
    const given = others.filter(([, value]) => value !== undefined).map(([name]) => name);
    return given.length === 0
      ? undefined
      : `--import-file writes no declarations, so it cannot be combined with ${given.join(" and ")}.`;
  }
  if (out === undefined) {
    return itemsDir === undefined ? undefined : "--items-dir needs --out: without it, nothing is written to files.";
  }
  const isYaml = /\.ya?ml$/i.test(out);
  const isTypescript = /\.ts$/i.test(out);
  if (isFilePath(out, folder) && !isYaml && !isTypescript) {
    return `--out names the file "${out}", which ends neither in .yaml nor in .ts.`;
  }
  return (language === "yaml" && isTypescript) || (language === "typescript" && isYaml)
    ? `--out names the file "${out}", which does not fit --language ${language}.`
    : undefined;
}

function isFilePath(out: string, folder: string): boolean {
  const full = resolve(folder, out);
  return existsSync(full) ? !statSync(full).isDirectory() : /\.(?:ya?ml|ts)$/i.test(out);
}

function written(declared: readonly Declared[], language: Language, options: ManifestOptions = {}): string {
  return language === "yaml" ? yamlWriter().yamlManifest(declared, options) : typescriptProgram(declared);
}

function yamlWriter(): typeof import("./yamlManifest") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the YAML library with every command
  return require("./yamlManifest");
}

function planned(path: string, content: string, folder: string): PlannedFile {
  return { path: shown(path, folder), content, present: presentAt(resolve(folder, path), content) };
}

function presentAt(path: string, content: string): PlannedFile["present"] {
  if (!existsSync(path)) {
    return "nothing";
  }
  requireFile(path, "Nothing was written.");
  try {
    return readFileSync(path, "utf8") === content ? "same" : "other";
  } catch {
    return "other";
  }
}

/** With slashes on every system, because it is written to files that others read. */
function shown(path: string, folder: string): string {
  return relative(folder, resolve(folder, path)).split(sep).join("/");
}

/** Makes names that are valid for files on every system, each once, whatever the case. */
class Names {
  private readonly taken = new Set<string>();

  /** The name, and the one that was wanted if it is another. */
  named(wanted: string): { name: string; originalName?: string } {
    const name = this.give(wanted);
    return name === wanted.normalize("NFC") ? { name } : { name, originalName: wanted };
  }

  give(wanted: string): string {
    const valid = withoutEdges(cut(wanted.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-")));
    const base = valid === "" || isDevice(valid) || valid === lostByPulumi ? `task${valid && "-"}${valid}` : valid;
    let name = base;
    for (let count = 2; this.taken.has(keyOf(name)); count++) {
      name = `${base}-${count}`;
    }
    this.taken.add(keyOf(name));
    return name;
  }
}

/** Names that are the same on a system without case: `ß` and `SS` too. */
function keyOf(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** What Windows takes for a device, whatever follows a dot. */
function isDevice(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}

/** A map with this key loses it on the way through an output. */
const lostByPulumi = "__proto__";

/** File systems count bytes, at most 255 in a name. This leaves room for a number, an ending and the name of a list's file. */
const longestName = 180;

function cut(name: string): string {
  const characters = [...name];
  let bytes = 0;
  const end = characters.findIndex((character) => {
    bytes += Buffer.byteLength(character);
    return bytes > longestName;
  });
  return end === -1 ? name : characters.slice(0, end).join("");
}

/** Windows drops a dot at the end of a name, and a name that begins with one is hidden. */
function withoutEdges(name: string): string {
  const isInner = (character: string): boolean => character !== "." && character !== "-";
  const characters = [...name];
  return characters.slice(characters.findIndex(isInner), characters.findLastIndex(isInner) + 1).join("");
}

/** The files of long lists. */
class ListFiles {
  readonly files: { path: string; content: string }[] = [];
  private readonly names = new Names();

  constructor(
    private readonly itemsDir: string,
    private readonly folder: string,
  ) {}

  readonly fileOf: ItemsFileOf = (name: string, { actionId, loop }: AdoptedAction) => {
    if (loop === undefined || loop.items === secretValue || loop.items.length <= longestList) {
      return undefined;
    }
    const path = join(this.itemsDir, `${this.names.give(`${name}-${actionId}`)}.txt`);
    this.files.push({ path, content: loop.items.map((item) => `${item}\n`).join("") });
    return shown(path, this.folder);
  };
}
