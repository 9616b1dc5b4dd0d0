import { quoted } from "../../service/errors/foreignText";
import { entryOf } from "../../values/plain";
import { partsOf, withKey } from "../storeAddress";
import type { Facts, Reason } from "../storeError";
import { denied, StoreError } from "../storeError";

const badCredentials: Reason = [
  "the store does not accept the credentials",
  "Log in again, or correct the environment or the profile AWS_PROFILE.",
];
const otherRegion: Reason = ["the bucket is in another region", "Set AWS_REGION to the region of the bucket."];

/**
 * By the code of S3, the name of the SDK's error, or its message. The operation stands before a code that says
 * something else of it.
 */
const reasons: Readonly<Record<string, Reason>> = {
  AccessDenied: denied(
    "Allow s3:GetObject, s3:PutObject and s3:AbortMultipartUpload on the object, s3:DeleteObject if objects are removed, and s3:ListBucket on the bucket.",
  ),
  InvalidAccessKeyId: badCredentials,
  SignatureDoesNotMatch: [
    "the store does not accept the signature",
    "Correct the secret access key. A proxy in front of the store must pass on the header Host and the path as they are.",
  ],
  InvalidToken: badCredentials,
  ExpiredToken: badCredentials,
  TokenProviderError: badCredentials,
  CredentialsProviderError: ["no usable AWS credentials were found", "Set AWS_PROFILE, or log in again."],
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  "Region is missing": [
    "no region is set",
    "Set AWS_REGION, for example to us-east-1 for a store that has no regions.",
  ],
  NotImplemented: [
    "the store does not support this request",
    "Use a store with conditional writes and multipart uploads.",
  ],
  "DeleteObject NotImplemented": [
    "the store cannot remove an object only if it is unchanged (If-Match of DeleteObject)",
    "Remove the object with another program.",
  ],
};

/** Stores have several codes for a header that they do not know. */
const noChecksums: Reason = [
  "the store does not take the checksum of a body",
  "Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to WHEN_REQUIRED.",
];

/**
 * Codes for a host that does not exist or has another certificate, as the host `bucket.example.com` of a store at
 * `example.com`.
 */
const wrongHost = ["ENOTFOUND", "EAI_AGAIN", "ERR_TLS_CERT_ALTNAME_INVALID"];

const forcePathStyle =
  "If the store needs the bucket in the path, set webextract:s3ForcePathStyle to true. AWS_ENDPOINT_URL_S3 must not contain the bucket.";

/** @param grants what to allow. Undefined: what exports need */
export function s3Facts(error: unknown, operation: string, object: string, grants: string | undefined): Facts {
  const { name, Code, code, message, $metadata, hostname, host } = error as Error & {
    Code?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
    hostname?: string;
    host?: string;
  };
  const found = [Code, code, name].find((each) => typeof each === "string") ?? "Error";
  const { bucket } = partsOf(object);
  const isHostOfBucket = wrongHost.includes(found) && (hostname ?? host ?? "").startsWith(`${bucket}.`);
  const known = entryOf(reasons, `${operation} ${found}`) ?? entryOf(reasons, found);
  const isAboutChecksum =
    /x-amz-(?:sdk-)?checksum-/.test(message) && (known === undefined || found === "NotImplemented");
  const hostReason: Reason = [
    "the host of the bucket cannot be used",
    `${forcePathStyle} Check the network and AWS_REGION.`,
  ];
  return {
    code: found,
    status: $metadata?.httpStatusCode,
    message,
    reason:
      (isAboutChecksum ? noChecksums : found === "AccessDenied" && grants !== undefined ? denied(grants) : known) ??
      entryOf(reasons, message) ??
      (isHostOfBucket ? hostReason : undefined),
    ifAway: "Check the network, AWS_REGION and AWS_ENDPOINT_URL_S3.",
    isUnknown: found === "ConditionalRequestConflict" || isHostOfBucket,
  };
}

/** The store looks for the bucket in another part of the URL. */
export function otherBucket(address: string, named: string | undefined): StoreError {
  const listed = named === undefined ? "no bucket" : `the bucket ${quoted(named)}`;
  return new StoreError(
    `ListObjectsV2 of "${withKey(address, "")}" failed: the response is about ${listed}. ${forcePathStyle} Run the same command again.`,
    "refused",
  );
}
