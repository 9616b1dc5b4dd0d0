import type * as Sdk from "@aws-sdk/client-s3";
import { limits } from "../limits";
import { clientsOf, loadSdk } from "../storeSdk";

const connectWithinMs = 10_000;

/** The client of the SDK, and the host of the latest response. */
export type S3Client = Sdk.S3 & { seen: { host: string } };

const endedBy = Symbol("signal");

/** A part of the input of a request that ends with the signal. With an option, the SDK would make its chain of steps anew. */
export function until(signal: AbortSignal | undefined): object {
  return { [endedBy]: signal };
}

/** What a response has beside what the SDK reads of it: its header Date. */
export interface Dated {
  date?: string;
}

/**
 * A client for each bucket, with the SDK's own credentials, region and endpoint. The SDK keeps the bucket's endpoint in
 * the chain of steps that all requests of a client share here.
 * @throws StoreError if the SDK is not installed
 */
export const s3Client = clientsOf((context): S3Client => {
  const { s3ForcePathStyle } = context.settings;
  const sdk = loadSdk("@aws-sdk/client-s3", "s3", context) as typeof Sdk;
  const client = new sdk.S3({
    // Undefined would replace the SDK's own setting.
    ...(s3ForcePathStyle === undefined ? {} : { forcePathStyle: s3ForcePathStyle }),
    maxAttempts: limits.mostTries,
    cacheMiddleware: true,
    // The SDK waits 6 seconds for a response that some proxies do not pass on.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: connectWithinMs, socketTimeout: limits.idleMs },
  });
  const signals = new WeakMap<object, AbortSignal | undefined>();
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) => handle(request, { ...options, abortSignal: signals.get(request) });
  const seen = { host: "" };
  client.middlewareStack.add(
    (next) =>
      async ({ input, request }) => {
        seen.host = (request as { hostname?: string }).hostname ?? "";
        signals.set(request as object, (input as { [endedBy]?: AbortSignal })[endedBy]);
        const response = await next({ input, request });
        const { date } = (response.response as { headers?: Dated }).headers ?? {};
        Object.assign(response.output?.$metadata ?? {}, { date });
        return response;
      },
    { step: "deserialize", priority: "high", name: "storeDate" },
  );
  return Object.assign(client, { seen });
});
