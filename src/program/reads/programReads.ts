import { log, RunError, runtime } from "@pulumi/pulumi";
import type { ServiceClientOptions } from "../../service/options";
import { perProgram } from "../perProgram";
import { programConfig } from "../programConfig";

/**
 * The credentials with which a program reads: in functions and in static `get`. A preview must not use up a refresh token, because it can
 * run on a machine that does not keep the next token.
 */

export const noCredential =
  "In a preview, reads use only accessToken or credentialCommand, and neither is configured. The result is unknown until the update.";

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
  const { accessToken, credentialCommand, credentials } = options;
  if (accessToken !== undefined || credentialCommand !== undefined || credentials === "apiKey") {
    return { ...options, refreshToken: undefined };
  }
  const thisRun = run();
  if (!thisRun.warned) {
    thisRun.warned = true;
    await log.warn(`pulumi-webextract: ${noCredential}`);
  }
  return undefined;
}

/** Refuses a profile that names no service. */
export function requireProfile(who: string, profile: string | undefined): void {
  const problem = programConfig().profileProblem(profile);
  if (problem !== undefined) {
    throw new RunError(`${who}: ${problem}`);
  }
}
