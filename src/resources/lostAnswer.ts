import { randomUUID } from "node:crypto";
import type { ServiceError } from "../service/errors";
import { isServiceError } from "../service/errors";
import type { ArgsSpec } from "./args";
import { canonical, holdsUnknown } from "./args";
import type { Difference } from "./resource";
import { PartialFailure, ResourceError } from "./resource";

/**
 * A copy or a start whose answer was lost may have happened. A second one would be a second task or a second paid run, so the
 * resource is kept in state under a made-up id until the user says which it was.
 */
export interface LostAnswerState {
  /** `unknown` until the user has said what became of the request. */
  outcome?: string;
  /** What happened and what to do, for each further attempt. */
  explanation?: string;
  /** Any text; a changed one sends the request again. */
  retry?: string;
}

/** Runs a call that must not be repeated; a lost answer becomes a partial failure that holds `state`. */
export async function guardAgainstLostAnswer<T>(
  call: () => Promise<T>,
  state: object,
  explain: { whatMayExist: string; adopt: string },
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isServiceError(error) || error.outcome === "notExecuted") {
      throw error;
    }
    const explanation = explanationOf(error, explain);
    throw new PartialFailure(explanation, `unknown-${randomUUID()}`, { ...state, outcome: "unknown", explanation });
  }
}

function explanationOf(error: ServiceError, { whatMayExist, adopt }: { whatMayExist: string; adopt: string }): string {
  return [
    error.message,
    `${whatMayExist}, sent at ${new Date().toISOString()}.`,
    "It was not sent again, and will not be: nobody can tell from here whether it took effect, for the service has no call that lists.",
    `Look for it at the service. If it is there, set ${adopt}; if it is not, set retry to any new text, and run up again.`,
  ].join(" ");
}

export function isOutcomeUnknown(state: LostAnswerState): boolean {
  return state.outcome === "unknown";
}

/** What leads out of an unknown outcome: an id to adopt, or a new `retry`. Both replace, delete first, for there's nothing to delete. */
export function lostAnswerDifference(state: LostAnswerState, args: { retry?: string }, adoptName: string): Difference {
  if ((args as Record<string, unknown>)[adoptName] !== undefined) {
    return { replaces: [adoptName], deleteFirst: true };
  }
  if (args.retry !== undefined && args.retry !== state.retry) {
    return { replaces: ["retry"], deleteFirst: true };
  }
  return { forced: true };
}

export function refuseUpdateOfUnknown(state: LostAnswerState): void {
  if (isOutcomeUnknown(state)) {
    throw new ResourceError(state.explanation ?? "The outcome of an earlier request is unknown.");
  }
}

/** Whether `args` differ from the state only in the id to adopt: naming the present one, or no longer naming it, changes nothing. */
export function onlyAdoptionDiffers(spec: ArgsSpec, state: object, args: object, adoptName: string): boolean {
  const valuesOf = (from: object): Record<string, unknown> => from as Record<string, unknown>;
  const rest = (from: object): string =>
    canonical(Object.keys(spec).map((name) => (name === adoptName ? undefined : valuesOf(from)[name])));
  const differs = valuesOf(state)[adoptName] !== valuesOf(args)[adoptName];
  return differs && !holdsUnknown(args) && rest(state) === rest(args);
}
