import type { ServiceClient } from "../service/client";
import type { StoreSettings } from "../store/objectStore";
import type { Problem } from "../values/kinds";
import type { ArgsSpec } from "./args";
import type { Held, OwnedPart, SettingId } from "./ownership";
import type { ActionReader } from "./task/actionReader";
import type { RequestJournal } from "./task/requestJournal";

/**
 * The shape of every resource: domain logic over the client, with typed arguments and state. Nothing in this folder
 * uses Pulumi or HTTP, so that programs, the provider and the command line can share the resources.
 */
export interface Resource<
  Args extends object,
  State extends object,
  Checked extends object = Args,
  Derived extends string = never,
> {
  /** Name of the resource, as in `new TaskCopy(…)`. */
  readonly type: string;
  /** The field of the state that holds the resource's id. */
  readonly idIs: keyof State & string;
  /** Whether the id stays the first value of this field when an update changes it. */
  readonly keepsFirstId?: boolean;
  /** The description of every argument, and the names of those that `check` derives. */
  readonly args: ArgsSpec<Args, Derived>;
  /** Outputs other than the arguments. */
  readonly outputs: readonly (keyof State & string)[];
  /** Outputs that contain parts of the service's responses. They can contain anything, so they are secret. */
  readonly secretOutputs?: readonly (keyof State & string)[];
  /** Whether it is a run: what makes the rows. A replace of it must always delete first. */
  readonly isRun?: boolean;
  /** What of its task must exist before this resource, if the program declares both. */
  readonly waitsFor?: TaskPart;
  /** Whether it reads all rows that the task has at that moment: also those of a run that the program declares later. */
  readsTask?(args: Readonly<Record<string, unknown>>): boolean;

  /** True if a new instance needs to know the one that it replaces, and a diff the previous arguments. */
  readonly knowsEarlier?: boolean;

  /**
   * The parts of a task that these arguments manage. Two resources that manage the same part would undo each other.
   * Some arguments can be outputs.
   */
  manages?(args: Partial<Args>): OwnedPart[];

  /**
   * What the delete of another resource could undo and these arguments or this state name, beside the rows of their
   * task. Parts can be `unknown`.
   */
  holds?(known: Partial<State>, folder: string): Held[];

  /**
   * The task that this one was copied from. The same account has it: if it is gone too, the account is probably wrong.
   */
  copiedFrom?(state: State): string | undefined;

  /**
   * Adds problems that a description cannot express and that the arguments alone show, without the disk, the
   * configuration and the state. Runs before `check`. Parts can be `unknown`.
   */
  rules?(args: Args, problems: Problem[]): void;

  /**
   * Converts arguments to the form in which they are compared and stored, and adds problems that only the disk, the
   * configuration or the state show. Makes no request. Parts can be `unknown`, also those in which the description
   * found a problem.
   */
  check?(args: Args, context: CheckContext): Checked | Promise<Checked>;
  /**
   * What a change means, beyond the arguments whose description says `replaces`. `previous` are the arguments after the
   * previous check, which the engine compares with these. They can be unknown.
   */
  diff?(state: State, args: Checked, previous?: Partial<Checked>): Difference;
  create(args: Checked, context: Context): Promise<Created<State>>;
  /**
   * Reads the present state from the service. Without this function, or if the service does not show the resource, the
   * state is kept.
   */
  read?(id: string, state: State, context: Context): Promise<Read<State>>;
  /** Makes the service match `args`, and returns the whole new state. */
  update(id: string, state: State, args: Checked, context: Context): Promise<State>;
  delete(id: string, state: State, context: Context): Promise<void>;
  /** What a program declares of an existing object. Makes no write. Absent: the service does not show such objects. */
  imported?(id: string, context: Context): Promise<Imported>;
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
  /** The arguments after the previous check. Undefined at the first check. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /**
   * The state of the instance that a new one replaces: at a replace, the engine checks again without the previous
   * arguments.
   */
  readonly replaced?: Readonly<Record<string, unknown>>;
  /** The program's folder. File names are relative to it. */
  readonly folder: string;
  readonly settings: ServiceTraits;
  readonly problems: Problem[];
  /** Shows a warning beside the resource. Absent in the program. */
  warn?(message: string): void;
}

export interface Difference {
  /** Arguments whose change needs a new resource. */
  replaces?: string[];
  /** The replace deletes the old resource first. */
  deleteFirst?: boolean;
  /** The new resource adopts what the old one may have made, so the old one is not deleted. */
  adopts?: boolean;
  /** An update is needed even if the arguments are equal. */
  forced?: boolean;
  /** The arguments differ, but mean the same. */
  same?: boolean;
  /** A warning beside the resource: what a reviewer must know and the diff does not show. */
  note?: string;
}

/** The instance of a resource that a new one replaces. */
export interface Replaced {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
  /**
   * Whether this command asks for a new instance. If not, it completes a replace of an earlier command, which deleted
   * the old instance and then failed. Nothing may ask for a new instance any more.
   */
  readonly isAskedFor: boolean;
  /** The arguments for which the diff of this command asks for a new instance. */
  readonly wanted?: Readonly<Record<string, unknown>>;
}

/** An object of the service as a program declares it. */
export interface Imported {
  /** The id of its resource. */
  id: string;
  /** As a program writes them. */
  args: Record<string, unknown>;
  /** State beside the arguments that a read needs. */
  state?: Record<string, unknown>;
}

export interface Created<State> {
  id: string;
  state: State;
}

export type Read<State> = { found: true; state: State } | { found: false };

/** Configuration that changes what resources do. */
export interface ServiceTraits extends StoreSettings {
  /** Action types that reads request in addition to the declared ones. */
  readonly actionTypes: readonly string[];
  readonly markScope: "task" | "returned";
  readonly statuses: Statuses;
  readonly pageSize?: number;
  /** Whether runs have no lotNo that the service knows. */
  readonly startsWithoutLotNo?: boolean;
  /** Folders outside of the program's folder whose files arguments can name. */
  readonly allowedFolders: readonly string[];
  /** The group into which tasks are copied that the program adopts. Absent: the stack is no trial. */
  readonly trialGroup?: string | undefined;
  /** Whether `webextract:forceDestroy` allows the removal of this task's rows. */
  forceDestroy(taskId: string): boolean;
}

/** The meaning of subtask statuses, without regard to case. Any other status means "running". */
export interface Statuses {
  readonly finished: readonly string[];
  readonly failed: readonly string[];
  readonly stopped: readonly string[];
}

/**
 * How the service takes the loops of updateTaskParameters, as far as this process knows. The contract has them inside
 * the actions. Some services may ignore them there and respond with a success, and a run would then be paid for the old
 * list. `unconfirmed`: a response did not repeat what was sent. `inActions`: getActions has shown that a loop was
 * written. `alone`: it has shown none, so updateLoopItems sends each of them.
 */
export interface LoopWay {
  found?: "unconfirmed" | "inActions" | "alone";
}

/** The names of the properties that the service shows, by actionId. */
export type PropertyNames = ReadonlyMap<unknown, readonly string[]>;

/** The source of copies that this run has made. The copies share the object, so the source is read once for all. */
export interface Template {
  readonly taskId: string;
  /** By the action types that were asked for. */
  readonly names: Map<string, Promise<PropertyNames>>;
}

/** What a process knows of the tasks of an account, as one resource sees them. */
export interface Tasks {
  /** Reads the actions of many tasks in one request. */
  readonly actions: ActionReader;
  /** How the service takes loops. The same for all resources of the process that use this service. */
  readonly loopWay: LoopWay;
  /** Runs the writing calls of one task one at a time, across resources. */
  exclusive<T>(taskId: string, work: () => Promise<T>): Promise<T>;
  /**
   * Whether a resource that this command creates or updates manages this part of a task. The delete of another resource
   * must not undo it.
   */
  isOwnedElsewhere(taskId: string, part: OwnedPart): boolean;
  /**
   * The title of a resource that has this too: this command declares, adopts or writes it. The delete of another
   * resource must not undo it.
   */
  heldBy(held: Held): string | undefined;
  /** Notes that the service has said that a task is gone, or exists and has these actions. */
  saw(taskId: string, presence: "there" | "gone", actions?: readonly Record<string, unknown>[]): void;
  /** Notes that this run has copied a task. */
  copied(taskId: string, sourceTaskId: string): void;
  /** Notes a run that the service says it has started. False if a resource that this command has seen has that run. */
  isNewRun(taskId: string, lotNo: string): boolean;
  /** The source of a task that this run has copied. Nobody else has configured the copy then. */
  templateOf(taskId: string): Template | undefined;
}

/** What a resource uses to do its work. */
export interface Context {
  readonly client: ServiceClient;
  readonly tasks: Tasks;
  readonly settings: ServiceTraits;
  /** The program's folder. File names are relative to it. */
  readonly folder: string;
  /** Remembers requests that must not be sent twice, beyond this process. Absent if the resource's URN is not known. */
  readonly journal?: RequestJournal;
  /** Hides each credential that the configuration contains or that is in use, also those of other profiles. */
  redact(text: string): string;
  /** Shows a warning beside the resource. */
  warn(message: string): void;
  /** Shows the progress of a long step. Each message replaces the previous one. */
  progress(message: string): void;
  /** Milliseconds since an arbitrary moment. Only differences are meaningful. */
  now(): number;
  /** Ends early when the command is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when the user interrupts the command. Steps that only wait end then, and keep what exists. */
  readonly interrupted: AbortSignal;
  /** The instance that a create replaces, for resources that need to know it. */
  readonly replaced?: Replaced;
  /** Whether a delete comes before its replacement, and so before what the program declares later. */
  readonly isDeletedFirst?: boolean;
}

/** State of a resource that can restore what the service had before. */
export interface DriftState {
  /** Settings that somebody else changed, as a read found, until the next write. The resource must not restore them. */
  drifted?: SettingId[];
}

/** State that every resource can have. */
export interface PendingState {
  /** What is still to do after a failure. Reads keep it, and it causes an update. */
  pending?: string[];
}
