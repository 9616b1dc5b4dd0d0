import type * as Sdk from "@aws-sdk/client-s3";
import { ResourceError } from "../../../values/errors";
import { importOptional, packagesFolder, toInstall } from "../../optionalPackage";
import type { StoreSettings, Surroundings } from "../destination";

/** An optional peer dependency, because few exports need it. Loaded only when an export to S3 makes a request. */
export const sdkName = "@aws-sdk/client-s3";

/** Limits of an upload. Replaced by tests. */
export const limits = {
  /**
   * Size of a part in bytes. A file of this size or less is sent in one request. S3 allows no smaller parts than 5 MiB,
   * and 10,000 parts.
   */
  partBytes: 8 * 1024 * 1024,
  /** How often the SDK tries a request. It waits longer before each. */
  mostTries: 6,
  /**
   * Milliseconds without progress after which a request counts as failed, so that a server that hangs does not hang the
   * export.
   */
  idleMs: 60_000,
  /** Milliseconds for a look at a bucket in a preview. */
  lookMs: 5_000,
};

const connectWithinMs = 10_000;

/** One for each configuration, so that the credentials of a role are requested once for all exports. */
const clients = new WeakMap<StoreSettings, Sdk.S3>();

/**
 * A client with the SDK's own credentials, region and endpoint.
 * @throws ResourceError if the SDK is not installed
 */
export function s3Client({ settings, folder }: Pick<Surroundings, "settings" | "folder">): Sdk.S3 {
  const client = clients.get(settings) ?? newClient(settings, packagesFolder({ settings, folder }));
  clients.set(settings, client);
  return client;
}

function newClient({ s3ForcePathStyle }: StoreSettings, folder: string): Sdk.S3 {
  const sdk = importOptional(sdkName, folder) as typeof Sdk | undefined;
  if (sdk === undefined) {
    throw new ResourceError(
      `A path that begins with "s3://" needs the package ${sdkName}: ${toInstall(sdkName)}. Then run the same command again.`,
    );
  }
  return new sdk.S3({
    // Undefined would replace the SDK's own setting.
    ...(s3ForcePathStyle === undefined ? {} : { forcePathStyle: s3ForcePathStyle }),
    maxAttempts: limits.mostTries,
    // The SDK waits 6 seconds for a response that some proxies do not pass on.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: connectWithinMs, socketTimeout: limits.idleMs },
  });
}
