import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../commands";
import { packageFolders, partsOfProduct } from "./packages";

/** The file in `dist` with the digest of its sources. It is not packed. */
export const stampFile = ".sources";

/** The other inputs of a build: its scripts, the contract, the settings and version of the compiler, and the types of the dependencies. */
const otherInputs = [
  "scripts/build.ts",
  "scripts/bundle.ts",
  "scripts/openapi.ts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "emulator/admin.openapi.yaml",
  "emulator/openapi.yaml",
  "emulator/redocly.yaml",
  "emulator/package.json",
  "emulator/tsconfig.build.json",
];

/** A digest of the input of the build. Contents count, not times, because a checkout and a copy change the times. */
export function sourcesDigest(root = repositoryRoot): string {
  const sources = partsOfProduct.flatMap((folder) => {
    const src = join(folder, "src");
    return (
      readdirSync(join(root, src), { recursive: true, encoding: "utf8" })
        // A build generates types of the contracts, which are inputs themselves.
        .filter((file) => file.endsWith(".ts") && !file.startsWith("generated"))
        .map((file) => join(src, file))
    );
  });
  const hash = createHash("sha256");
  for (const file of [...otherInputs, ...sources.sort()]) {
    const digest = createHash("sha256")
      .update(readFileSync(join(root, file)))
      .digest("hex");
    hash.update(`${file.replaceAll("\\", "/")} ${digest}\n`);
  }
  return hash.digest("hex");
}

/** Whether both `dist` folders were compiled from the present sources. */
export function isBuilt(root = repositoryRoot): boolean {
  const digest = sourcesDigest(root);
  return packageFolders.every((folder) => {
    const stamp = join(root, folder, "dist", stampFile);
    return existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
  });
}
