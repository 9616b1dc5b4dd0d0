import { AsyncLocalStorage } from "node:async_hooks";
import type * as Sdk from "@aws-sdk/client-s3";
import { limits } from "../limits";
import { clientsOf, loadSdk } from "../storeSdk";

const connectWithinMs = 10_000;

/** The client of the SDK, and the host of the latest response. */
export type S3Client = Sdk.S3 & {
  seen: { host: string };
  /** Sends requests that end with the signal. With an option for each, the SDK would make its chain of steps anew. */
  until<T>(signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T>;
};

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
  const signals = new AsyncLocalStorage<AbortSignal | undefined>();
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) => handle(request, { ...options, abortSignal: signals.getStore() });
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
  return Object.assign(client, { seen, until: signals.run.bind(signals) as S3Client["until"] });
});
