import { unknownIssuerCodes } from "../service/errors/failures";
import { oneLine } from "../service/errors/foreignText";
import { Redactor } from "../service/errors/hideWords";
import { hideSecrets } from "../service/errors/secretShapes";
import { ResourceError } from "../values/errors";
import { entryOf } from "../values/plain";

/**
 * A request failed. `refused`: the store or the SDK refused it, so nothing was done, and a repetition would be refused
 * too. `unknown`: it may have been executed, also later.
 */
export class StoreError extends ResourceError {
  constructor(
    message: string,
    readonly kind: "refused" | "unknown",
  ) {
    super(message);
  }
}

/** Why a request failed, and what to do. */
export type Reason = readonly [string, string];

/** What an error of an SDK says. */
export interface Facts {
  /** Of the store or the SDK, otherwise the name of the error. */
  readonly code: string;
  /** Undefined without a response of the store. */
  readonly status?: number;
  /** It can repeat a secret. */
  readonly message: string;
  /** Undefined if it is one that all stores have. */
  readonly reason?: Reason;
  /** What to do without a connection. */
  readonly ifAway: string;
  /** Credentials in use. */
  readonly secrets?: readonly (string | undefined)[];
  /** Whether it may have been executed, although the status says that it was refused. */
  readonly isUnknown?: boolean;
}

const unknownIssuer: Reason = [
  "Node.js does not know who signed the certificate of the store",
  "Set NODE_EXTRA_CA_CERTS to the PEM file of the private CA in the environment of pulumi.",
];
const interrupted = "AbortError";
const reasons: Readonly<Record<string, Reason>> = {
  ...Object.fromEntries(unknownIssuerCodes.map((code) => [code, unknownIssuer])),
  [interrupted]: ["it was interrupted", ""],
};

/** The credentials are good, and must be allowed more. */
export function denied(grants: string): Reason {
  return ["the credentials do not allow it", grants];
}

/** What an error can say that says nothing. */
const nothingSaid = ["", "Error", "UnknownError"];

export function isNoBucket({ code }: Facts): boolean {
  return code === "NoSuchBucket" || code === "ContainerNotFound";
}

/** The error for the user. @param what the request, and what it is about. @param bucket in words */
export function storeError(error: unknown, what: string, bucket: string, facts: Facts): StoreError {
  if (error instanceof StoreError) return error;
  const { code, status, message, secrets = [], isUnknown } = facts;
  const [word = ""] = bucket.split(" ");
  const missing = [`the ${word} does not exist`, `Create the ${word} or use another path.`] as const;
  const known = facts.reason ?? (isNoBucket(facts) ? missing : entryOf(reasons, code));
  const away: Reason = ["there is no connection to the store", facts.ifAway];
  const [why, advice] = known ?? (status === undefined ? away : ["the store refused it", ""]);
  const redactor = new Redactor();
  secrets.forEach(redactor.add, redactor);
  const words = [code, message].map((each) => oneLine(hideSecrets(redactor.scrub(each))).replace(/\.$/, ""));
  const details = words.filter((each) => !nothingSaid.includes(each)).join(": ") || `status ${status}`;
  const next = [advice, "Run the same command again."].filter(Boolean).join(" ");
  const isOpen = status === undefined ? known === undefined || code === interrupted : status >= 500;
  const kind = isUnknown === true || isOpen ? "unknown" : "refused";
  return new StoreError(`${what} failed: ${why} (${details}). ${next}`, kind);
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

export function notRemoved(path: string, operation: string): StoreError {
  return new StoreError(
    `The store did not remove "${path}", although the object has not changed: it may not support If-Match of ${operation}. ` +
      "Remove the object with another program. Run the same command again.",
    "refused",
  );
}
