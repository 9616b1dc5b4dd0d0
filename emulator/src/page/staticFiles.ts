import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { packageFolder } from "../contract";

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

/** The files of a folder of this package that browsers read. */
export class StaticFiles {
  private readonly folder: string;
  private readonly names: ReadonlySet<string>;

  /** @param folder its path in the package. */
  constructor(folder: string) {
    this.folder = join(packageFolder, folder);
    const names = readdirSync(this.folder, { recursive: true, encoding: "utf8" });
    this.names = new Set(names.map((name) => name.replaceAll("\\", "/")));
  }

  has(name: string): boolean {
    // Only names that the folder has: a path such as ../package.json is none of them.
    return extname(name) in types && this.names.has(name);
  }

  read(name: string): StaticFile | undefined {
    const type = types[extname(name)];
    if (type === undefined || !this.has(name)) return undefined;
    return { type, content: readFileSync(join(this.folder, name)) };
  }
}
