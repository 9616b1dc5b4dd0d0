import { log, RunError, runtime } from "@pulumi/pulumi";
import { noCredential, previewReadOptions } from "../../config/previewReads";
import type { ServiceClientOptions } from "../../service/options";
import { perProgram } from "../perProgram";
import { programConfig } from "../programConfig";

const run = perProgram(() => ({ warned: false }));

/**
 * The options of the client for a read. Undefined in a preview that has only a refresh token; one warning says so.
 * @param who the reader's name in an error
 */
export async function readOptions(who: string, profile: string | undefined): Promise<ServiceClientOptions | undefined> {
  requireProfile(who, profile);
  const options = programConfig().clientOptions(profile);
  if (!runtime.isDryRun()) {
    return options;
  }
  const inPreview = previewReadOptions(options);
  const thisRun = run();
  if (inPreview === undefined && !thisRun.warned) {
    thisRun.warned = true;
    await log.warn(`pulumi-webextract: ${noCredential} The result is unknown until the update.`);
  }
  return inPreview;
}

/** Refuses a profile that names no service. */
export function requireProfile(who: string, profile: string | undefined): void {
  const problem = programConfig().profileProblem(profile);
  if (problem !== undefined) {
    throw new RunError(`${who}: ${problem}`);
  }
}
