import { isRecord } from "../isRecord";
import { parsedJson } from "../parsedJson";
import type { ServiceErrorKind, ServiceErrorOutcome } from "./errors";
import { oneLine } from "./foreignText";
import { hideSecrets } from "./secretShapes";

/** A response as it came, whatever its status. */
export interface HttpResponse {
  status: number;
  contentType: string;
  retryAfter?: string;
  /** When the other side responded, by its own clock. */
  date?: string;
  body: Buffer;
}

/** Why there is no complete response. */
export interface Loss {
  reason: "connection" | "timeout" | "aborted" | "tooLarge" | "source" | "proxy";
  /** Whether a part of the request may have reached the other side. */
  sent: boolean;
  detail: string;
  /** Host and port of the service. */
  host: string;
  /** The status with which a proxy refused a connection. */
  status?: number;
  /** The request used a kept connection, which the other side may have closed at that moment. */
  staleConnection?: boolean;
}

/** What a failed attempt means. Only this file knows status codes and error bodies. */
export interface Failure {
  kind: ServiceErrorKind;
  outcome: ServiceErrorOutcome;
  /** One sentence for the user. */
  problem: string;
  /** The service's own message, as in `problem`. */
  said?: string;
  /** Which operations can be sent again after this failure. */
  repeat: "anyOperation" | "repeatable" | "never";
  status?: number;
  code?: string;
  requestId?: string;
  /** Milliseconds that the service asks to wait. */
  retryAfter?: number;
  /** The connection was probably closed while it was idle: the next attempt need not wait. */
  staleConnection?: boolean;
  /** A 403 without a code. */
  perhapsToken?: boolean;
}

const kindOfCode = new Map<string, ServiceErrorKind>([
  ["invalidgrant", "credential"],
  ["invalidtoken", "credential"],
  ["invalidtaskid", "notFound"],
  ["tasksettingsnotfound", "actionNotFound"],
  ["taskexecuting", "busy"],
  ["permissiondenied", "plan"],
  ["toomanyrequests", "rateLimited"],
  ["servererror", "outcomeUnknown"],
]);

const kindOfStatus = new Map<number, ServiceErrorKind>([
  [401, "credential"],
  [403, "plan"],
  [408, "outcomeUnknown"],
  [429, "rateLimited"],
]);

/** With these, any server says that it did not accept the request: even a page of a proxy proves that nothing was done. */
const refusedWithoutBody = new Set([400, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 421, 422, 431]);

/** How a response is read. */
export interface Reading {
  /** Codes by which this service says that nothing was done. */
  notExecutedCodes: readonly string[];
  /** Hides credentials. */
  scrub?: (text: string) => string;
  /** Hides values of the request. */
  hideValues?: (text: string) => string;
}

/** The service can also repeat credentials that are not known here. */
const foreign = (text: string): string => oneLine(hideSecrets(text));

/** What a refusal means; undefined if the response is a success. */
export function failureOfResponse(
  response: HttpResponse,
  { notExecutedCodes, scrub = same, hideValues = same }: Reading,
): Failure | undefined {
  const body = errorBody(response);
  if (response.status === 200 && body?.code === undefined && body?.said === undefined) return undefined;
  const { status } = response;
  // Secrets are hidden before the text is cut: a part of a secret could not be found.
  const code = body?.code && foreign(hideValues(scrub(body.code)));
  const said = body?.said && foreign(hideValues(scrub(body.said)));
  const requestId = body?.requestId && foreign(scrub(body.requestId));
  const problem = sentence(status, foreign(scrub(response.contentType)), code, said);
  const known = { status, code, said, requestId, retryAfter: waitOf(response.retryAfter), problem };
  const kindByCode = body?.code === undefined ? undefined : kindOfCode.get(plain(body.code));
  const isListed = notExecutedCodes.some((listed) => body?.code !== undefined && plain(listed) === plain(body.code));
  if (isListed) {
    const kind = kindByCode === undefined || kindByCode === "outcomeUnknown" ? "refused" : kindByCode;
    return { ...known, kind, outcome: "notExecuted", repeat: "anyOperation" };
  }
  const kind = kindOf(status, kindByCode);
  switch (kind) {
    case "outcomeUnknown":
      return { ...known, kind, outcome: "unknown", repeat: "repeatable" };
    case "rateLimited":
      // With another status than 429, only a code says so. That is not enough to send again what must not be executed twice.
      return { ...known, kind, outcome: "notExecuted", repeat: status === 429 ? "anyOperation" : "repeatable" };
    case "contract":
      return { ...known, kind, outcome: "unknown", repeat: "never" };
    case "refused": {
      const proven = code !== undefined || refusedWithoutBody.has(status);
      return { ...known, kind, outcome: proven ? "notExecuted" : "unknown", repeat: "never" };
    }
    default: {
      const perhapsToken = kind === "plan" && code === undefined;
      return { ...known, kind, outcome: "notExecuted", repeat: "never", perhapsToken };
    }
  }
}

const same = (text: string): string => text;

function kindOf(status: number, byCode: ServiceErrorKind | undefined): ServiceErrorKind {
  // A proxy that gave up can copy the code of an earlier response: the service may still execute the request.
  if (status >= 500) return "outcomeUnknown";
  // 429 proves that nothing was done, even with a code that proves nothing with another status.
  if (status === 429 && byCode === "outcomeUnknown") return "rateLimited";
  // A 3xx is not followed, because that would send the credential elsewhere. No operation responds 2xx other than 200.
  const ofOthers = status === 200 || status >= 400 ? "refused" : "contract";
  return byCode ?? kindOfStatus.get(status) ?? ofOthers;
}

export function failureOfLoss(loss: Loss): Failure {
  const outcome = loss.sent ? "unknown" : "notExecuted";
  const after = loss.sent ? "after the request was sent" : "before this attempt was sent";
  switch (loss.reason) {
    case "aborted":
      return { kind: "aborted", outcome, problem: `the caller ended the call ${after}.`, repeat: "never" };
    case "source":
      return { kind: "invalidRequest", outcome: "notExecuted", problem: loss.detail, repeat: "never" };
    case "tooLarge":
      return { kind: "contract", outcome: "unknown", problem: loss.detail, repeat: "never" };
    case "proxy": {
      // Refused for good (credentials, a forbidden address), or a temporary failure.
      const repeat = (loss.status ?? 0) >= 500 || loss.status === 429 ? "anyOperation" : "never";
      return { kind: "unreachable", outcome, problem: `no connection (${loss.detail}).`, repeat };
    }
    default: {
      const kind = loss.sent ? "outcomeUnknown" : "unreachable";
      const problem = loss.sent
        ? `no complete response came (${loss.detail}).`
        : `no connection to ${loss.host} (${loss.detail}).`;
      const repeat = loss.sent ? "repeatable" : "anyOperation";
      return { kind, outcome, problem, repeat, staleConnection: loss.staleConnection };
    }
  }
}

function plain(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Bytes. No error of the service is that large; a page of a proxy can be. */
const largestErrorBody = 1024 * 1024;

/** Reads `{error: {code, message}, requestId}` or the older `{error, error_Description}`; undefined for anything else. */
function errorBody(response: HttpResponse): Pick<Failure, "code" | "said" | "requestId"> | undefined {
  // A success can have megabytes of rows, so an error is looked for among its first members only.
  if (response.status === 200 && !response.body.subarray(0, 4096).includes('"error"')) return undefined;
  if (response.body.length > largestErrorBody) return undefined;
  const parsed = parsedJson(response.body.toString("utf8"));
  if (!isRecord(parsed) || (response.status === 200 && parsed.data !== undefined && parsed.data !== null))
    return undefined;
  const requestId = text(parsed.requestId);
  const { error } = parsed;
  if (response.status === 200 && saysSuccess(error)) return undefined;
  if (isRecord(error)) return { code: text(error.code), said: text(error.message), requestId };
  if (typeof error === "string" && error !== "") {
    return { code: error, said: text(parsed.error_Description) ?? text(parsed.error_description), requestId };
  }
  return response.status === 200 ? undefined : { code: text(parsed.code), said: text(parsed.message), requestId };
}

/** What some services have in `error` of each success, as a string or as a code. */
const wordsOfSuccess = ["success", "ok", "none", "empty", "0", ""];

/** Whether an `error` in a response with 200 names none. Absent, it names nothing. */
export function saysSuccess(error: unknown): boolean {
  const word = isRecord(error) ? error.code : error;
  return (typeof word === "string" || typeof word === "number") && wordsOfSuccess.includes(plain(String(word)));
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function sentence(status: number, contentType: string, code: string | undefined, said: string | undefined): string {
  if (code !== undefined || said !== undefined) {
    const words = said === undefined ? "" : `: "${said}"`;
    return `the service responded with ${status}${code === undefined ? "" : ` ${code}`}${words}.`;
  }
  if (status >= 300 && status < 400) return `the response was ${status}, a redirect, and redirects are not followed.`;
  const came = contentType === "" ? "no content type" : contentType;
  return `the response was ${status} without an error of the service (${came}), probably from a proxy in front of it.`;
}

/** Milliseconds of a Retry-After, in seconds or as a date; undefined where it is neither. */
function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
