import type { ProcessName } from "../../system/processes";
import { partsOfUrn } from "../../values/urn";

/**
 * Notes requests that must not be sent twice, beyond the process. A process can be killed after a request took effect
 * and before the engine saved the state. The next process finds the note.
 */
export interface RequestJournal {
  /** False if the journal is switched off: then no other process finds the notes. */
  readonly isKept: boolean;
  /**
   * The note of the same request of this resource, unless the state has what the request made. An earlier process sent
   * it, or this one: the engine repeats a failed step if a hook `onError` asks for it.
   * @param inputs undefined for a request with any inputs
   */
  earlier(operation: OnceOperation, inputs?: object): Promise<EarlierRequest | undefined>;
  /** Notes the request, sends it, then notes what it made. */
  once<T>(request: OnceRequest, send: () => Promise<T>, idOf: (response: T) => string | undefined): Promise<T>;
  /** Notes work that is done, and that a repetition would do in another way. */
  done(request: OnceRequest, id?: string): Promise<void>;
}

/** `append`: any request that appends items to a list. `export`: rows that are in a file. */
export type OnceOperation = "copyTask" | "startTask" | "append" | "export";

export interface OnceRequest {
  operation: OnceOperation;
  /** All values that determine what the request makes. Only a salted hash is kept, because the values can be secret. */
  inputs: object;
  /** What the request makes, in words with ids only, such as `copy of task "a" in group "b"`. */
  what: string;
  /** What a later process needs to take the result over. Never secret. */
  detail?: Record<string, unknown>;
}

/** What the journal has of an earlier request. */
export interface EarlierRequest {
  what: string;
  /** When it was sent: milliseconds since 1970. */
  time: number;
  /** The id of what it made. Absent if no response came. */
  id?: string;
  /** Whether this process sent it. */
  isRepeated: boolean;
  /** Whether the profile had other credentials then: its tokens have changed, or it is another account. */
  hasOtherCredentials: boolean;
  detail: Record<string, unknown>;
  /** Which process sent it. */
  process: ProcessName;
  /** Counts it as a request of this process: what it made goes into the state now, or is gone. */
  takeOver(): void;
}

/** What may exist or was made by such a request: the first part of a sentence. */
export function describeMade(request: Pick<EarlierRequest, "what" | "time" | "id"> & Partial<EarlierRequest>): string {
  const { what, id } = request;
  return `${id === undefined ? `A ${what} may exist. It was requested` : `"${id}" (a ${what}) was made`} ${whenAndWho(request)}`;
}

/** The second part of such a sentence. */
export function whenAndWho({
  time,
  isRepeated = false,
}: Pick<EarlierRequest, "time"> & Partial<EarlierRequest>): string {
  const who = isRepeated ? "by a step that failed later" : "by a run that ended before it could save its state";
  return `at ${timeOf(time)} ${who}`;
}

/** The same while nobody knows the response: a sentence without its end. */
export function describeUncertain({ operation, what }: Pick<OnceRequest, "operation" | "what">): string {
  return `A ${what} may ${operation === "startTask" ? "have started" : "exist"}`;
}

/** The argument that adopts what such a request of a resource made. */
export function adoptingArgument({ operation, urn = "" }: { operation: string; urn?: string }): string {
  if (operation !== "copyTask") return "adoptLotNo";
  return partsOfUrn(urn).ownType === "ExtractionTask" ? "from.adoptTaskId" : "adoptTaskId";
}

export function timeOf(time: number): string {
  return new Date(time).toISOString();
}
