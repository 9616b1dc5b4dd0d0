import type { Project } from "../../scripts/rules/project";

/** A project of a few files, given as path -> text. */
export function projectOf(files: Readonly<Record<string, string>>): Project {
  const ending = (suffix: string) =>
    Object.entries(files).flatMap(([path, text]) => (path.endsWith(suffix) ? [{ path, text }] : []));
  return {
    sources: ending(".ts"),
    pages: ending(".md"),
    read: (path) => files[path],
    exists: (path) => Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
  };
}
