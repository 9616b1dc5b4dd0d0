import { setImmediate } from "node:timers/promises";
import type { ManifestFile } from "../manifest/problems";
import type { Manifests } from "../manifest/readManifests";
import { anyVariables } from "../manifest/variables";
import type { Cli } from "./cli";

/** The reader of manifests, loaded by the commands that use it: an import at the top would load the parser with every command. */
export function manifestReader(): typeof import("../manifest/readManifests") {
  // biome-ignore lint/style/noCommonJs: see above
  return require("../manifest/readManifests");
}

/**
 * Reads manifests, relative to the current folder. The values of variables are not known.
 * @param changed what files are to contain, by their present names
 * @throws CliError after Ctrl-C
 */
export async function manifestsAt(
  paths: readonly string[],
  cli: Cli,
  changed?: ReadonlyMap<string, ManifestFile>,
): Promise<Manifests> {
  const reading = manifestReader().readInSteps({ paths, folder: process.cwd(), variables: anyVariables, changed });
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done === true) {
      return step.value;
    }
    // Node.js hears Ctrl-C only between two steps.
    await setImmediate();
    cli.checkInterrupted("Not all manifests were read.");
  }
}
