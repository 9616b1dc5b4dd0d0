import type { PreparedRequest } from "../contract/requests";
import { pathAdvice, ServiceError, whyNotYours } from "./errors";
import type { Failure } from "./failures";
import { oneLine, printable, shownId } from "./foreignText";

type ErrorFacts = Omit<Failure, "repeat" | "retryAfter" | "staleConnection" | "perhapsToken"> & { meaning?: string };

export interface ErrorExtras {
  /** Hides known credentials in text that came from outside. */
  scrub: (text: string) => string;
  /** What was done before, for example the number of attempts. */
  history?: string;
  hint?: string;
  /** The names of options in messages. */
  settingName: (option: string) => string;
}

/** The only place that composes the message of a ServiceError. */
export function errorOf(request: PreparedRequest, failure: ErrorFacts, extras: ErrorExtras): ServiceError {
  const { name, operation, taskId } = request;
  const { scrub } = extras;
  const told = (text: string | undefined) => (text === undefined ? undefined : oneLine(scrub(text)));
  const hint = extras.hint ?? hintFor(request, failure, extras.settingName);
  const path = failure.about === "path" ? pathAdvice(request.operation.path, extras.settingName) : undefined;
  const task = taskId === undefined ? undefined : `task ${shownId(scrub(taskId))}`;
  const meaning = scrub(failure.meaning ?? meaningOf(request, failure, task ?? "one of the tasks") ?? "");
  const call = `${operation.method} ${request.path.split("?")[0]}`;
  const target = task === undefined || meaning.includes(task) ? call : `${call}, ${task}`;
  const effect = meaning === "" ? "" : name.startsWith("get") ? " failed" : " did nothing";
  const parts = [
    `${meaning} ${name} (${target})${effect}: ${scrub(failure.problem)}`.trimStart(),
    failure.requestId === undefined ? undefined : `requestId ${told(failure.requestId)}.`,
    extras.history,
    path === hint ? undefined : path,
    hint,
  ];
  return new ServiceError({
    operation: name,
    kind: failure.kind,
    outcome: failure.outcome,
    message: parts.filter((part) => part !== undefined && part !== "").join(" "),
    hint,
    taskId,
    status: failure.status,
    code: told(failure.code),
    requestId: told(failure.requestId),
    said: told(failure.said),
  });
}

/** What a refusal means that did nothing, if it has one meaning: the first sentence of its error. */
function meaningOf(request: PreparedRequest, { kind, outcome, about, problem }: ErrorFacts, task: string) {
  if (outcome !== "notExecuted" || about === "notOfService" || problem.startsWith("not sent")) return undefined;
  if (kind === "notFound") return `The service does not know ${task}.`;
  if (kind === "notYours") return `This account does not have ${task}.`;
  if (kind === "actionNotFound") return `The service finds no such action in ${task}.`;
  if (kind === "busy") return `A run of ${task} is in progress.`;
  if (kind === "plan") return "The account's plan or its rights do not allow this.";
  if (kind === "credential" && request.credential === "apiKey") return "The service does not accept the API key.";
  if (about !== "group") return undefined;
  return `Task group "${printable(request.taskGroupId ?? "")}" does not exist, or belongs to another account.`;
}

/** What the user can do next: the last sentences of each error. */
function hintFor(
  request: PreparedRequest,
  failure: Pick<Failure, "kind" | "outcome" | "about">,
  nameOf: (option: string) => string,
): string {
  const lost = failure.outcome === "unknown" ? lostHint(request) : undefined;
  if (lost !== undefined) return lost;
  switch (failure.kind) {
    case "notFound":
      return "Check the task's id, and that the credentials belong to the account that owns the task.";
    case "notYours":
      return `Either ${whyNotYours}. Check the id and the credentials.`;
    case "actionNotFound":
      return "Check the action's id and type against what getActions returns for this task.";
    case "busy":
      return `Wait for its end or stop it, then try again. ${nameOf("busyTimeoutSeconds")} sets how long the client waits.`;
    case "credential": {
      const advice =
        request.credential === "apiKey"
          ? `Check the API key (${nameOf("apiKey")}).`
          : `Set a valid ${tokenSources(nameOf)}.`;
      return failure.about === "notOfService" ? `${advice} ${droppedCredential}` : advice;
    }
    case "plan": {
      const advice =
        request.operation.plan === "professional"
          ? "The operation needs a Professional or Enterprise plan: check the account's plan and rights."
          : "Nearly every operation can need a paid plan: check the account's plan and rights.";
      return failure.about === "notOfService" ? `${advice} Or a proxy on the way refused it: check that too.` : advice;
    }
    case "rateLimited":
      return `Lower ${nameOf("requestsPerSecond")} or ${nameOf("concurrency")}, or wait. Requests of other programs at the same address count too.`;
    case "unreachable":
      if (failure.about === "issuer") {
        return `Nothing was sent. Node.js does not know who signed the certificate. If a private CA did, such as that of a company whose proxy opens connections, set NODE_EXTRA_CA_CERTS to its PEM file in the environment. Otherwise, check ${nameOf("baseUrl")}.`;
      }
      if (failure.about === "proxy") {
        return "Nothing was sent. Start the proxy, or correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or add the service to NO_PROXY. Then try again.";
      }
      return `Nothing was sent. Check ${nameOf("baseUrl")}, the network and the proxy settings, then try again.`;
    case "outcomeUnknown":
      return request.upload === undefined
        ? "It is safe to try again."
        : `It is safe to try again. If each attempt ends like this, a proxy on the way may limit uploads: ${sizeOf(request)}.`;
    case "contract":
      return `Check that ${nameOf("baseUrl")} is the address of the service itself with its whole path, and that no portal or proxy responds in its place.`;
    case "aborted":
      return failure.outcome === "unknown" ? "It is safe to try again." : "The service did nothing.";
    case "invalidRequest":
      return `${failure.outcome === "unknown" ? "" : "The service changed nothing. "}Correct the request and try again.`;
    case "refused":
      if (failure.about === "size") {
        return `The service or a proxy on the way limits the size of requests (nginx: client_max_body_size): ${sizeOf(request)}. Raise the limit, or send less.`;
      }
      if (failure.about === "path") return pathAdvice(request.operation.path, nameOf);
      if (failure.about === "group") return "Check taskGroupId and the credentials.";
      return failure.about === "notOfService"
        ? `Check ${nameOf("baseUrl")} and the proxies on the way, then try again.`
        : "Correct what the service reports, then try again.";
  }
}

/** Advice for a refused credential, if the response does not say who refused it. */
export const droppedCredential =
  "If the credential is valid, a proxy on the way may have responded, or removed the credential from the request (Squid as a reverse proxy does, without login=PASS).";

function sizeOf({ upload, json = "" }: PreparedRequest): string {
  if (upload === undefined) return `the request has ${Buffer.byteLength(json)} bytes`;
  return `the file has ${upload.file.size ?? "an unknown number of"} bytes`;
}

/** The options that give an access token, in words. */
export function tokenSources(nameOf: (option: string) => string): string {
  return `${nameOf("accessToken")}, ${nameOf("refreshToken")} or ${nameOf("credentialCommand")}`;
}

/** For a request that must not be sent again without a check. */
function lostHint({ mayRepeat, operation, taskId, taskGroupId }: PreparedRequest): string | undefined {
  const task = taskId === undefined ? "the task" : `task ${shownId(taskId)}`;
  return mayRepeat ? undefined : operation.ifLost?.(task, taskGroupId === undefined ? undefined : shownId(taskGroupId));
}
