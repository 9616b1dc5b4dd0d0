import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type * as Sdk from "@google-cloud/storage";
import { limits } from "../limits";
import type { StoreContext } from "../objectStore";
import { importOptional, locate, packagesFolder } from "../optionalPackage";
import { clientsOf, loadSdk } from "../storeSdk";

type Send = Sdk.Storage["authClient"]["request"];

/** A request of the JSON API. Its URL is one, or what stands below the endpoint. */
type Request = Pick<Parameters<Send>[0], "method" | "params" | "headers" | "data" | "responseType" | "signal"> & {
  url: string;
};

interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
}

export interface GcsClient {
  readonly endpoint: string;
  /** With STORAGE_EMULATOR_HOST, as the SDK has it: without credentials. */
  readonly isEmulated: boolean;
  request<T = unknown>(request: Request): Promise<Answer<T>>;
}

const name = "@google-cloud/storage";
const longestPauseMs = 10_000;

/**
 * A client with the SDK's own credentials and endpoint. The requests are those of the JSON API: the methods of the SDK
 * take no signal, repeat what they cannot repeat, and remove an object without a condition if its checksum is wrong.
 */
export const gcsClient = clientsOf((context: StoreContext): GcsClient => {
  const { Storage } = loadSdk(name, "gs", context) as typeof Sdk;
  const { apiEndpoint: endpoint, authClient } = new Storage();
  const isEmulated = process.env.STORAGE_EMULATOR_HOST !== undefined;
  // The HTTP client of the SDK.
  const folder = dirname(locate(name, packagesFolder(context)) ?? "");
  const send: Send = isEmulated
    ? (importOptional("gaxios", folder) as { request: Send }).request
    : authClient.request.bind(authClient);
  return { endpoint, isEmulated, request: (request) => sent(send, endpoint, request) };
});

async function sent<T>(send: Send, endpoint: string, request: Request): Promise<Answer<T>> {
  const { url, headers: given = {}, responseType = "json", signal, data } = request;
  const retry = limits.mostTries - 1;
  const { status, headers, ...answer } = await send<T>({
    ...{ ...request, responseType, headers: { ...given } },
    url: /^https?:/.test(url) ? url : `${endpoint}/${url}`,
    timeout: data === undefined ? limits.idleMs : limits.tryMs,
    // A part of an upload is answered with 308.
    validateStatus: (code: number) => (code >= 200 && code < 300) || code === 308,
    retryConfig: {
      ...{ retry, noResponseRetries: retry, httpMethodsToRetry: ["GET", "POST", "PUT", "DELETE"] },
      retryBackoff: (_, ms) => pause(Math.min(ms, longestPauseMs), undefined, { signal }),
    },
  });
  return { status, headers: new Headers(headers as unknown as Record<string, string>), data: answer.data };
}
