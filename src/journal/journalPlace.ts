import { createHash } from "node:crypto";
import type { OnceOperation } from "../resources/task/requestJournal";
import { isStoreAddress } from "../store/storeAddress";
import type { ProcessName } from "../system/processes";
import { partsOfUrn, urnAs } from "../values/urn";

/** What identifies a resource in the journal. */
export interface ResourceName {
  /** Empty if the engine's request does not contain it. */
  urn: string;
  /** The address of its service. Earlier versions wrote it without the path. */
  origin: string;
  /** Empty for the credentials of the top level. */
  profile: string;
  /** The credentials of its account. */
  credentials: string;
}

/** One request that must not be sent twice. Contains no secret: only ids, and salted hashes. */
export interface Entry extends Omit<ResourceName, "credentials"> {
  version: 1;
  operation: OnceOperation | "moved";
  what: string;
  /** When it was sent: milliseconds since 1970. */
  time: number;
  salt: string;
  /** The hash of the credentials. Earlier versions wrote none. */
  account?: string;
  inputs: string;
  /** The hash of its argument `retry`. Earlier versions wrote none. */
  retry?: string;
  /** The id of what the request made; undefined before its response, and for an append. */
  id?: string;
  detail: Record<string, unknown>;
  /** The process that sent it. */
  process: ProcessName;
}

/** How far from now an entry can be to count, in milliseconds. */
const countsFor = 30 * 24 * 3600 * 1000;

/** Whether the entry is old, or the clock was wrong. */
export function isFarFromNow({ time }: Entry): boolean {
  return Math.abs(Date.now() - time) > countsFor;
}

/** Whether the request makes something that costs, and that no list shows to be of this request. */
export function isMaking({ operation }: Pick<Entry, "operation">): boolean {
  return operation === "copyTask" || operation === "startTask";
}

/**
 * The same for a dynamic resource and a native one, so that a resource that moves to the other kind finds its entries.
 */
export function keyOf(urn: string): string {
  return createHash("sha256").update(urnAs(urn, "dynamic")).digest("hex").slice(0, 32);
}

/** What finds an entry beside its URN: what was made, and of a start its task. */
export function namesOf({ id, detail }: Entry): string[] {
  return [id, detail.taskId].filter((name) => typeof name === "string");
}

/** What stays where the entries of a stack were before they were moved. Its URN is that of the stack. */
export function markOfMove(urn: string, to: string, process: ProcessName): Entry {
  const stack = urnOfStack(urn);
  const salt = keyOf(stack);
  const known = { origin: "", profile: "", inputs: "", time: Date.now(), what: "journal" };
  return { version: 1, operation: "moved", urn: stack, salt, detail: { to }, process, ...known };
}

export function isMark({ operation }: Entry): boolean {
  return operation === "moved";
}

/** The URN of the stack of a resource. */
export function urnOfStack(urn: string): string {
  const { stack, project } = partsOfUrn(urn);
  return `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`;
}

/** Where the journal of a stack is, as sentences. */
export function movedWords({ detail, process }: Entry, path: string): string {
  const to = String(detail.to);
  const next = isStoreAddress(to)
    ? "Set webextract:journal, or the tokenStore that it follows, to it."
    : `Set webextract:journal to it, only on ${process.host}, which has that folder.`;
  return `The journal of this stack was moved to ${to}, as ${path} says. ${next}`;
}

/** Where the journal is kept. */
export interface JournalPlace {
  readonly areKept: boolean;
  /** Whether a look at it takes a request. */
  readonly isRemote: boolean;
  /** Who finds the entries: the end of a sentence. */
  readonly reader: string;
  /** Why nothing may be sent for a resource: an entry of it may not have been read. */
  problemOf(urn: string): string | undefined;
  /** What could not be read, as sentences. */
  readonly problems: readonly string[];
  /** All entries that can be read without the URN. */
  all(): Promise<Entry[]>;
  /** The names of further entries that concern a resource, or what has this id. */
  concerned?(urn: string, id: string): string[];
  /** The entries behind such a name. */
  open?(name: string, urn: string, id: string): Promise<Entry[]>;
  /** The paths of entries that neither a URN nor an id has opened. Absent: all can be read. */
  sealedPaths?(): string[];
  /** Whether another process, which has written the entry, is running. */
  isRunning(entry: Entry): Promise<boolean>;
  /** The entry as it is now. Undefined if it was removed. */
  latest(entry: Entry): Promise<Entry | undefined>;
  write(entry: Entry): Promise<void>;
  /** Writes an entry, which needs the same permissions as to delete it. Returns why it cannot be, and what to do. */
  writeProblem(entry: Entry): Promise<{ what: string; remedy: string } | undefined>;
  /** Synchronous, because it is called at the end of the process too. */
  remove(entry: Entry): void;
  /** Its name for messages. */
  path(entry: Entry): string;
  /** Before the process ends. */
  close?(): Promise<void>;
}
