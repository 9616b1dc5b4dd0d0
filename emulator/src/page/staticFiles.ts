import { readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A file with its content type. */
export interface StaticFile {
  type: string;
  content: Buffer;
}

/** The files of a folder that browsers and runs read. */
export class StaticFiles {
  /** @param folder its absolute path. */
  constructor(private readonly folder: string) {}

  /** @returns undefined if the folder has no such file. */
  read(name: string): StaticFile | undefined {
    const file = join(this.folder, name);
    // A path such as ../package.json is none of the folder.
    if (!file.startsWith(this.folder + sep)) return undefined;
    try {
      return { type: types[extname(file).toLowerCase()] ?? "application/octet-stream", content: readFileSync(file) };
    } catch {
      return undefined;
    }
  }
}
