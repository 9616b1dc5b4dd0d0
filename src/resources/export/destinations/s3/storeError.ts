import { oneLine } from "../../../../service/errors/foreignText";
import { Redactor } from "../../../../service/errors/redactor";
import { hideSecrets } from "../../../../service/errors/secretShapes";
import { isRecord } from "../../../../service/isRecord";

/** What the S3 client throws, with a message for the user. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(
    message: string,
    /** The code of S3, such as `NoSuchBucket`, or of the connection, such as `ECONNREFUSED`. */
    readonly code: string,
    /** What to do next: sentences. */
    readonly advice: string,
  ) {
    super(message);
  }
}

const someCredentials =
  "The AWS SDK looks for credentials in the environment, in the profile AWS_PROFILE and in the metadata of the machine.";
const permissions =
  "Allow s3:GetObject, s3:PutObject and s3:AbortMultipartUpload on the object, s3:DeleteObject if objects are removed, and s3:ListBucket on the bucket.";

interface Reason {
  why: string;
  advice: string;
}

const badCredentials: Reason = { why: "the store does not accept the credentials", advice: someCredentials };
const expired: Reason = { why: "the credentials have expired", advice: "Log in again or renew them." };
const otherRegion: Reason = {
  why: "the bucket is in another region",
  advice: "Set AWS_REGION to the region of the bucket.",
};

/** By the code of S3 or the name of the SDK's error. */
const reasons: Readonly<Record<string, Reason>> = {
  NoSuchBucket: { why: "the bucket does not exist", advice: "Create the bucket or use another path." },
  AccessDenied: { why: "the credentials do not allow it", advice: permissions },
  InvalidAccessKeyId: badCredentials,
  SignatureDoesNotMatch: badCredentials,
  InvalidToken: badCredentials,
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  TokenRefreshRequired: expired,
  RequestTimeTooSkewed: { why: "the clock of this machine is wrong", advice: "Set the clock." },
  CredentialsProviderError: { why: "no usable AWS credentials were found", advice: someCredentials },
  TokenProviderError: { why: "the AWS SSO session is missing or has expired", advice: 'Run "aws sso login".' },
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  IllegalLocationConstraintException: otherRegion,
  NotImplemented: {
    why: "the store does not support this request",
    advice: "An export needs conditional writes and multipart uploads. Use a store that has them.",
  },
  SlowDown: { why: "the store receives too many requests", advice: "" },
};

const noRegion: Reason = { why: "no AWS region is set", advice: "Set AWS_REGION." };

/**
 * @param operation name of the request, such as `PutObject`
 * @param object what it is about, such as `s3://bucket/key`
 * @param secrets credentials in use, which a store can repeat in its messages
 */
export function storeError(operation: string, object: string, error: unknown, secrets: readonly string[]): StoreError {
  const { name, code, message } = partsOf(error);
  const known = /region is missing/i.test(message) ? noRegion : (reasons[code] ?? reasons[name]);
  // The SDK's message about credentials is about files and variables of this machine.
  const said = name === "CredentialsProviderError" || known === badCredentials ? "" : withoutSecrets(message, secrets);
  const why = known?.why ?? (isConnection(error) ? "there is no connection to the store" : "the store refused it");
  const details = [code, said === code ? "" : said].filter((each) => each !== "").join(": ");
  const advice = known?.advice ?? (isConnection(error) ? "Check the network, AWS_REGION and AWS_ENDPOINT_URL_S3." : "");
  return new StoreError(`${operation} of "${object}" failed: ${why} (${details}).`, code, advice);
}

function partsOf(error: unknown): { name: string; code: string; message: string } {
  const { name, Code, code, message } =
    isRecord(error) || error instanceof Error ? (error as Record<string, unknown>) : {};
  const named = typeof name === "string" ? name : "Error";
  const given = [Code, code].find((each) => typeof each === "string") as string | undefined;
  return { name: named, code: given ?? named, message: typeof message === "string" ? message : String(error) };
}

/** Connections fail below HTTP, with a code of the system or a timeout of the SDK. */
function isConnection(error: unknown): boolean {
  return (
    error instanceof Error && ("syscall" in error || error.name === "TimeoutError" || "$metadata" in error === false)
  );
}

function withoutSecrets(message: string, secrets: readonly string[]): string {
  const redactor = new Redactor();
  for (const secret of secrets) {
    redactor.add(secret);
  }
  // Parts of signed requests, which some stores repeat.
  const words = hideSecrets(redactor.scrub(message)).split(" ");
  const text = words
    .map((word) => (/AKIA|ASIA|signature=|credential=|security-token=/i.test(word) ? "[secret]" : word))
    .join(" ");
  return oneLine(text).replace(/\.$/, "");
}
