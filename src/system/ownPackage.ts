import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";

interface PackageFile {
  version: string;
  engines: { node: string };
  peerDependencies: Record<string, string>;
}

/** The package.json of this package: two folders above `src/system`, and above each folder of `dist` with a bundle. */
export const ownPackage = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as PackageFile;

/**
 * Makes Node.js keep the compiled code of the files that are loaded later. Since version 22.1, the next process reads
 * it, and starts in two thirds of the time. Beside the code itself, so that whoever can change it could change the
 * code, too: that is not so in the folder for temporary files.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  // Where the folder cannot be written, nothing is kept.
  enableCompileCache?.(join(__dirname, "compiled"));
}
