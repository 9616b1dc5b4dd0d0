/** Runs Pulumi's installer in its own process, so that it can have a time limit: `installerProcess.ts FOLDER VERSION`. */
import { createRequire } from "node:module";
import { PulumiCommand } from "@pulumi/pulumi/automation";

const [root, version] = process.argv.slice(2);

// The SDK accepts only a version of its own copy of the class.
const { SemVer } = createRequire(require.resolve("@pulumi/pulumi/automation"))("semver") as typeof import("semver");

PulumiCommand.install({ root, version: new SemVer(String(version)) }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
