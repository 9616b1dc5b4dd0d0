import { readFileSync } from "node:fs";
import { join } from "node:path";

interface PackageFile {
  version: string;
  engines: { node: string };
  peerDependencies: Record<string, string>;
}

/** The package.json of this package: two folders above `src/service`, and above each folder of `dist` with a bundle. */
export const ownPackage = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as PackageFile;
