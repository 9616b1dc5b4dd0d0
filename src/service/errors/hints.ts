import type { PreparedRequest } from "../contract/requests";
import type { Failure } from "./failures";

/** What a user can do next: the last sentences of each error. */
export function hintFor(
  request: PreparedRequest,
  failure: Pick<Failure, "kind" | "outcome">,
  nameOf = (option: string): string => option,
): string {
  if (failure.outcome === "unknown") {
    const lost = lostHint(request);
    if (lost !== undefined) return lost;
  }
  switch (failure.kind) {
    case "notFound":
      return "Check the task's id, and that the credentials belong to the account that holds it.";
    case "actionNotFound":
      return "Check the action's id and type against what getActions returns for this task.";
    case "busy":
      return `The task is running and cannot be changed meanwhile: wait for its end or stop it, then try again; ${nameOf("busyTimeoutSeconds")} sets how long the client waits by itself.`;
    case "credential":
      return request.credential === "apiKey"
        ? `Check the API key (${nameOf("apiKey")}).`
        : `Set a valid ${tokenSources(nameOf)}.`;
    case "plan":
      return request.operation.plan === "professional"
        ? "The operation needs a Professional or Enterprise plan: check the account's plan and rights."
        : "Check what the account is allowed to do.";
    case "rateLimited":
      return `Lower ${nameOf("requestsPerSecond")} or ${nameOf("concurrency")}, or wait: other programs of the same address count too.`;
    case "unreachable":
      return `Nothing was sent. Check ${nameOf("baseUrl")}, the network and the proxy settings, then try again.`;
    case "outcomeUnknown":
      return "It is safe to try again.";
    case "contract":
      return `Check that ${nameOf("baseUrl")} is the address of the service itself, without a portal or proxy that answers in its place.`;
    case "aborted":
      return failure.outcome === "unknown" ? "It is safe to try again." : "Nothing happened at the service.";
    case "invalidRequest":
      return failure.outcome === "unknown"
        ? "Correct the request and try again."
        : "Nothing was changed at the service. Correct the request and try again.";
    case "refused":
      return "Correct what the service names, then try again.";
  }
}

/** Where an access token may come from, in words. */
export function tokenSources(nameOf: (option: string) => string): string {
  return `${nameOf("accessToken")}, ${nameOf("refreshToken")} or ${nameOf("credentialCommand")}`;
}

/** For operations that must not be sent again blindly: what may exist now, how to look, how to go on. */
function lostHint(request: PreparedRequest): string | undefined {
  if (request.mayRepeat) return undefined;
  const task = request.taskId === undefined ? "the task" : `task ${request.taskId}`;
  switch (request.name) {
    case "copyTask":
      return `A copy of ${task} may now exist in group ${request.taskGroupId ?? "(not named)"}. The API cannot list tasks: look for it in the service's own interface, and if it is there, use its id instead of copying again.`;
    case "startTask":
      return `A run of ${task} may now be under way, and billed. Look before starting again: getSubtasks shows other subtasks than before, or subtasks at work, if it is; the service's own interface shows the batch number (lotNo), with which its data can be read.`;
    case "updateLoopItems":
    case "updateTaskParameters":
      return `The items may now be appended to the list of ${task}. Look with getActions before appending again, or write the whole list with isAppend false, which can be repeated.`;
    case "markExported":
      return `The data of ${task} may now be marked as exported. Look with getNotExportedData: its total tells; mark again only rows that are safely written.`;
    case "removeData":
      return `The data of ${task} may now be removed. Look with getData, size 1: its total tells.`;
    case "refreshToken":
      return "The refresh token may now be used up, with its successor lost on the way. Try again once; if it is refused, a new refresh token must be issued.";
    default:
      return undefined;
  }
}
