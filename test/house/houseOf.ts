import type { House } from "../../scripts/house/source";

/** A project of a few files, given as path -> text. */
export function houseOf(files: Readonly<Record<string, string>>): House {
  return {
    sources: Object.entries(files)
      .filter(([path]) => path.endsWith(".ts"))
      .map(([path, text]) => ({ path, text })),
    read: (path) => files[path],
  };
}
