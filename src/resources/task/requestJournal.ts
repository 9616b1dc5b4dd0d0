/**
 * What is noted beyond the process of requests that must not be sent twice. A process can be killed after a request took effect and
 * before the state could hold what it made; the next one finds the note.
 */
export interface RequestJournal {
  /** What an earlier process noted of such a request of this resource, unless the state has caught up with it since. */
  earlier(operation: OnceOperation, inputs: object): Promise<EarlierRequest | undefined>;
  /** The earlier request counts as this process's own: what it made goes into the state now. */
  takeOver(operation: OnceOperation, id: string): void;
  forget(operation: OnceOperation): Promise<void>;
  /** Notes the request, sends it, and notes what it made. */
  once<T>(request: OnceRequest, send: () => Promise<T>, idOf: (answer: T) => string | undefined): Promise<T>;
}

/** `append`: any request that appends items to a list. */
export type OnceOperation = "copyTask" | "startTask" | "append";

export interface OnceRequest {
  operation: OnceOperation;
  /** All that decides what it makes. Only a salted hash of it is kept, for it may hold secrets. */
  inputs: object;
  /** In words with ids only, such as `copy of task "a" in group "b"`. */
  what: string;
  /** What a process that takes it over needs to go on. Nothing secret. */
  detail?: Record<string, unknown>;
}

export interface EarlierRequest {
  what: string;
  /** Milliseconds since 1970. */
  sentAt: number;
  /** What it made; absent where the process ended before it knew. */
  id?: string;
  /** Whether it was for the same inputs, and not too long ago. */
  counts: boolean;
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
  const count = Math.floor(seconds / unit.seconds);
  return `${count} ${unit.name}${count === 1 ? "" : "s"} ago`;
}
