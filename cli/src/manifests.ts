import { setImmediate } from "node:timers/promises";
import { manifestReader } from "../../src/manifest/component";
import type { ManifestFile } from "../../src/manifest/problems";
import type { Manifests } from "../../src/manifest/readManifests";
import { anyVariables } from "../../src/manifest/variables";
import type { CommandContext } from "./commandContext";
import { CliError } from "./exitCodes";

/**
 * Reads manifests, relative to the current folder. The values of variables are not known.
 * @param changed what files are to contain, by their present names
 * @throws CliError after Ctrl-C
 */
export async function manifestsAt(
  paths: readonly string[],
  cli: CommandContext,
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

/** @throws CliError with all problems, and `otherwise` in a line of its own */
export async function validManifestsAt(
  paths: readonly string[],
  cli: CommandContext,
  otherwise?: string,
): Promise<Manifests> {
  const manifests = await manifestsAt(paths, cli);
  if (manifests.problems.length > 0) {
    const lines = [...manifests.problems.map(manifestReader().describeProblem), ...(otherwise ? [otherwise] : [])];
    throw new CliError(lines.join("\n"));
  }
  return manifests;
}
