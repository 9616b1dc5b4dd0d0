import { log, RunError, runtime } from "@pulumi/pulumi";
import type { ServiceClientOptions } from "../service/options";
import { perProgram } from "./perProgram";
import { programConfig } from "./programConfig";

/**
 * What a program may read with: functions and static `get`. A preview must not use up a refresh token, for it may be run anywhere, also where nobody
 * keeps the next one.
 */

export const noCredential =
  "in a preview reads use accessToken or credentialCommand only, and neither is configured: the answer is unknown until the update.";

const run = perProgram(() => ({ warned: false }));

/**
 * The client's options for a read; undefined in a preview that could only log in by using up a refresh token, which one warning says.
 * @param who who reads, for an error
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

/** Refuses a profile that leads to no service. */
export function requireProfile(who: string, profile: string | undefined): void {
  const problem = programConfig().profileProblem(profile);
  if (problem !== undefined) {
    throw new RunError(`${who}: ${problem}`);
  }
}
