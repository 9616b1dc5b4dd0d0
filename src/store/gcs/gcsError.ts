import { entryOf } from "../../values/plain";
import type { Facts, Reason } from "../storeError";
import { denied } from "../storeError";

const noCredentials: Reason = [
  "no usable Google credentials were found",
  'Set GOOGLE_APPLICATION_CREDENTIALS, or run "gcloud auth application-default login".',
];
const reasons: Readonly<Record<string, Reason>> = {
  "401": ["the store does not accept the credentials", "Log in again, or correct GOOGLE_APPLICATION_CREDENTIALS."],
  "429": ["the store gets too many requests", "Google Cloud Storage takes one write a second for each name."],
};

export const gone = "404";

/** What gaxios and the authentication library throw. */
interface RequestError extends Error {
  code?: string;
  config?: { url?: string | URL };
  response?: { status?: number; data?: unknown };
  error?: Error;
}

/** @param place the endpoint, the bucket and the shared prefix */
export function gcsFacts(
  error: unknown,
  operation: string,
  [endpoint, bucket, prefix]: readonly [string, string, string | undefined],
): Facts {
  const { name, code, message, config, response, error: inner } = error as RequestError;
  const isOfStore = config?.url === undefined || String(config.url).startsWith(endpoint);
  const status = isOfStore ? response?.status : undefined;
  // The library for credentials has no code for it, and its own services have statuses.
  const isOfCredentials =
    !isOfStore || name === "SyntaxError" || /default credentials|APPLICATION_CREDENTIALS|^The file at /.test(message);
  const rights = ["create", "get", "list", "delete"].map((each) => `storage.objects.${each}`).join(", ");
  const where = prefix ? `, at least for the objects that begin with "${prefix}"` : "";
  const grants = `Allow ${rights} on the bucket "${bucket}"${where}, as the role Storage Object User does.`;
  const isAborted = [name, inner?.name].some((each) => each === "AbortError" || each === "TimeoutError");
  // Without an object, only the bucket can be missing.
  const isMissing = status === Number(gone) && /list|insert/.test(operation);
  const found = isMissing ? "NoSuchBucket" : String(status ?? (isAborted ? "AbortError" : (code ?? name)));
  return {
    code: found,
    status,
    message: sayingOf(response?.data) ?? message,
    reason: isOfCredentials ? noCredentials : status === 403 ? denied(grants) : entryOf(reasons, found),
    ifAway: "Check the network.",
    isUnknown: status === 408 || status === 429,
  };
}

/** The message of the service. A response with a content comes as bytes. */
function sayingOf(data: unknown): string | undefined {
  const text = data instanceof ArrayBuffer ? Buffer.from(data).toString() : data;
  try {
    const { error } = (typeof text === "string" ? JSON.parse(text) : text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
