import type { PreparedRequest } from "../contract/requests";
import { ServiceError } from "./errors";
import type { Failure } from "./failures";
import { oneLine } from "./foreignText";
import { hintFor } from "./hints";

type ErrorFacts = Pick<Failure, "kind" | "outcome" | "problem" | "said" | "status" | "code" | "requestId" | "about">;

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
  const task = taskId === undefined ? "" : `, task ${told(taskId)}`;
  const path = request.path.split("?")[0];
  const parts = [
    `${name} (${operation.method} ${path}${task}): ${scrub(failure.problem)}`,
    failure.requestId === undefined ? undefined : `requestId ${told(failure.requestId)}.`,
    extras.history,
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
