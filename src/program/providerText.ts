import { createRequire } from "node:module";
import { RunError, runtime } from "@pulumi/pulumi";

let resolved = false;

/** Makes sure, at preview, that the engine will find this package. It looks only from the folder of the program. */
export function requireResolvableProvider(): void {
  if (resolved || isMocked()) {
    return;
  }
  try {
    createRequire(`${process.cwd()}/`).resolve("pulumi-webextract/provider");
    resolved = true;
  } catch {
    throw new RunError(
      `The Pulumi engine looks for the package "pulumi-webextract" from the program's folder (${process.cwd()}) and does not find it there. ` +
        "Add pulumi-webextract to the dependencies in that folder's package.json and run npm install.",
    );
  }
}

/** Whether this is a unit test of a program (`pulumi.runtime.setMocks`), which has no engine. */
export function isMocked(): boolean {
  const monitor = runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}
