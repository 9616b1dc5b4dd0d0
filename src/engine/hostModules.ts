import { createRequire } from "node:module";

/** Loads modules as the host itself does. */
export function hostModules(): NodeJS.Require {
  return createRequire(process.argv[1] ?? "");
}

/** The address of the engine, an argument of the host. */
export function engineAddress(): string | undefined {
  const address = process.argv[2] ?? "";
  return /^[\w.:[\]-]+:\d+$/.test(address) ? address : undefined;
}
