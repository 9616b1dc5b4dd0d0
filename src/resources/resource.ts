import type { ServiceClient } from "../service/client";
import type { ArgsSpec, Problem } from "./args";
import type { ActionReader } from "./task/actionReader";
import type { RequestJournal } from "./task/requestJournal";

/**
 * The shape that every resource has: plain domain logic over the client, with typed arguments and state. Nothing in this folder knows
 * Pulumi or HTTP, so that one list of resources can serve several fronts.
 */
export interface Resource<
  Args extends object,
  State extends object,
  Checked extends object = Args,
  Derived extends string = never,
> {
  /** Name of the resource, as in `new TaskCopy(…)`. */
  readonly type: string;
  /** The field of the state that the resource's id is. */
  readonly idIs: keyof State & string;
  /** The description of every argument, and the names of those that `check` derives. */
  readonly args: ArgsSpec<Args, Derived>;
  /** Outputs beside the arguments. */
  readonly outputs: readonly (keyof State & string)[];
  /** Outputs taken from answers of the service: they may hold anything, so they are secret. */
  readonly secretOutputs?: readonly (keyof State & string)[];
  /** What the resource gives its task. */
  readonly provides?: TaskPart;
  /** What of its task must be in place before it, where the program declares both. */
  readonly waitsFor?: TaskPart;

  /** True where each replace must delete first: also one that the user asks for, of which `diff` knows nothing. */
  readonly deletedFirst?: boolean;

  /**
   * What of a task these arguments decide, in words that name it: two resources that decide the same would undo each other for ever.
   * `everything` is all of it. Parts of the arguments may be outputs, of which nothing is known.
   */
  decides?(args: Partial<Args>): string[];

  /**
   * The task that this one was copied from, which the same account holds: where that is gone too, the account is probably a wrong one.
   */
  copiedFrom?(state: State): string | undefined;

  /**
   * Brings arguments into the form in which they are compared and stored, and adds problems that the spec cannot express. Makes no
   * request. Called only when the spec found nothing wrong; parts may be `unknown`.
   */
  check?(args: Args, context: CheckContext): Checked | Promise<Checked>;
  /** What else a change means, beside the arguments that replace by their spec. */
  diff?(state: State, args: Checked): Difference;
  create(args: Checked, context: Context): Promise<Created<State>>;
  /** Looks at the service. Without it, or where nothing can be said, the state is kept. */
  read?(id: string, state: State, context: Context): Promise<Read<State>>;
  /** Makes the service agree with `args` and answers the whole new state. */
  update(id: string, state: State, args: Checked, context: Context): Promise<State>;
  delete(id: string, state: State, context: Context): Promise<void>;
}

/** `settings`: what a run must find in place. `runs`: what makes the rows. */
export type TaskPart = "settings" | "runs";

/** The argument that every resource has. */
export interface ProfileArgs {
  /**
   * Name of a set of credentials in `webextract:profiles`.
   * @default the top-level credentials
   */
  profile?: string;
}

export interface CheckContext {
  /** The arguments as they were checked last time; none at the first. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** The program's folder: files are relative to it. */
  readonly folder: string;
  readonly settings: Settings;
  readonly problems: Problem[];
}

export interface Difference {
  /** Arguments whose change needs a new resource. */
  replaces?: string[];
  /** Replace by deleting first. */
  deleteFirst?: boolean;
  /** The new resource adopts what the old one may have made: nothing is given up, so the old one is not deleted. */
  adopts?: boolean;
  /** There's work to do though the arguments are equal. */
  forced?: boolean;
  /** The arguments differ, yet it comes to the same. */
  same?: boolean;
  /** What a reviewer must know and the diff does not show: a warning beside the resource. */
  note?: string;
}

export interface Created<State> {
  id: string;
  state: State;
}

export type Read<State> = { found: true; state: State } | { found: false };

/** Settings of the provider that change what resources do. */
export interface Settings {
  /** Action types that reads ask for, beside the declared ones. */
  readonly actionTypes: readonly string[];
  readonly markScope: "task" | "returned";
  readonly statuses: Statuses;
  readonly pageSize?: number;
  /** Whether `webextract:forceDestroy` lifts the guard of this task's rows. */
  forceDestroy(taskId: string): boolean;
}

/** Which subtask statuses mean what. Compared without case; any other status means "still running". */
export interface Statuses {
  readonly finished: readonly string[];
  readonly failed: readonly string[];
  readonly stopped: readonly string[];
}

/** What a resource works with. */
export interface Context {
  readonly client: ServiceClient;
  /** Reads of actions, many in one request. */
  readonly actionReader: ActionReader;
  readonly settings: Settings;
  /** The program's folder: files are relative to it. */
  readonly folder: string;
  /** Keeps requests that must not be sent twice beyond this process; absent where nobody knows which resource this is. */
  readonly journal?: RequestJournal;
  /** Runs the writing calls of one task one after the other, whichever resources they come from. */
  exclusive<T>(taskId: string, work: () => Promise<T>): Promise<T>;
  /** Whether a resource that is made or updated in this run decides this part of a task: the delete of another must not undo it. */
  isDecided(taskId: string, part: string): boolean;
  /** Notes that the service said a task is there or gone. */
  saw(taskId: string, presence: "there" | "gone"): void;
  /** Shows a warning beside the resource. */
  warn(message: string): void;
  /** Shows how far a long step has come; each message takes the place of the one before. */
  progress(message: string): void;
  /** Milliseconds since some moment; only differences mean anything. */
  now(): number;
  /** Ends early when the command is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when the user has interrupted the command: what only waits ends then, and keeps what exists. */
  readonly interrupted: AbortSignal;
}

/** State of a resource that can put back what stood there before it. */
export interface DriftState {
  /** Parts that a read found changed by somebody else, until the next write: what stands there is not ours to put back. */
  drifted?: string[];
}

/** State that every resource may have. */
export interface PendingState {
  /** What is still to do after a failure: kept by reads, and reason enough for an update. */
  pending?: string[];
}

/** Something exists now on the service although the step failed: what is known of it must reach the state. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    message: string,
    readonly id: string,
    readonly state: object,
  ) {
    super(message);
  }
}

/** An error whose message is complete for the user: what happened, what exists now, what to do next. */
export class ResourceError extends Error {
  override readonly name = "ResourceError";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
