import { entryOf } from "../../values/plain";
import type { Facts, Reason } from "../storeError";
import { denied } from "../storeError";
import type { AzureAccount } from "./account";

const badCredentials: Reason = [
  "the store does not accept the credentials",
  "Correct AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or log in again.",
];
const noCredentials: Reason = [
  "no usable Azure credentials were found",
  'Set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run "az login".',
];

/** By the code of the store or the name of the SDK's error. */
const reasons: Readonly<Record<string, Reason>> = {
  AuthenticationFailed: badCredentials,
  InvalidAuthenticationInfo: badCredentials,
  NoAuthenticationInformation: badCredentials,
  CredentialUnavailableError: noCredentials,
  AggregateAuthenticationError: noCredentials,
  AuthenticationError: noCredentials,
};

/** Codes for a role or a signature that does not allow the request. */
const refusals = /^(?:Authorization|InsufficientAccountPermissions$|UnauthorizedBlobOverwrite$)/;

interface RequestError extends Error {
  code?: unknown;
  statusCode?: number;
  details?: { errorCode?: unknown };
}

export function azureFacts(error: unknown, of: AzureAccount, container: string, prefix: string | undefined): Facts {
  const { name, message, code, statusCode: status, details } = error as RequestError;
  // The SDK has a code of its own for a connection that broke.
  const ofStore = details?.errorCode ?? (code === "REQUEST_SEND_ERROR" ? undefined : code);
  const isAborted = name === "AbortError" || name === "TimeoutError";
  const found = isAborted ? "AbortError" : String(ofStore ?? status ?? code ?? name);
  const where = prefix ? `, at least for the blobs that begin with "${prefix}"` : "";
  const grants = `Give the role Storage Blob Data Contributor on the container "${container}"${where}, or a shared access signature with the permissions rcwdl.`;
  return {
    code: found,
    status,
    // The store writes its request id and the time on further lines.
    message: message.split("\n")[0] ?? "",
    reason: refusals.test(found) ? denied(grants) : (entryOf(reasons, found) ?? entryOf(reasons, name)),
    ifAway: "Check the network, the name of the storage account and AZURE_STORAGE_DOMAIN.",
    secrets: [of.key, of.sas, new URLSearchParams(of.sas).get("sig") ?? undefined],
  };
}
