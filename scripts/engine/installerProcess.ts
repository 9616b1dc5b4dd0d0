/** A process of its own around Pulumi's installer, so that it can be given a time limit: `installerProcess.ts FOLDER VERSION`. */
import { createRequire } from "node:module";
import { PulumiCommand } from "@pulumi/pulumi/automation";

const [root, version] = process.argv.slice(2);

// The SDK takes a version of the class that it uses itself.
const { SemVer } = createRequire(require.resolve("@pulumi/pulumi/automation"))("semver") as typeof import("semver");

PulumiCommand.install({ root, version: new SemVer(String(version)) }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
