import { STATUS_CODES } from "node:http";
import type { OperationName } from "../contract/operations";
import type { PreparedRequest } from "../contract/requests";
import { plain } from "../contract/successWords";
import type { ErrorBody } from "./errorBody";
import { readErrorBody } from "./errorBody";
import type { ServiceErrorKind, ServiceErrorOutcome } from "./errors";
import { saysNoPath } from "./errors";
import { oneLine } from "./foreignText";
import { hideSecrets } from "./secretShapes";

/** A response as it came, whatever its status. */
export interface HttpResponse {
  status: number;
  contentType: string;
  retryAfter?: string;
  /** When the other side responded, by its own clock. */
  date?: string;
  /** The target of a redirect, without a query. */
  location?: string;
  /** Which credential the other side asks for (WWW-Authenticate). */
  challenge?: string;
  /** Seconds since a cache on the way stored the response; 0 if none did. */
  age?: number;
  /** The headers with which the other side, or a proxy on the way, names itself. */
  answeredBy?: string;
  /** The names of the headers that tell a limit of requests. */
  rateHeaders?: string[];
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
  /** Host and port of the proxy of the environment, if no connection to it was made. */
  proxy?: string;
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
  /** What a hint needs to know in addition. */
  about?: FailureDetail;
}

/**
 * - `issuer`: Node.js does not know who signed the certificate.
 * - `proxy`: no connection to the proxy of the environment.
 * - `size`: the request is larger than the other side takes.
 * - `path`: the service or a proxy says that it does not have the path.
 * - `group`: the service says that it does not have the task group.
 * - `notOfService`: the response has no code of the service, so it may be from a proxy on the way.
 */
export type FailureDetail = "issuer" | "proxy" | "size" | "path" | "group" | "notOfService";

/** What a code of the service means. */
interface CodeMeaning {
  /** Default: that of the status. */
  kind?: ServiceErrorKind;
  /** For which operations it says that nothing was done: those that can fail for this reason. */
  refuses: (operation: OperationName) => boolean;
}

const all = (): boolean => true;
const none = (): boolean => false;
const refresh = (operation: OperationName): boolean => operation === "refreshToken";
const ofTasks = (operation: OperationName): boolean => !refresh(operation);
const ofActions = (operation: OperationName): boolean => operation.startsWith("update");

/** The known codes of the service. */
const codes = new Map<string, CodeMeaning>([
  ["invalidgrant", { kind: "credential", refuses: refresh }],
  ["invalidtoken", { kind: "credential", refuses: all }],
  ["invalidtaskid", { kind: "notFound", refuses: ofTasks }],
  ["tasknotbelongtoyou", { kind: "notYours", refuses: ofTasks }],
  ["groupnotfound", { refuses: ofTasks }],
  ["taskupdatefail", { refuses: ofTasks }],
  ["tasksettingsnotfound", { kind: "actionNotFound", refuses: ofActions }],
  ["taskexecuting", { kind: "busy", refuses: ofTasks }],
  ["permissiondenied", { kind: "plan", refuses: all }],
  ["membernotallowed", { kind: "plan", refuses: all }],
  ["toomanyrequests", { kind: "rateLimited", refuses: all }],
  ["invalidparameter", { refuses: all }],
  ["invalidparameterrequired", { refuses: all }],
  ["requestmodelnull", { refuses: all }],
  ["servererror", { kind: "outcomeUnknown", refuses: none }],
]);

const kindOfStatus = new Map<number, ServiceErrorKind>([
  [401, "credential"],
  [403, "plan"],
  [408, "outcomeUnknown"],
  [429, "rateLimited"],
]);

/**
 * With these, a server refuses a request before it executes it or hands it on. No other status of a response without a
 * known code proves anything: proxies send pages with 403, 404, 405 and 499 after the service has executed the request.
 */
const beforeExecution = new Set([407, 411, 413, 414, 417, 421, 429, 431]);

/** Codes that are the words of an HTTP status: a gateway writes them, and a service for a path that it does not have. */
const statusWords = new Set(Object.values(STATUS_CODES).map((words = "") => plain(words)));
/**
 * Words in codes of a failure, which can come in the middle of the work, of a gateway, of a path, and of a state that
 * this request itself can have made: a proxy may have sent it twice, and this is the response to the second.
 */
const doubtful =
  /error|fail|fault|exception|internal|unknown|unexpected|time(?:d)?out|gateway|upstream|proxy|unavailable|overload|cancel|abort|endpoint|route|path|method|already|duplicat|conflict|repeat|running|execut|started|progress|process|pending|locked|inuse|busy/;

/** What a status says by itself, for a report about a service: the client decides with {@link failureOfResponse}. */
export const statusSays = {
  notFound: (status: number | undefined): boolean => status === 404,
  tooMany: (status: number | undefined): boolean => status === 429,
  /** Whether the request can have been executed, although the response does not show it. */
  hidesExecution: (status: number): boolean => status >= 500,
};

/** How a response is read. */
export interface Reading {
  request: Pick<PreparedRequest, "name" | "mayRepeat">;
  /** Codes by which this service says that nothing was done. */
  notExecutedCodes: readonly string[];
  /** The requestIds of earlier refusals. */
  earlierIds?: ReadonlySet<string>;
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
  { request, notExecutedCodes, earlierIds, scrub = same, hideValues = same }: Reading,
): Failure | undefined {
  const { status } = response;
  const body = readErrorBody(response.body, status === 200);
  if (status === 200 && body?.code === undefined && body?.said === undefined) return undefined;
  // Secrets are hidden before the text is cut: a part of a secret could not be found.
  const code = body?.code && foreign(hideValues(scrub(body.code)));
  const said = body?.said && foreign(hideValues(scrub(body.said)));
  const requestId = body?.requestId && foreign(scrub(body.requestId));
  const meaning = body?.code === undefined ? undefined : codes.get(plain(body.code));
  const isListed = notExecutedCodes.some((listed) => body?.code !== undefined && plain(listed) === plain(body.code));
  const kind = isListed ? kindOfListed(meaning) : kindOf(status, meaning?.kind);
  const isOwn = requestId !== undefined && earlierIds?.has(requestId) !== true;
  const isProven =
    isListed ||
    provesRefusal(response, body, meaning, request.name) ||
    (isOwn && isRefusalOfOwn(response, body, request.name));
  const outcome = isProven && kind !== "outcomeUnknown" && kind !== "contract" ? "notExecuted" : "unknown";
  const isClear = outcome === "notExecuted" || kind === "outcomeUnknown" || request.mayRepeat;
  const problem = sentence(response, { ...body, code, said }, isClear ? undefined : request.name, (words) =>
    foreign(scrub(words)),
  );
  return {
    ...{ kind, outcome, problem, said, status, code, requestId },
    // That nothing was done is no reason to send it again. A read is sent again as without the list.
    repeat: repeatAfter(isListed ? kindOf(status, meaning?.kind) : kind, status),
    retryAfter: waitOf(response),
    perhapsToken: kind === "plan" && code === undefined,
    about: detailOf(response, body),
  };
}

function detailOf({ status }: HttpResponse, body: ErrorBody | undefined): FailureDetail | undefined {
  if (status === 413) return "size";
  const code = plain(body?.code ?? "");
  if (!codes.has(code) && saysNoPath({ status, code: body?.code })) return "path";
  if (!body?.isOfService) return "notOfService";
  return code === "groupnotfound" ? "group" : undefined;
}

const same = (text: string): string => text;

/**
 * Whether a response proves that the operation was not executed. A proxy can respond in place of the service after the
 * service executed the request: with a page, with an error of its own, or with the service's response to another
 * request, whose code then says nothing about this operation.
 */
function provesRefusal(
  { status, challenge = "" }: HttpResponse,
  body: ErrorBody | undefined,
  meaning: CodeMeaning | undefined,
  operation: OperationName,
): boolean {
  if (beforeExecution.has(status)) return true;
  // The service asks for another access token. A page of a proxy has no such header.
  if (status === 401 && /^bearer\b/i.test(challenge)) return true;
  return body?.isOfService === true && meaning?.refuses(operation) === true;
}

/**
 * Whether the service itself refused this request, with a code that is not known: a list of codes is never whole. True
 * only of a 400 in the full form of the service's errors, with a requestId that no earlier refusal had. Proxies fail
 * with other statuses and in other forms. Where one fetches its page of errors from the service, that response has the
 * service's form, but it is about a path: its status is 404 or 405, or its code says so. Not for the refresh of tokens,
 * whose errors have other forms, and not with another status: services send those that are documented with 400.
 */
function isRefusalOfOwn(
  { status, age = 0 }: HttpResponse,
  body: ErrorBody | undefined,
  operation: OperationName,
): boolean {
  const { isOfService, code = "", said } = body ?? {};
  const words = plain(code);
  const isClear = /[a-z]{3}/.test(words) && !codes.has(words) && !statusWords.has(words) && !doubtful.test(words);
  return status === 400 && age === 0 && isOfService === true && said !== undefined && isClear && ofTasks(operation);
}

function kindOf(status: number, byCode: ServiceErrorKind | undefined): ServiceErrorKind {
  // A proxy that gave up can copy the code of an earlier response: the service may still execute the request.
  if (status >= 500) return "outcomeUnknown";
  // A 3xx is not followed, because that would send the credential elsewhere. No operation responds 2xx other than 200.
  if (status !== 200 && status < 400) return "contract";
  // 429 proves that nothing was done, even with a code that proves nothing with another status.
  if (status === 429 && byCode === "outcomeUnknown") return "rateLimited";
  return byCode ?? kindOfStatus.get(status) ?? "refused";
}

function kindOfListed({ kind }: Partial<CodeMeaning> = {}): ServiceErrorKind {
  return kind === undefined || kind === "outcomeUnknown" ? "refused" : kind;
}

function repeatAfter(kind: ServiceErrorKind, status: number): Failure["repeat"] {
  if (kind === "outcomeUnknown") return "repeatable";
  // With another status than 429, only a code says so. That is not enough to send again what must not be executed
  // twice.
  if (kind === "rateLimited") return status === 429 ? "anyOperation" : "repeatable";
  return "never";
}

/** With these codes, Node.js refuses a certificate because it does not know who signed it. */
export const unknownIssuerCodes = [
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
] as const;

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
      const target = loss.proxy === undefined ? loss.host : `the proxy ${loss.proxy}`;
      const problem = loss.sent
        ? `no complete response came (${loss.detail}).`
        : `no connection to ${target} (${loss.detail}).`;
      const repeat = loss.sent ? "repeatable" : "anyOperation";
      const isIssuer = unknownIssuerCodes.some((code) => code === loss.detail);
      const about = isIssuer ? "issuer" : loss.proxy === undefined ? undefined : "proxy";
      return { kind, outcome, problem, repeat, staleConnection: loss.staleConnection, about };
    }
  }
}

/** As after a broken connection: the other side has responded, and the rest of it is lost. */
export function failureOfCutOff(bytes: number): Failure {
  return failureOfLoss({
    reason: "connection",
    sent: true,
    host: "",
    detail: `its JSON is cut off after ${bytes} bytes`,
  });
}

/**
 * Who responded and what, as far as the response shows it. `unclear`: the operation that may have been executed despite
 * the response.
 */
function sentence(
  response: HttpResponse,
  { code, said, isOfService }: Partial<ErrorBody>,
  unclear: OperationName | undefined,
  shown: (words: string) => string,
): string {
  const { status, contentType, location, answeredBy } = response;
  const sender = answeredBy === undefined ? "" : ` (${shown(answeredBy)})`;
  if (code !== undefined || said !== undefined) {
    const error = `${status}${code === undefined ? "" : ` ${code}`}${said === undefined ? "" : `: "${said}"`}`;
    if (!isOfService) return `the response was ${error}, not in the form of the service's errors${sender}.`;
    const rest = unclear === undefined ? "" : `, which is not known to mean that ${unclear} was not executed`;
    return `the service responded with ${error}${rest}.`;
  }
  if (status >= 300 && status < 400) {
    const target = location === undefined ? "" : ` to ${shown(location)}`;
    return `the response was ${status}, a redirect${target}, and redirects are not followed${sender}.`;
  }
  const came = contentType === "" ? "no content type" : shown(contentType);
  return `the response was ${status} without an error of the service (${came}), probably from a proxy in front of it${sender}.`;
}

/** Milliseconds of a Retry-After, in seconds or as a date; undefined where it is neither. */
function waitOf({ retryAfter, date = "" }: HttpResponse): number | undefined {
  if (retryAfter === undefined) return undefined;
  // Two proxies can each have set one: then the header is a list.
  const seconds = retryAfter.split(",").map((each) => (/^\s*\d+(\.\d+)?\s*$/.test(each) ? Number(each) : Number.NaN));
  if (seconds.every((each) => each >= 0)) return Math.max(...seconds) * 1000;
  const until = Date.parse(retryAfter);
  // By the clock of the other side, which set the date.
  const from = Date.parse(date);
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(from) ? Date.now() : from));
}
