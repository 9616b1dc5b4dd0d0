import { unknownIssuerCodes } from "../../service/errors/failures";
import { oneLine, quoted } from "../../service/errors/foreignText";
import { Redactor } from "../../service/errors/hideWords";
import { hideSecrets } from "../../service/errors/secretShapes";
import { entryOf } from "../../values/plain";
import { StoreError } from "../objectStore";
import { bucketAndKey, s3Path } from "./s3Path";

/** Why a request failed, and what to do. */
type Reason = readonly [why: string, advice: string];

const badCredentials: Reason = [
  "the store does not accept the credentials",
  "Log in again, or correct the environment or the profile AWS_PROFILE.",
];
const otherRegion: Reason = ["the bucket is in another region", "Set AWS_REGION to the region of the bucket."];
const unknownIssuer: Reason = [
  "Node.js does not know who signed the certificate of the store",
  "Set NODE_EXTRA_CA_CERTS to the PEM file of the private CA in the environment of pulumi.",
];

/**
 * By the code of S3, the name of the SDK's error, or its message. The operation stands before a code that says
 * something else of it.
 */
const reasons: Readonly<Record<string, Reason>> = {
  NoSuchBucket: ["the bucket does not exist", "Create the bucket or use another path."],
  AccessDenied: [
    "the credentials do not allow it",
    "Allow s3:GetObject, s3:PutObject and s3:AbortMultipartUpload on the object, s3:DeleteObject if objects are removed, and s3:ListBucket on the bucket.",
  ],
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
  ...Object.fromEntries(unknownIssuerCodes.map((code) => [code, unknownIssuer])),
  NotImplemented: [
    "the store does not support this request",
    "Use a store with conditional writes and multipart uploads.",
  ],
  "DeleteObject NotImplemented": [
    "the store cannot remove an object only if it is unchanged (If-Match of DeleteObject)",
    "Remove the object with another program.",
  ],
  AbortError: ["it was interrupted", ""],
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

/** What the SDK writes where a response has neither a code nor a message. */
const nothingSaid = "UnknownError";

/**
 * The error for the user.
 * @param operation name of the request, such as `PutObject`
 * @param object what it is about, such as `s3://bucket/key`
 * @param options.secrets credentials in use, which a store can repeat in its messages
 * @param options.grants what to allow
 */
export function storeError(
  operation: string,
  object: string,
  error: unknown,
  { secrets, grants }: { secrets: readonly (string | undefined)[]; grants?: string },
): StoreError {
  const { name, Code, code, message, $metadata, hostname, host } = error as Error & {
    Code?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
    hostname?: string;
    host?: string;
  };
  const found = [Code, code, name].find((each) => typeof each === "string") ?? "Error";
  const status = $metadata?.httpStatusCode;
  const { bucket } = bucketAndKey(object);
  const isHostOfBucket = wrongHost.includes(found) && (hostname ?? host ?? "").startsWith(`${bucket}.`);
  const known = entryOf(reasons, `${operation} ${found}`) ?? entryOf(reasons, found);
  const isAboutChecksum =
    /x-amz-(?:sdk-)?checksum-/.test(message) && (known === undefined || found === "NotImplemented");
  const [why, advice] =
    (isAboutChecksum ? noChecksums : known) ??
    entryOf(reasons, message) ??
    (isHostOfBucket
      ? ["the host of the bucket cannot be used", `${forcePathStyle} Check the network and AWS_REGION.`]
      : status === undefined
        ? ["there is no connection to the store", "Check the network, AWS_REGION and AWS_ENDPOINT_URL_S3."]
        : ["the store refused it", ""]);
  const redactor = new Redactor();
  secrets.forEach(redactor.add, redactor);
  const said = [found, message].map((each) => oneLine(hideSecrets(redactor.scrub(each))).replace(/\.$/, ""));
  const details = said.filter((each) => !["", "Error", nothingSaid].includes(each)).join(": ") || `status ${status}`;
  const remedy = found === "AccessDenied" ? (grants ?? advice) : advice;
  const next = [remedy, "Run the same command again."].filter(Boolean).join(" ");
  const isFinal = status === undefined ? known !== undefined && found !== "AbortError" : status < 500;
  const kind = isFinal && found !== "ConditionalRequestConflict" ? "refused" : "unknown";
  return new StoreError(`${operation} of "${object}" failed: ${why} (${details}). ${next}`, kind);
}

const forcePathStyle =
  "If the store needs the bucket in the path, set webextract:s3ForcePathStyle to true. AWS_ENDPOINT_URL_S3 must not contain the bucket.";

/** The store looks for the bucket in another part of the URL. */
export function otherBucket(bucket: string, named: string | undefined): StoreError {
  const listed = named === undefined ? "no bucket" : `the bucket ${quoted(named)}`;
  return new StoreError(
    `ListObjectsV2 of "${s3Path(bucket, "")}" failed: the response is about ${listed}. ${forcePathStyle} Run the same command again.`,
    "refused",
  );
}

export function overwritten(path: string): StoreError {
  return new StoreError(
    `The store wrote "${path}", and somebody else has written or removed it at the same time: the store may ignore If-None-Match and If-Match. ` +
      "The rows of this export are not in it. Give each export names of its own, or use another store.",
    "refused",
  );
}

/** The object is as the condition requires it. */
export function refusedCondition(path: string, condition: "If-None-Match" | "If-Match", advice: string): StoreError {
  const [what, where] =
    condition === "If-Match"
      ? ["replace", "although the object has not changed. Some stores do not support this condition"]
      : ["write", "although there is no such object. Some stores do this where a bucket with versions had one"];
  return new StoreError(
    `The store refused to ${what} "${path}" because of ${condition}, ${where}. Nothing was written. ` +
      `${advice} Run the same command again.`,
    "refused",
  );
}

export function notRemoved(path: string): StoreError {
  return new StoreError(
    `The store did not remove "${path}", although the object has not changed: it may not support If-Match of DeleteObject. ` +
      "Remove the object with another program. Run the same command again.",
    "refused",
  );
}
