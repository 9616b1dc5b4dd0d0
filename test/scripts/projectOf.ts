import type { Project } from "../../scripts/rules/project";

/** A project of a few files, given as path -> text. */
export function projectOf(files: Readonly<Record<string, string>>): Project {
  return {
    sources: Object.entries(files)
      .filter(([path]) => path.endsWith(".ts"))
      .map(([path, text]) => ({ path, text })),
    read: (path) => files[path],
  };
}
