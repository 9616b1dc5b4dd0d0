import { runtime } from "@pulumi/pulumi";
import { noCredential, previewReadOptions } from "../../config/config";
import { sdkModules } from "../../engine/sdk";
import { connectTraces } from "../../engine/traces";
import { ServiceClient } from "../../service/client";
import type { ServiceClientOptions } from "../../service/options";
import { ProgramError, perProgram, warnOnce } from "../perProgram";
import { programConfig } from "../programConfig";

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
  if (inPreview === undefined) {
    await warnOnce("reads", `pulumi-webextract: ${noCredential} The result is unknown until the update.`);
  }
  return inPreview;
}

/** Refuses a profile that names no service. */
export function requireProfile(who: string, profile: string | undefined): void {
  const problem = programConfig().profileProblem(profile);
  if (problem !== undefined) {
    throw new ProgramError(`${who}: ${problem}`);
  }
}

const programTraces = perProgram(() => connectTraces(() => sdkModules()("@grpc/grpc-js")));
const programClients = perProgram(() => new Map<string | undefined, { client: ServiceClient; reads: number }>());

/**
 * Makes a read. Reads in progress share a client for each profile. A client that no read uses is closed, because it
 * keeps a claim on the limiter of its service.
 */
export async function readWith<T>(
  profile: string | undefined,
  options: ServiceClientOptions,
  read: (client: ServiceClient) => Promise<T>,
): Promise<T> {
  programTraces();
  const clients = programClients();
  const shared = clients.get(profile) ?? { client: new ServiceClient(options), reads: 0 };
  clients.set(profile, shared);
  shared.reads++;
  try {
    return await read(shared.client);
  } finally {
    shared.reads--;
    if (shared.reads === 0) {
      clients.delete(profile);
      await close(shared.client);
    }
  }
}

async function close(client: ServiceClient): Promise<void> {
  try {
    await client.tokensSettled();
    client.close();
  } catch {
    // A token could not be stored. A warning was shown at that time.
  }
}
