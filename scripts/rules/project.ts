import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/** A source file or a page of the project. */
export interface Source {
  /** Relative to the project's folder, with forward slashes. */
  path: string;
  text: string;
}

/** The input of the rules. */
export interface Project {
  sources: readonly Source[];
  /** The documentation: every Markdown file for readers. */
  pages: readonly Source[];
  /** Content of any file, or `undefined` if it does not exist. */
  read(path: string): string | undefined;
  /** Whether there is a file or a folder. */
  exists(path: string): boolean;
}

/** A rule returns one line for each violation, with its path. */
export type Rule = (project: Project) => string[] | Promise<string[]>;

const folders = ["src", "cli", "plugin", "emulator", "test", "scripts", "bench", "examples", "templates"];
const foldersOfPages = [
  ".github",
  "bench",
  "contributing",
  "cli",
  "docs",
  "emulator",
  "plugin",
  "src",
  "examples",
  "templates",
];

/** Pages that git ignores, because a release and a site generate them. No page can lead there. */
export const apiReference = "docs/reference/api";

/** Reads a project. */
export function readProject(root: string): Project {
  return {
    sources: [
      ...folders.flatMap((folder) => readFiles(root, folder, ".ts")),
      // The page of the emulator, which browsers run as it is.
      ...readFiles(root, "emulator/page", ".mjs"),
    ],
    pages: [
      ...readdirSync(root).flatMap((name) => (name.endsWith(".md") ? [readSource(root, name)] : [])),
      ...foldersOfPages.flatMap((folder) => readFiles(root, folder, ".md")),
    ],
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined),
    exists: (path) => !`${path}/`.startsWith(`${apiReference}/`) && existsSync(join(root, path)),
  };
}

function readFiles(root: string, folder: string, ending: string): Source[] {
  if (!existsSync(join(root, folder))) {
    return [];
  }
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      return ["node_modules", "dist", "generated"].includes(entry.name) || path === apiReference
        ? []
        : readFiles(root, path, ending);
    }
    return entry.name.endsWith(ending) ? [readSource(root, path)] : [];
  });
}

function readSource(root: string, path: string): Source {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/** The code of a file in a normal format without comments, for rules on words that comments can contain. */
export function codeOf({ path, text }: Source): string {
  return ts.createPrinter({ removeComments: true }).printFile(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
}

/** Sources in a folder. */
export function under(project: Project, folder: string): Source[] {
  return project.sources.filter(({ path }) => path.startsWith(`${folder}/`));
}
