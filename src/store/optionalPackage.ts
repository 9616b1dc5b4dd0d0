import { createRequire } from "node:module";
import { resolve } from "node:path";
import { ResourceError } from "../values/errors";

/**
 * Packages that few programs need, so that users install them themselves. They are looked for from the program's folder
 * and from this file: where this package is linked, only the program's folder has them.
 */
export function locate(name: string, folder: string): string | undefined {
  try {
    return createRequire(__filename).resolve(name, { paths: [folder, __dirname] });
  } catch {
    return undefined;
  }
}

/**
 * Where optional packages are looked for: the program's folder, or the one that the configuration names if the program
 * is no Node.js project.
 */
export function packagesFolder({
  folder,
  settings,
}: {
  folder: string;
  settings: { readonly packagesFolder?: string };
}): string {
  return resolve(folder, settings.packagesFolder ?? ".");
}

/** What to do about a missing package. */
export function toInstall(name: string): string {
  return `run "npm install ${name}" in the program's folder, or in the one that webextract:packagesFolder names`;
}

export function isInstalled(name: string, folder: string): boolean {
  return locate(name, folder) !== undefined;
}

/** The exports of a package; undefined if it is not installed. */
export function importOptional(name: string, folder: string): unknown {
  const file = locate(name, folder);
  return file === undefined ? undefined : createRequire(__filename)(file);
}

/** @throws ResourceError if the package is not installed */
export function loadOptional(name: string, folder: string): unknown {
  const found = importOptional(name, folder);
  if (found === undefined) {
    throw new ResourceError(
      `The export needs the package ${name}: ${toInstall(name)}. No file was written. Then run the same command again.`,
    );
  }
  return found;
}
