import { randomUUID } from "node:crypto";
import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import { Seal } from "../store/seal";
import type { SharedStore } from "../store/sharedStore";
import type { Processes } from "../system/processes";
import { messageOf, ResourceError } from "../values/errors";
import { isRecord, madeOnce } from "../values/plain";
import { urnAs } from "../values/urn";
import type { OwnerState } from "./journalOwner";
import { JournalOwner } from "./journalOwner";
import type { Entry, JournalPlace } from "./journalPlace";
import { namesOf } from "./journalPlace";

/** An entry, and who may change it. */
interface OwnedEntry extends Entry {
  owner: string;
}

/** An object: the entries of one operation of one resource. */
interface Shelf {
  etag: string;
  entries: OwnedEntry[];
}

/** An object before anything has the URN or the id with which it can be read. */
interface SealedShelf {
  etag: string;
  sealed: string;
  /** The URN, sealed by the id of what was made: a renamed resource has another URN than its entry. */
  byId: Record<string, string>;
}

/**
 * The journal of several machines in an object store. The name of an object is that of a resource and an operation, so
 * the conditional write of an entry decides who may send the request. Only who knows the URN, or the id of what was
 * made, can read it.
 */
export class JournalStore implements JournalPlace {
  readonly areKept = true;
  readonly isRemote = true;
  readonly reader = "";
  /** As they were read at the start, by name. */
  private sealed = new Map<string, SealedShelf>();
  private readonly shelves = new Map<string, Shelf>();
  /** The salts of entries that are to be removed, by the name of their object. */
  private readonly removed = new Map<string, Set<string>>();
  /** One write at a time for each object. */
  private readonly writers = new Map<string, LimitFunction>();
  private readonly owner: JournalOwner;
  private readonly few = pLimit(32);
  private readonly removals: Promise<unknown>[] = [];
  private problem: string | undefined;

  constructor(
    private readonly shared: SharedStore,
    processes: Processes,
    private readonly warnOnce: (message: string) => void,
    private readonly interrupted: AbortSignal,
  ) {
    this.owner = new JournalOwner(shared, processes);
  }

  get problems(): string[] {
    return this.problem === undefined ? [] : [this.problem];
  }

  problemOf(): string | undefined {
    return this.problem;
  }

  /** Reads all objects, because a renamed resource finds its entry by an id. Their entries come with {@link open}. */
  async all(): Promise<Entry[]> {
    try {
      const names = await this.shared.names("journal");
      await Promise.all(names.map((name) => this.few(() => this.readSealed(name))));
    } catch (error) {
      this.noteUnreadable(error);
    }
    return [];
  }

  /** The objects that concern a resource, or what has this id. */
  concerned(urn: string, id: string): string[] {
    if (this.sealed.size === 0) return [];
    const own = sealOf(urn).name;
    const ofId = id === "" ? undefined : sealOfId(id).name;
    return [...this.sealed].flatMap(([name, { byId }]) =>
      name.startsWith(`journal/${own}.`) || (ofId !== undefined && Object.hasOwn(byId, ofId)) ? [name] : [],
    );
  }

  async open(name: string, urn: string, id: string): Promise<Entry[]> {
    const shelf = this.sealed.get(name);
    if (shelf === undefined) return [];
    const hint = id === "" ? undefined : shelf.byId[sealOfId(id).name];
    const named = hint === undefined ? undefined : sealOfId(id).open(Buffer.from(hint, "base64"));
    const entries = sealOf(isRecord(named) ? String(named.urn) : urn).open(Buffer.from(shelf.sealed, "base64"));
    if (!Array.isArray(entries)) {
      this.noteUnreadable(new Error(`${this.shared.path(name)} was changed by another program: remove it.`));
      return [];
    }
    this.shelves.set(name, { etag: shelf.etag, entries: entries as OwnedEntry[] });
    return await this.valid(name);
  }

  sealedPaths(): string[] {
    return [...this.sealed.keys()]
      .filter((name) => !this.shelves.has(name) && !name.endsWith(".moved"))
      .map((name) => this.shared.path(name));
  }

  async isRunning(entry: Entry): Promise<boolean> {
    return (await this.stateOf(entry as OwnedEntry)).is === "running";
  }

  async latest(entry: Entry): Promise<Entry | undefined> {
    const name = nameOf(entry);
    await this.readSealed(name);
    const entries = await this.open(name, entry.urn, "");
    return entries.find(({ salt }) => salt === entry.salt);
  }

  /**
   * @throws ResourceError for a request that is to be sent, if another command was faster or the store cannot be used.
   * What is known later is only a warning
   */
  async write(entry: Entry): Promise<void> {
    const isNoted = this.shelves.get(nameOf(entry))?.entries.some(({ salt }) => salt === entry.salt) === true;
    const isRequest = !isNoted && entry.id === undefined && entry.operation !== "export";
    const problem = await this.writeProblem(entry);
    if (problem === undefined) return;
    if (isRequest) {
      const remedy = problem.remedy.replace(/ ?Run the same command again\.$/, "");
      throw new ResourceError(`${problem.what}. Nothing was sent. ${remedy} Run "pulumi up" again.`);
    }
    this.warnOnce(`${problem.what}: if this run is killed, the next one may not know its result. ${problem.remedy}`);
  }

  async writeProblem(entry: Entry): Promise<{ what: string; remedy: string } | undefined> {
    const name = nameOf(entry);
    try {
      await this.owner.requireAlive();
      const isWritten = await this.changed(name, entry.urn, (entries) => [
        ...entries.filter(({ salt }) => salt !== entry.salt),
        { ...entry, owner: this.owner.id },
      ]);
      // Otherwise another command may have looked before this entry was there, and sent the request.
      await this.owner.requireAlive();
      if (isWritten) return undefined;
      const what = `Another command has changed the journal entry ${this.path(entry)} since this one began`;
      return {
        what,
        remedy: "If it is another stack with the same names, give each stack its own webextract:journal.",
      };
    } catch (error) {
      if (!(error instanceof ResourceError)) throw error;
      return { what: `The journal in ${this.shared.address} cannot be written`, remedy: error.message };
    }
  }

  remove(entry: Entry): void {
    const name = nameOf(entry);
    const gone = madeOnce(this.removed, name, () => new Set<string>()).add(entry.salt);
    const remove = async (): Promise<unknown> => {
      const isThere = this.shelves.get(name)?.entries.some(({ salt }) => gone.has(salt)) === true;
      return isThere && this.changed(name, entry.urn, (entries) => entries);
    };
    // Otherwise the next command that sees the resource removes it.
    this.removals.push(this.few(remove).catch(() => undefined));
  }

  path(entry: Entry): string {
    return this.shared.path(nameOf(entry));
  }

  /** Says first which entries stay, because the process can be ended before all others are removed. */
  async close(): Promise<void> {
    const open = [...this.shelves].flatMap(([name, { entries }]) =>
      entries.filter(({ owner, salt }) => owner === this.owner.id && this.removed.get(name)?.has(salt) !== true),
    );
    await this.owner.end(open.map(({ salt }) => salt));
    await Promise.all(this.removals);
  }

  private noteUnreadable(error: unknown): void {
    this.problem = `The journal in ${this.shared.address} cannot be read. It may name a copy or a run that no state holds, so this request was not sent. ${messageOf(error)}`;
  }

  /** If it cannot be read, nothing is sent. */
  private async stateOf({ owner }: OwnedEntry): Promise<OwnerState> {
    return await this.owner.look(owner).catch((error: unknown) => {
      this.noteUnreadable(error);
      return { is: "dead" };
    });
  }

  private async readSealed(name: string): Promise<void> {
    const found = await this.shared.get(name, this.interrupted);
    this.shelves.delete(name);
    this.sealed.delete(name);
    if (found === undefined) return;
    const content: unknown = JSON.parse(found.body.toString());
    const { sealed, byId } = isRecord(content) ? content : {};
    if (typeof sealed !== "string" || !isRecord(byId)) throw new SyntaxError(`${this.shared.path(name)} is no entry.`);
    this.sealed.set(name, { etag: found.etag, sealed, byId: byId as Record<string, string> });
  }

  /** Without those of a command that has ended as usual: the network held them back, or it had no time to remove them. */
  private async valid(name: string): Promise<OwnedEntry[]> {
    const { entries = [] } = this.shelves.get(name) ?? {};
    const states = await Promise.all(entries.map((entry) => this.stateOf(entry)));
    return entries.filter((entry, index) => {
      const isVoid = states[index]?.is === "ended" && !states[index].open.includes(entry.salt);
      if (isVoid) this.remove(entry);
      return !isVoid;
    });
  }

  /** False if another process has changed the object. */
  private async changed(name: string, urn: string, change: (entries: OwnedEntry[]) => OwnedEntry[]): Promise<boolean> {
    return await madeOnce(this.writers, name, () => pLimit(1))(async () => {
      const shelf = this.shelves.get(name);
      const gone = this.removed.get(name);
      const entries = change((shelf?.entries ?? []).filter(({ salt }) => gone?.has(salt) !== true));
      if (entries.length === 0) {
        this.shelves.delete(name);
        return shelf === undefined || (await this.shared.remove(name, shelf.etag));
      }
      const etag = await this.shared.write(name, bodyOf(urn, entries), shelf?.etag);
      if (etag === undefined) return false;
      this.shelves.set(name, { etag, entries });
      return true;
    });
  }
}

function bodyOf(urn: string, entries: readonly OwnedEntry[]): Buffer {
  const seals = entries.flatMap(namesOf).map(sealOfId);
  const byId = seals.map((seal) => [seal.name, seal.close({ urn }).toString("base64")]);
  const sealed = sealOf(urn).close(entries).toString("base64");
  return Buffer.from(JSON.stringify({ sealed, byId: Object.fromEntries(byId), nonce: randomUUID() }));
}

function nameOf({ urn, operation }: Entry): string {
  return `journal/${sealOf(urn).name}.${operation}`;
}

const seals = new Map<string, Seal>();

/** The same for a dynamic resource and a native one. Kept, because its derivation takes longer than its use. */
function sealOf(urn: string): Seal {
  return madeOnce(seals, urn, () => new Seal(urnAs(urn, "dynamic"), "journal"));
}

function sealOfId(id: string): Seal {
  return new Seal(id, "journal id");
}
