import { createHash, randomBytes } from "node:crypto";
import type { ProviderConfig } from "../config/config";
import { ResourceError } from "../resources/resource";
import { isPlaceholderId } from "../resources/task/lostResponse";
import type { OnceOperation, OnceRequest, RequestJournal } from "../resources/task/requestJournal";
import { adoptingArgument, describeMade, describeUncertain, timeOf } from "../resources/task/requestJournal";
import { partsOfUrn, urnAs } from "../resources/urn";
import { canonical } from "../resources/values";
import { isServiceError } from "../service/errors/errors";
import type { Entry, JournalFiles, KeyedEntry, ResourceName } from "./journalFiles";
import { keyOf } from "./journalFiles";
import type { Processes } from "./processes";

/** How long an entry counts, in milliseconds. After that, the state or the service can have changed without it. */
const countsFor = 24 * 3600 * 1000;

const operations: readonly OnceOperation[] = ["copyTask", "startTask", "append", "export"];

/** A resource as the engine shows it. */
export interface Sighting {
  /** Its class, such as `CloudRun`. */
  type: string;
  id: string;
  /** The arguments that its state holds, without options. */
  args: object;
  /** The whole state. */
  state: Readonly<Record<string, unknown>>;
  /** Why no other instance follows. Absent while one can follow. */
  final?: "stays" | "created" | "deleted";
}

/**
 * The requests of this machine that must not be sent twice: copies, starts and appends. It also has the exports that have ended, because a second export
 * of marked rows would find none. The engine or this process can be killed after a request took effect and before the engine saved the state. The next
 * command then makes the same step again, and only this journal contains the first result.
 *
 * Each request has an entry: a file that belongs to one operation, URN, origin and profile. An entry holds the time, the process, a salted hash of the
 * arguments, and words for messages. It is written before the request is sent. After the response, the id of what was made is added, unless a later command
 * has replaced the entry.
 *
 * The next step of the same resource finds the entry. While the process of the entry runs, the step is refused. If the arguments are the same and the entry
 * is at most a day old, the step takes over what the request made. Without an id, nobody knows what was made, and the step sends nothing. In all other
 * cases the step sends its own request, and a warning names what the earlier request made.
 *
 * An entry is dropped when the state contains its result: when the engine shows a resource with that result to a later command, or at the ordinary end of
 * this process, when the engine has saved what the steps returned. It is also dropped when the engine shows the final state of its resource with another
 * result. Then no state holds what the request made, and a warning names it.
 */
export class Journal {
  /** The keys of the entries that this process has written or taken over, the latter with the ids of what was made. */
  private readonly own = new Map<string, string | undefined>();
  /** Those of steps that have ended: their results went to the engine, even if the step failed. */
  private readonly returned = new Set<string>();
  private readonly inProgress = new Map<Promise<unknown>, Entry>();
  /** The entries of earlier processes, by their URNs, and by the ids of what they made. */
  private atStart: Promise<ReadonlyMap<string, KeyedEntry[]>> | undefined;
  private isClosed = false;

  constructor(
    private readonly files: JournalFiles,
    private readonly warn: (message: string, urn?: string) => void,
    /** `movedFrom`: origins that the service had before. Entries of these origins count too. */
    private readonly config: Pick<ProviderConfig, "movedFrom" | "skipsCheckpoints">,
    private readonly processes: Processes,
  ) {}

  /** The part that concerns one resource. */
  of(name: ResourceName): RequestJournal {
    return {
      earlier: async (operation, inputs) => {
        for (const key of this.keysOf(operation, name)) {
          const entry = await this.files.read(key);
          if (entry !== undefined) {
            this.refuseWhileRunning(key, entry);
            return { ...entry, difference: differenceTo(entry, inputs) };
          }
        }
        return undefined;
      },
      takeOver: (operation, id) => {
        for (const key of this.keysOf(operation, name)) {
          this.own.set(key, id);
        }
      },
      forget: async (operation) => {
        for (const key of this.keysOf(operation, name)) {
          this.files.remove(key);
        }
      },
      once: (request, send, idOf) => {
        const entry = this.entryOf(name, request);
        const work = this.send(keyOf(request.operation, name), entry, send, idOf);
        this.inProgress.set(work, entry);
        return work.finally(() => this.inProgress.delete(work));
      },
      done: async (request, id) => {
        const key = keyOf(request.operation, name);
        this.own.set(key, undefined);
        await this.files.write(key, { ...this.entryOf(name, request), id });
      },
    };
  }

  /** Call it for each resource that the engine shows. The URN is empty if the engine's request does not contain it. */
  async saw({ urn, origin, profile }: ResourceName, sighting: Sighting): Promise<void> {
    this.atStart ??= this.files.all().then(indexOf);
    const index = await this.atStart;
    // A renamed resource has another URN than its entry, but the same id. An update of an export can write another file under the same id.
    const names = [urnAs(urn, "dynamic"), sighting.id, String(sighting.state.file)];
    for (const { key, entry } of new Set(names.flatMap((each) => index.get(each) ?? []))) {
      const isHere = this.originsOf(origin).includes(entry.origin) && entry.profile === profile;
      if (isHere && !this.own.has(key) && !this.processes.isRunning(entry.process) && (await this.has(key, entry))) {
        this.judge(key, entry, urn, sighting);
      }
    }
  }

  /** Whether the replacement has taken over the object that is to be deleted. */
  isTakenOver(name: ResourceName, id: string): boolean {
    return this.allKeysOf(name).some((key) => this.own.get(key) === id);
  }

  /** A step of this resource has ended, and its result goes to the engine. */
  noteReturned(name: ResourceName): void {
    for (const key of this.allKeysOf(name).filter((each) => this.own.has(each))) {
      this.returned.add(key);
    }
  }

  /** Says what may exist if the command is ended before the responses to the requests in progress. */
  warnOfRequestsInProgress(): void {
    for (const entry of this.inProgress.values()) {
      this.warn(
        `Interrupted: ${describeUncertain(entry)}. The command ends when the service has responded. If it is ended before, ` +
          'run "pulumi up" again on this machine: it reads the journal and sends no second request.',
        entry.urn,
      );
    }
  }

  /** The engine ends this process as usual, and has saved all results. With skipped checkpoints, it saves them only after that. */
  dropSaved(): void {
    for (const key of this.config.skipsCheckpoints ? [] : this.returned) {
      this.files.remove(key);
    }
  }

  /** Refuses further requests. Resolves when the responses to those in progress are noted. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.inProgress.keys());
  }

  /** The key of such a request, and its keys at the origins that the service had before. */
  private keysOf(operation: OnceOperation, name: ResourceName): string[] {
    return this.originsOf(name.origin).map((origin) => keyOf(operation, { ...name, origin }));
  }

  private allKeysOf(name: ResourceName): string[] {
    return operations.flatMap((operation) => this.keysOf(operation, name));
  }

  private originsOf(origin: string): string[] {
    return [origin, ...this.config.movedFrom];
  }

  /** Whether the file still has this entry: another command can have replaced it. An entry that cannot be read blocks only its own request. */
  private async has(key: string, { salt }: Entry): Promise<boolean> {
    const now = await this.files.read(key).catch(() => undefined);
    return now?.salt === salt;
  }

  /** Another stack with the same names can be running. What it makes belongs to its state. */
  private refuseWhileRunning(key: string, { process, what, time }: Entry): void {
    if (!this.processes.isRunning(process)) {
      return;
    }
    throw new ResourceError(
      `Process ${process.pid} of this machine is running and has sent the request for a ${what}, at ${timeOf(time)}, under the same project, stack and ` +
        `resource names. Nothing was sent. Wait until that command has ended, then run "pulumi up" again. If it is another stack with the same names, ` +
        `give each stack its own folder with webextract:journal. If that process is another program, delete ${this.files.path(key)}.`,
    );
  }

  private async send<T>(
    key: string,
    entry: Entry,
    send: () => Promise<T>,
    idOf: (response: T) => string | undefined,
  ): Promise<T> {
    this.refuseWhenClosed();
    // Read again: a command that has begun since can have noted its request.
    const earlier = await this.files.read(key).catch(() => undefined);
    if (earlier !== undefined) {
      this.refuseWhileRunning(key, earlier);
    }
    await this.files.write(key, entry);
    let isSent = false;
    try {
      this.refuseWhenClosed();
      isSent = true;
      this.own.set(key, undefined);
      const response = await send();
      // Never fails, because the object exists and must reach the state.
      if (await this.has(key, entry)) {
        await this.files.write(key, { ...entry, id: idOf(response) });
      }
      return response;
    } catch (error) {
      if (!isSent || (isServiceError(error) && error.outcome === "notExecuted")) {
        this.own.delete(key);
        if (earlier === undefined) {
          this.files.remove(key);
        } else {
          await this.files.write(key, earlier);
        }
      }
      throw error;
    }
  }

  private entryOf(name: ResourceName, { operation, inputs, what, detail = {} }: OnceRequest): Entry {
    const salt = randomBytes(16).toString("hex");
    return {
      version: 1,
      operation,
      ...name,
      what,
      time: Date.now(),
      salt,
      inputs: hashOf(salt, inputs),
      detail,
      process: this.processes.own,
    };
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) {
      throw new Error("The Pulumi engine has ended, so no further request is sent.");
    }
  }

  private judge(key: string, entry: Entry, urn: string, sighting: Sighting): void {
    const { operation, id, detail } = entry;
    const { final } = sighting;
    if (isInState(entry, sighting)) {
      this.files.remove(key);
      return;
    }
    const isOfResource = urnAs(urn, "dynamic") === urnAs(entry.urn, "dynamic");
    // The next append reads the list first, and the next export looks for the file.
    if (!isOfResource || operation === "append" || operation === "export") {
      return;
    }
    const isPlaceholder = isPlaceholderId(sighting.id);
    if (isPlaceholder && final !== "deleted") {
      // The response came after the process had ended that sent the request.
      if (id !== undefined) {
        this.warn(`${describeMade(entry)}. Set ${adoptingArgument(operation)} to "${id}" to adopt it.`, urn);
      }
      return;
    }
    // An up without its label asks for no new run. The next one under its label does, and takes the run over.
    const isLabelled = final === "stays" && typeof detail.runLabel === "string" && isRecent(entry);
    if (final === undefined || isLabelled) {
      return;
    }
    // Nothing is to be said if the user has adopted the result, or gives up a placeholder, whose delete warns.
    const isSettled = id === undefined && (isPlaceholder || final === "created");
    if (!isSettled) {
      const other = `This resource is "${sighting.id}", so no state holds the other one. Look for it at the service.`;
      this.warn(`${describeMade(entry)}. ${other}`, urn);
    }
    this.files.remove(key);
  }
}

function indexOf(entries: readonly KeyedEntry[]): ReadonlyMap<string, KeyedEntry[]> {
  const index = new Map<string, KeyedEntry[]>();
  for (const each of entries) {
    const { urn, id } = each.entry;
    for (const name of [urnAs(urn, "dynamic"), ...(id === undefined ? [] : [id])]) {
      const same = index.get(name) ?? [];
      same.push(each);
      index.set(name, same);
    }
  }
  return index;
}

function isRecent({ time }: Entry): boolean {
  return Date.now() - time <= countsFor;
}

/** Why this is another request: a part of a sentence. */
function differenceTo(entry: Entry, inputs: object): string | undefined {
  if (entry.inputs !== hashOf(entry.salt, inputs)) {
    return "with other arguments";
  }
  return isRecent(entry) ? undefined : "more than a day ago";
}

/** Whether the shown resource contains the result of the request. */
function isInState({ urn, operation, id, salt, inputs, detail }: Entry, shown: Sighting): boolean {
  if (partsOfUrn(urn).ownType !== shown.type) {
    return false;
  }
  switch (operation) {
    case "append":
      return inputs === hashOf(salt, shown.args);
    case "export":
      return id === shown.state.file && detail.sha256 === shown.state.sha256;
    default:
      return id === shown.id;
  }
}

/** Salted, because inputs can contain secrets that are short enough to be guessed. */
function hashOf(salt: string, inputs: object): string {
  return createHash("sha256")
    .update(`${salt}\n${canonical(inputs)}`)
    .digest("hex");
}
