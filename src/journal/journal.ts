import { randomBytes } from "node:crypto";
import type { ProviderConfig } from "../config/config";
import { isPlaceholderId } from "../resources/task/lostResponse";
import type { OnceOperation, OnceRequest, RequestJournal } from "../resources/task/requestJournal";
import { adoptingArgument, describeMade, describeUncertain, timeOf } from "../resources/task/requestJournal";
import { isServiceError } from "../service/errors/errors";
import { isStoreAddress } from "../store/storeAddress";
import type { Processes } from "../system/processes";
import { ResourceError } from "../values/errors";
import { isRecord, madeOnce } from "../values/plain";
import { partsOfUrn } from "../values/urn";
import type { Sighting } from "./entryMatch";
import { hashOf, hasSameCredentials, isInState, isPlaceholderOf, isSameStart } from "./entryMatch";
import type { Entry, JournalPlace, ResourceName } from "./journalPlace";
import { isFarFromNow, isMaking, keyOf, movedWords, namesOf, urnOfStack } from "./journalPlace";

interface Note {
  entry: Entry;
  place: JournalPlace;
  /**
   * `left` by an earlier process. `running`: by one that was still running when it was last looked at. `own`: written
   * or taken over by this process. `returned`: the same, and its step has ended, so that its result went to the engine.
   */
  is: "left" | "running" | "own" | "returned" | "dropped";
  /** Whether the user was told what it says: the state has its placeholder, or a warning named it. */
  isTold?: boolean;
}

/**
 * The requests that must not be sent twice, of this machine or of all that share a store: copies, starts and appends. It also has the exports that
 * have ended, because a second export of marked rows would find none. The engine or this process can be killed after a
 * request took effect and before the engine saved the state. The next command then makes the same step again, and only
 * this journal contains the first result.
 *
 * An entry is written before its request is sent: the resource, the time, the process, a salted hash of the arguments,
 * and words for messages. After the response, the id of what was made is added. The next step of the same resource with
 * the same arguments finds the entry, also in the same process, where the engine repeats a failed step for a hook.
 * While another process of the entry runs, the step is refused. Otherwise it takes over what the request made. Without
 * an id, nobody knows what was made, and the step sends nothing. Neither does it if the entry may be of another account,
 * or of another time.
 *
 * An entry is dropped when the state contains its result: when the engine shows a resource with that result to a later
 * command, or at the ordinary end of this process, when the engine has saved what the steps returned and the response
 * was not lost. It is also dropped when the engine shows the final state of its resource with another result. Then no
 * state holds what the request made, and a warning names it.
 */
export class Journal {
  /** By the key of the resource, and by the id of what was made: a renamed resource has another URN than its entry. */
  private readonly notes = new Map<string, Note[]>();
  private loading: Promise<void> | undefined;
  private judging: Promise<void> | undefined;
  /** What the engine has shown before the journal was read. Of the arguments, which can be large, those of an append. */
  private readonly seen: (() => Promise<void>)[] = [];
  private readonly opening = new Map<string, Promise<void>>();
  private readonly inProgress = new Map<Promise<unknown>, OnceRequest & ResourceName>();
  private isClosed = false;

  constructor(
    private readonly place: JournalPlace,
    private readonly warn: (message: string, urn?: string) => void,
    /** `isPresent`: which entries count. */
    private readonly config: Pick<ProviderConfig, "isPresent" | "skipsCheckpoints">,
    private readonly processes: Processes,
    /** Where this machine had the journal before the token store had a place of its own. */
    private readonly former?: JournalPlace,
  ) {}

  /** The part that concerns one resource. */
  of(name: ResourceName): RequestJournal {
    return {
      isKept: this.place.areKept,
      earlier: (operation, inputs) => this.earlier(name, operation, inputs),
      once: (request, send, idOf) => {
        const work = this.send(name, request, send, idOf);
        this.inProgress.set(work, { ...name, ...request });
        return work.finally(() => this.inProgress.delete(work));
      },
      done: async (request, id) => {
        await this.note(name, request, id);
      },
    };
  }

  /**
   * Call it for each resource that the engine shows. A journal in a store is not read by a command that makes nothing.
   */
  async saw(name: ResourceName, sighting: Sighting): Promise<void> {
    // What was written can be the user's answer to a lost response.
    const isAnswered = isPlaceholderId(sighting.id) || sighting.final === "written";
    if (!this.place.isRemote || this.judging !== undefined || isAnswered) {
      await this.judgeAll(name, sighting);
      return;
    }
    const { args, state } = sighting;
    const { file, sha256, listBefore } = state;
    const brief = { ...sighting, args: appends(args) ? args : {}, state: { file, sha256, listBefore } };
    // What cannot be read now stops the request that needs it.
    this.seen.push(() => this.judgeAll(name, brief).catch(() => undefined));
  }

  private async judgeAll(name: ResourceName, sighting: Sighting): Promise<void> {
    for (const note of await this.left(name.urn, sighting.id)) {
      const isShown = keyOf(note.entry.urn) === keyOf(name.urn) && note.entry.id === sighting.id;
      if (note.is === "left" && (isShown || this.isOfAccount(note.entry, name))) {
        this.judge(note, name.urn, sighting);
      }
    }
  }

  /** Whether this process has made or taken over an object of this resource. */
  has(name: ResourceName, id: string): boolean {
    return this.ownOf(name).some(({ entry }) => entry.id === id);
  }

  /** A step of this resource has ended, and its result goes to the engine. */
  noteReturned(name: ResourceName): void {
    for (const note of this.ownOf(name)) note.is = "returned";
  }

  /** Says what may exist if the command is ended before the responses to the requests in progress. */
  warnOfRequestsInProgress(): void {
    for (const request of this.inProgress.values()) {
      this.warn(
        `Interrupted: ${describeUncertain(request)}. The command ends when the service has responded. If it is ended before, ` +
          `run "pulumi up" again${this.place.reader}: it reads the journal and sends no second request.`,
        request.urn,
      );
    }
  }

  /**
   * The engine ends this process as usual, and has saved all results. With skipped checkpoints, it saves them only
   * after that.
   */
  dropSaved(): void {
    const notes = this.config.skipsCheckpoints ? [] : [...this.notes.values()].flat();
    // Not the entry of a lost response: `pulumi do --stateless` saves nothing, so nothing else would stop a second
    // request.
    const saved = notes.filter(({ is, entry }) => is === "returned" && (entry.id !== undefined || !isMaking(entry)));
    for (const { entry, place } of saved) place.remove(entry);
  }

  /** Refuses further requests. Resolves when the responses to those in progress are noted. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.inProgress.keys());
    await this.place.close?.();
  }

  private async load(): Promise<void> {
    const read = async (place: JournalPlace): Promise<void> => this.found(place, await place.all());
    this.loading ??= read(this.place).then(() => this.former && read(this.former));
    await this.loading;
  }

  /** Before a request: what the state has is no earlier request of it. */
  private async ready(): Promise<void> {
    await this.load();
    this.judging ??= Promise.all(this.seen.splice(0).map((judge) => judge())).then(() => undefined);
    await this.judging;
  }

  private async found(place: JournalPlace, entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (this.notes.get(keyOf(entry.urn))?.some((known) => known.entry.salt === entry.salt) === true) continue;
      const is = (await place.isRunning(entry)) ? "running" : "left";
      this.add({ entry, place, is }, keyOf(entry.urn), ...namesOf(entry));
    }
  }

  private add(note: Note, ...keys: string[]): void {
    for (const key of keys) {
      const notes = this.notes.get(key) ?? [];
      notes.push(note);
      this.notes.set(key, notes);
    }
  }

  /** What earlier processes have left of this resource, or of what has this id, in any account. */
  private async left(urn: string, id = ""): Promise<Set<Note>> {
    await this.load();
    const { place } = this;
    const open = async (name: string): Promise<void> => this.found(place, (await place.open?.(name, urn, id)) ?? []);
    const names = place.concerned?.(urn, id) ?? [];
    await Promise.all(names.map((name) => madeOnce(this.opening, name, () => open(name))));
    const notes = [keyOf(urn), id].flatMap((key) => this.notes.get(key) ?? []);
    await Promise.all(notes.map((note) => this.lookAgain(note)));
    return new Set(notes.filter(({ is }) => is === "left" || is === "running"));
  }

  private isOfService(entry: Entry, { origin }: ResourceName): boolean {
    return this.config.isPresent(entry.origin, origin);
  }

  /** The tokens of a profile can change, and the same credentials can get another name. */
  private isOfAccount(entry: Entry, name: ResourceName): boolean {
    const isSame = entry.profile === name.profile || hasSameCredentials(entry, name) === true;
    return isSame && this.isOfService(entry, name);
  }

  private ownOf({ urn }: ResourceName): Note[] {
    return (this.notes.get(keyOf(urn)) ?? []).filter(({ is }) => is === "own" || is === "returned");
  }

  private async earlier(name: ResourceName, operation: OnceOperation, inputs: object | undefined) {
    await this.ready();
    const { taskId, retry } = (inputs ?? {}) as { taskId?: string; retry?: string };
    const isOther = ({ entry }: Note): boolean => keyOf(entry.urn) !== keyOf(name.urn);
    // A run that no state holds can have another name now, and other arguments: its entry names the task.
    const isOfStack = ({ entry }: Note): boolean => urnOfStack(entry.urn) === urnOfStack(name.urn);
    const found = await this.left(name.urn, operation === "startTask" && retry === undefined ? taskId : "");
    const isSought = ({ entry }: Note): boolean => entry.operation === operation;
    const ofOthers = new Set([...found].filter((note) => !isOther(note) || (isSought(note) && isOfStack(note))));
    const noted = [...ofOthers, ...this.ownOf(name)].filter(isSought);
    const problem = this.place.problemOf(name.urn) ?? (await this.moved(name));
    if (problem !== undefined) throw new ResourceError(problem);
    // Whatever the program has now, a lost response is answered by the user, as with a new string for retry.
    const isLost = ({ entry: { id, salt, retry: sent = hashOf(salt, {}), ...entry } }: Note): boolean =>
      isMaking(entry) && id === undefined && sent === hashOf(salt, { retry });
    const same = noted.filter(
      (each) =>
        inputs === undefined || isOther(each) || isLost(each) || each.entry.inputs === hashOf(each.entry.salt, inputs),
    );
    const doubtful = [...ofOthers].filter((each) => each.is === "left" && this.isInDoubt(each.entry, name));
    for (const each of doubtful) {
      if (same.includes(each)) throw refusal(this.describeDoubt(each.entry, name), this.describeWayOut(each));
      if (isMaking(each.entry)) {
        const next = `Look for it at the service, and delete ${each.place.path(each.entry)}.`;
        this.tell(each, `${this.describeDoubt(each.entry, name)} ${next}`, name.urn);
      }
    }
    const inOrder = same.sort((one, other) => other.entry.time - one.entry.time);
    const note = inOrder.find((each) => !isOther(each)) ?? inOrder[0];
    if (note === undefined) return undefined;
    if (note.is === "running") throw new ResourceError(this.describeRunning(note));
    const made = describeMade(note.entry);
    if (isOther(note) && note.entry.id !== undefined) {
      throw refusal(`${made}, for the resource "${partsOfUrn(note.entry.urn).name}".`, this.describeWayOut(note));
    }
    const isRepeated = !ofOthers.has(note);
    const obstacle = isRepeated ? undefined : await note.place.writeProblem(note.entry);
    if (obstacle !== undefined) {
      throw refusal(`${made}. ${obstacle.what}, so its entry would be taken over again.`, obstacle.remedy);
    }
    const hasOtherCredentials = hasSameCredentials(note.entry, name) === false;
    return { ...note.entry, isRepeated, hasOtherCredentials, takeOver: () => void Object.assign(note, { is: "own" }) };
  }

  /** Why nothing is sent, if the entries of the stack are in another place now. */
  private async moved({ urn }: ResourceName): Promise<string | undefined> {
    const [mark] = [...(await this.left(urnOfStack(urn)))].filter(({ place }) => place === this.place);
    return mark && `${movedWords(mark.entry, mark.place.path(mark.entry))} Nothing was sent.`;
  }

  /** Whether nobody but the user knows if the entry counts. Any append is looked for in the list, at any time. */
  private isInDoubt(entry: Entry, name: ResourceName): boolean {
    return !this.isOfAccount(entry, name) || (isMaking(entry) && isFarFromNow(entry));
  }

  private describeDoubt(entry: Entry, name: ResourceName): string {
    const { origin, profile } = entry;
    const account = (of: string): string => (of === "" ? "no profile" : `profile "${of}"`);
    const reason = !this.isOfService(entry, name)
      ? `and this resource is at ${name.origin} now. If that is the same service, set webextract:movedFrom to ${origin}.`
      : this.isOfAccount(entry, name)
        ? "more than 30 days away from the time of this machine."
        : `and this resource has ${account(name.profile)} now, with other credentials.`;
    return `${describeMade(entry)}, with ${account(profile)} at ${origin}, ${reason}`;
  }

  private describeWayOut({ entry, place }: Note): string {
    const { id } = entry;
    const file = place.path(entry);
    if (!isMaking(entry)) return `If nobody needs it, delete ${file}.`;
    const adopting = `set ${adoptingArgument(entry)} to ${id === undefined ? "its id" : `"${id}"`}`;
    return `Look for it at the service. To adopt it, ${adopting}; to send the request, set retry to a new string or delete ${file}.`;
  }

  /** A process that was running can have noted its response and ended since, or have removed its entry. */
  private async lookAgain(note: Note): Promise<void> {
    if (note.is !== "running" || (await note.place.isRunning(note.entry))) return;
    const latest = await note.place.latest(note.entry);
    note.entry = latest ?? note.entry;
    note.is = latest === undefined ? "dropped" : "left";
  }

  /** Another stack with the same names can be running. What it makes belongs to its state. */
  private describeRunning({ entry, place }: Note): string {
    const { process, what, time } = entry;
    const path = place.path(entry);
    // In a store, a process counts as running for a while after its last sign of life. Nobody else can have its name.
    const isInStore = isStoreAddress(path);
    const ended = isInStore ? "that command has ended (a minute after a kill)" : "that command has ended";
    const mistaken = isInStore ? "" : ` If that process is another program, delete ${path}.`;
    return (
      `Process ${process.pid} of ${process.host === this.processes.own.host ? "this machine" : process.host} is running and has sent a request (${what}), at ${timeOf(time)}, under the same project, stack and ` +
      `resource names. Nothing was sent. Wait until ${ended}, then run "pulumi up" again. If it is another stack with the same names, ` +
      `give each stack its own webextract:journal.${mistaken}`
    );
  }

  /** Writes an entry, in place of the one that this process has for the same operation. */
  private async note(name: ResourceName, request: OnceRequest, id?: string): Promise<Note> {
    await this.ready();
    const { operation, inputs, what, detail = {} } = request;
    const salt = randomBytes(16).toString("hex");
    const { credentials, ...resource } = name;
    const entry: Entry = {
      version: 1,
      operation,
      ...resource,
      what,
      time: Date.now(),
      salt,
      account: hashOf(salt, { credentials }),
      inputs: hashOf(salt, inputs),
      retry: hashOf(salt, { retry: (inputs as { retry?: string }).retry }),
      id,
      detail,
      process: this.processes.own,
    };
    const note: Note = { entry, place: this.place, is: "own" };
    await this.place.write(entry);
    for (const earlier of this.ownOf(name).filter((each) => each.entry.operation === operation)) {
      this.drop(earlier);
    }
    this.add(note, keyOf(name.urn));
    return note;
  }

  private async send<T>(
    name: ResourceName,
    request: OnceRequest,
    send: () => Promise<T>,
    idOf: (response: T) => string | undefined,
  ): Promise<T> {
    if (this.isClosed) throw new Error("The Pulumi engine has ended, so no further request is sent.");
    const note = await this.note(name, request);
    try {
      const response = await send();
      note.entry.id = idOf(response);
      await this.place.write(note.entry);
      return response;
    } catch (error) {
      if (isServiceError(error) && error.outcome === "notExecuted") this.drop(note);
      throw error;
    }
  }

  private judge(note: Note, urn: string, sighting: Sighting): void {
    const { entry } = note;
    const { final, id } = sighting;
    const isMade = isMaking(entry);
    if (isPlaceholderOf(entry, sighting) && final !== "deleted") {
      // The entry stays until the user has answered: a replace that the user requests makes the resource again without a
      // look at its state, and a state can be deleted.
      note.isTold = true;
      return;
    }
    if (isInState(entry, sighting)) {
      this.drop(note);
      return;
    }
    // The next append reads the list first, and the next export looks for the file. An up without its label asks for no
    // new run: the next one under its label does, and takes the run over.
    const isWaiting = final === "stays" && (!isMade || typeof entry.detail.runLabel === "string");
    if (keyOf(urn) !== keyOf(entry.urn) || final === undefined || isWaiting) return;
    if (isMade) {
      const other =
        entry.id === undefined && isSameStart(entry, sighting) !== false
          ? `It can be "${id}" itself, which this resource is now. No state holds any other one: look for it at the service.`
          : `This resource is "${id}" now, and no state holds any other one. Look for it at the service.`;
      this.tell(note, `${describeMade(entry)}. ${other}`, urn);
      this.drop(note);
    } else {
      // Obsolete when the engine has saved this step.
      note.is = "own";
    }
  }

  private tell(note: Note, message: string, urn: string): void {
    if (note.isTold !== true) this.warn(message, urn);
    note.isTold = true;
  }

  private drop(note: Note): void {
    note.is = "dropped";
    note.place.remove(note.entry);
  }
}

function appends(args: unknown): boolean {
  return isRecord(args) && (args.mode === "append" || Object.values(args).some(appends));
}

function refusal(what: string, next: string): ResourceError {
  return new ResourceError(`${what} Nothing was sent. ${next} Then run "pulumi up" again.`);
}
