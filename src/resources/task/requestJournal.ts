import { counted } from "../values";

/**
 * Notes requests that must not be sent twice, beyond the process. A process can be killed after a request took effect and before the engine saved
 * the state. The next process finds the note.
 */
export interface RequestJournal {
  /** The note of an earlier process about such a request of this resource, unless the state has what the request made. */
  earlier(operation: OnceOperation, inputs: object): Promise<EarlierRequest | undefined>;
  /** Counts the earlier request as one of this process: what it made goes into the state now. */
  takeOver(operation: OnceOperation, id: string): void;
  forget(operation: OnceOperation): Promise<void>;
  /** Notes the request, sends it, then notes what it made. */
  once<T>(request: OnceRequest, send: () => Promise<T>, idOf: (response: T) => string | undefined): Promise<T>;
  /** Notes work that is done, and that a repetition would do in another way. */
  done(request: OnceRequest, id: string): Promise<void>;
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

export interface EarlierRequest {
  what: string;
  /** Milliseconds since 1970. */
  sentAt: number;
  /** The id of what it made. Absent if the process ended before the response. */
  id?: string;
  /** Whether it had the same inputs and was not too long ago. */
  counts: boolean;
  /** Whether it had the same inputs. */
  isSame: boolean;
  detail: Record<string, unknown>;
}

/** How long ago, in the largest unit that fits. */
export function ageOf({ sentAt }: Pick<EarlierRequest, "sentAt">): string {
  const seconds = Math.max(0, Math.round((Date.now() - sentAt) / 1000));
  const units = [
    { name: "day", seconds: 86_400 },
    { name: "hour", seconds: 3600 },
    { name: "minute", seconds: 60 },
  ];
  const unit = units.find((each) => seconds >= each.seconds) ?? { name: "second", seconds: 1 };
  return `${counted(Math.floor(seconds / unit.seconds), unit.name)} ago`;
}
