import { oneLine } from "../../../../service/errors/foreignText";
import { Redactor } from "../../../../service/errors/redactor";
import { hideSecrets } from "../../../../service/errors/secretShapes";
import { ResourceError } from "../../../resource";

/** Why a request failed, and what to do. */
type Reason = readonly [why: string, advice: string];

const badCredentials: Reason = [
  "the store does not accept the credentials",
  "Log in again, or correct the environment or the profile AWS_PROFILE.",
];
const otherRegion: Reason = ["the bucket is in another region", "Set AWS_REGION to the region of the bucket."];

/** By the code of S3 or the name of the SDK's error. */
const reasons: Readonly<Record<string, Reason>> = {
  NoSuchBucket: ["the bucket does not exist", "Create the bucket or use another path."],
  AccessDenied: [
    "the credentials do not allow it",
    "Allow s3:GetObject, s3:PutObject and s3:AbortMultipartUpload on the object, s3:DeleteObject if objects are removed, and s3:ListBucket on the bucket.",
  ],
  InvalidAccessKeyId: badCredentials,
  SignatureDoesNotMatch: badCredentials,
  InvalidToken: badCredentials,
  ExpiredToken: badCredentials,
  TokenProviderError: badCredentials,
  CredentialsProviderError: ["no usable AWS credentials were found", "Set AWS_PROFILE, or log in again."],
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  NotImplemented: [
    "the store does not support this request",
    "Use a store with conditional writes and multipart uploads.",
  ],
  AbortError: ["it was interrupted", ""],
};

/**
 * The error for the user.
 * @param operation name of the request, such as `PutObject`
 * @param object what it is about, such as `s3://bucket/key`
 * @param secrets credentials in use, which a store can repeat in its messages
 */
export function storeError(
  operation: string,
  object: string,
  error: unknown,
  secrets: readonly (string | undefined)[],
): ResourceError {
  const { name, Code, code, message, $metadata } = error as Error & {
    Code?: string;
    code?: string;
    $metadata?: object;
  };
  const found = [Code, code, name].find((each) => typeof each === "string") ?? "Error";
  const hasResponse = $metadata !== undefined && "httpStatusCode" in $metadata;
  const [why, advice] =
    reasons[found] ??
    (!hasResponse
      ? ["there is no connection to the store", "Check the network, AWS_REGION and AWS_ENDPOINT_URL_S3."]
      : ["the store refused it", ""]);
  const redactor = new Redactor();
  secrets.forEach(redactor.add, redactor);
  const said = oneLine(hideSecrets(redactor.scrub(message))).replace(/\.$/, "");
  const next = [advice, "Run the same command again."].filter(Boolean).join(" ");
  return new ResourceError(`${operation} of "${object}" failed: ${why} (${found}: ${said}). ${next}`);
}
