import type * as Sdk from "@aws-sdk/client-s3";
import type { StoreContext, StoreSettings } from "../objectStore";
import { StoreError } from "../objectStore";
import { importOptional, packagesFolder, toInstall } from "../optionalPackage";

/** An optional peer dependency, because few programs need it. Loaded only when a request to S3 is made. */
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
  /** Milliseconds for a request, with its repetitions, that is about a small object. */
  smallMs: 20_000,
  /** Milliseconds for a look at a bucket in a preview. */
  lookMs: 5_000,
};

const connectWithinMs = 10_000;

/** The client of the SDK, and the host of the latest response. */
export type S3Client = Sdk.S3 & { seen: { host: string } };

/** What a response has beside what the SDK reads of it: its header Date. */
export interface Dated {
  date?: string;
}

/** One for each configuration, so that the credentials of a role are requested once for all uses. */
const clients = new WeakMap<StoreSettings, S3Client>();

/**
 * A client with the SDK's own credentials, region and endpoint.
 * @throws StoreError if the SDK is not installed
 */
export function s3Client({ settings, folder }: StoreContext): S3Client {
  const client = clients.get(settings) ?? newClient(settings, packagesFolder({ settings, folder }));
  clients.set(settings, client);
  return client;
}

function newClient({ s3ForcePathStyle }: StoreSettings, folder: string): S3Client {
  const sdk = importOptional(sdkName, folder) as typeof Sdk | undefined;
  if (sdk === undefined) {
    throw new StoreError(
      `A path that begins with "s3://" needs the package ${sdkName}: ${toInstall(sdkName)}. Then run the same command again.`,
      "refused",
    );
  }
  const client = new sdk.S3({
    // Undefined would replace the SDK's own setting.
    ...(s3ForcePathStyle === undefined ? {} : { forcePathStyle: s3ForcePathStyle }),
    maxAttempts: limits.mostTries,
    // The SDK waits 6 seconds for a response that some proxies do not pass on.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: connectWithinMs, socketTimeout: limits.idleMs },
  });
  const seen = { host: "" };
  client.middlewareStack.add(
    (next) => async (request) => {
      seen.host = (request.request as { hostname?: string }).hostname ?? "";
      const response = await next(request);
      const { date } = (response.response as { headers?: Dated }).headers ?? {};
      Object.assign(response.output?.$metadata ?? {}, { date });
      return response;
    },
    { step: "deserialize", priority: "high", name: "storeDate" },
  );
  return Object.assign(client, { seen });
}
