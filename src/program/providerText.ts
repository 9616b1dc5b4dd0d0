import { createRequire } from "node:module";
import { RunError, runtime } from "@pulumi/pulumi";

/**
 * The JavaScript that the engine keeps with each resource and runs for it. It's a permanent contract: a changed text shows as an update
 * of every resource of every user, and old state runs the text that it was written with for ever.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("module").createRequire(process.cwd()+"/")("pulumi-webextract/provider").get("${type}")`;
}

let resolved = false;

/** Makes sure, at preview, that the engine's host will find this package: from the program's folder, and nowhere else. */
export function requireResolvableProvider(): void {
  if (resolved || isMocked()) {
    return;
  }
  try {
    createRequire(`${process.cwd()}/`).resolve("pulumi-webextract/provider");
    resolved = true;
  } catch {
    throw new RunError(
      `The Pulumi engine looks for the package "pulumi-webextract" from the program's folder (${process.cwd()}) and would not find it there. ` +
        "Add pulumi-webextract to the dependencies in that folder's package.json and run npm install.",
    );
  }
}

/** In a unit test of a program (`pulumi.runtime.setMocks`) no engine runs, so nothing of it needs to be in place. */
export function isMocked(): boolean {
  const monitor = runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}
