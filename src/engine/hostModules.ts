import { createRequire } from "node:module";

/** Modules as the host itself has them. */
export function hostModules(): NodeJS.Require {
  return createRequire(process.argv[1] ?? "");
}

/** The address of the engine, which the host is started with. */
export function engineAddress(): string | undefined {
  const address = process.argv[2] ?? "";
  return /^[\w.:[\]-]+:\d+$/.test(address) ? address : undefined;
}
