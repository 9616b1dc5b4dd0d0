import { randomUUID } from "node:crypto";
import { isServiceError, withoutHint } from "../../service/errors/errors";
import { PartialFailure, ResourceError } from "../../values/errors";
import { canonical, holdsUnknown } from "../../values/plain";
import { moreAt } from "../../values/words";
import type { ArgSpecs } from "../args";
import type { CheckContext, Context, Difference, Replaced } from "../resource";
import type { EarlierRequest, OnceRequest } from "./requestJournal";
import { adoptingArgument, describeMade, describeUncertain, timeOf } from "./requestJournal";
import type { Presence } from "./taskPresence";

/**
 * A copy or a start whose response was lost may have taken effect. A second request could make a second task or a
 * second paid run, so the state keeps the resource with a placeholder id until the user says what happened.
 */
export interface LostResponseState {
  /** `unknown` until the user says whether the request took effect. */
  outcome?: string;
  /** What happened and what to do next. Each further up repeats it. */
  explanation?: string;
  /** Any string. A new string sends the request again. */
  retry?: string;
}

/** A request that makes something and must not make it twice. */
export interface MakingRequest extends OnceRequest {
  inputs: { taskId: string } & Record<string, unknown>;
  /** The state to keep if the response is lost. */
  state: object;
  /** The inputs as earlier versions noted them, if that differs. */
  earlierInputs?: object;
}

/** Sends the request. A lost response becomes a partial failure. */
export async function sendOnce<T>(
  request: MakingRequest,
  send: () => Promise<T>,
  idOf: (response: T) => string,
  { client, journal }: Context,
): Promise<T> {
  await client.requirePath(request.inputs.taskId);
  try {
    return await (journal === undefined ? send() : journal.once(request, send, idOf));
  } catch (error) {
    if (!isServiceError(error) || error.outcome === "notExecuted") {
      throw error;
    }
    throw unknownOutcome(request, `${withoutHint(error)}\n${explanationOf(request, Date.now())}`);
  }
}

/**
 * The same request as it was sent before: an earlier run was killed before it could save its state, or this step failed
 * later and is repeated.
 */
export async function earlierRequest(
  { operation, inputs, earlierInputs = inputs }: MakingRequest,
  { journal }: Context,
): Promise<EarlierRequest | undefined> {
  return (await journal?.earlier(operation, inputs)) ?? (await journal?.earlier(operation, earlierInputs));
}

/**
 * The id of what the earlier request made; undefined if it is gone. `look` reads whether it still exists. If that is
 * unclear, throws a partial failure as for a lost response, because a second request could make a second one.
 */
export async function takeOver(
  request: MakingRequest,
  earlier: EarlierRequest,
  look: (id: string) => Promise<Presence["is"]>,
  { warn }: Context,
): Promise<string | undefined> {
  const { id } = earlier;
  if (id === undefined) {
    const lost = earlier.isRepeated
      ? "The response to the first request was lost."
      : "The run that sent this request ended before it received the response.";
    throw unknownOutcome(request, `${lost}\n${explanationOf(request, earlier.time)}`);
  }
  const presence = await look(id).catch((error: unknown): Presence["is"] => {
    if (isServiceError(error, "notYours")) {
      return "unclear";
    }
    throw error;
  });
  if (presence === "gone" && !earlier.hasOtherCredentials) {
    earlier.takeOver();
    return undefined;
  }
  if (presence !== "there") {
    throw unknownOutcome(
      request,
      `${describeMade(earlier)}. The service does not show whether it still exists, so the request is not sent again. ` +
        `Set ${adoptingArgument(request)} to "${id}" to adopt it, or set retry to a new string to send the request again. Then run "pulumi up" again.`,
    );
  }
  warn(`${describeMade(earlier)}. It was taken over, and no second one was made.`);
  earlier.takeOver();
  return id;
}

function unknownOutcome({ state }: MakingRequest, explanation: string): PartialFailure {
  return new PartialFailure(explanation, `${placeholder}${randomUUID()}`, {
    ...state,
    outcome: "unknown",
    explanation,
  });
}

function explanationOf(request: MakingRequest, sentAt: number): string {
  const idName = request.operation === "copyTask" ? "id" : "lotNo";
  return [
    `${describeUncertain(request)}, sent at ${timeOf(sentAt)}. The request is not sent again.`,
    `Look in the service's own interface: if it took effect, set ${adoptingArgument(request)} to the ${idName}; if not, set retry to a new string. Then run "pulumi up" again.`,
    moreAt("explanation/lost-responses.md#a-response-that-does-not-arrive"),
  ].join("\n");
}

const placeholder = "unknown-";

/** Whether an id is a placeholder for something that may not exist. */
export function isPlaceholderId(id: string): boolean {
  return id.startsWith(placeholder);
}

export function isOutcomeUnknown(state: LostResponseState): boolean {
  return state.outcome === "unknown";
}

/**
 * An id to adopt or a new `retry` ends an unknown outcome. Both replace, and delete first, because there is nothing to
 * delete.
 */
export function lostResponseDifference(
  state: LostResponseState,
  args: { retry?: string },
  adoptName: string,
): Difference {
  if ((args as Record<string, unknown>)[adoptName] !== undefined) {
    return { replaces: [adoptName], deleteFirst: true, adopts: true };
  }
  if (args.retry !== undefined && args.retry !== state.retry) {
    return { replaces: ["retry"], deleteFirst: true };
  }
  return { forced: true };
}

/**
 * Refuses to send a request again whose outcome is unknown, because the user requested a replace: only `adoptName` and
 * a new `retry` say what happened.
 */
export function refuseReplaceOfUnknown(
  replaced: Replaced | undefined,
  args: { retry?: string },
  adoptName: string,
): void {
  const state: LostResponseState = replaced?.state ?? {};
  if (replaced !== undefined && isOutcomeUnknown(state) && lostResponseDifference(state, args, adoptName).forced) {
    throw new PartialFailure(state.explanation ?? "", replaced.id, state);
  }
}

export function refuseUpdateOfUnknown(state: LostResponseState): void {
  if (isOutcomeUnknown(state)) {
    throw new ResourceError(state.explanation ?? "The outcome of an earlier request is unknown.");
  }
}

/**
 * Whether `args` differ from the state, and only in these arguments. Adding or removing the present id as the one to
 * adopt changes nothing.
 */
export function onlyDiffers(spec: ArgSpecs, state: object, args: object, names: readonly string[]): boolean {
  const differing = [...new Set([...Object.keys(spec), ...names])].filter(
    (name) => canonical(valuesOf(state)[name]) !== canonical(valuesOf(args)[name]),
  );
  return differing.length > 0 && !holdsUnknown(args) && differing.every((name) => names.includes(name));
}

function valuesOf(from: object): Record<string, unknown> {
  return from as Record<string, unknown>;
}

/**
 * Keeps the id to adopt in the inputs after it was removed from the program, if the rest of the declaration is the same
 * (`isSame`). With a diff of `changes: false` instead, a value that becomes secret in the same up would stay in plain
 * text, and the id could not be added again without a change.
 */
export function keepingAdoption<Args extends object>(
  args: Args,
  previous: CheckContext["previous"],
  adoptName: keyof Args & string,
  isSame: boolean,
): Args {
  const kept = previous?.[adoptName];
  return isSame && args[adoptName] === undefined && typeof kept === "string" ? { ...args, [adoptName]: kept } : args;
}
