import { createHash, randomBytes } from "node:crypto";
import type { ProviderConfig } from "../config/config";
import { ResourceError } from "../resources/resource";
import { isPlaceholderId } from "../resources/task/lostResponse";
import type { OnceOperation, OnceRequest, RequestJournal } from "../resources/task/requestJournal";
import { ageOf } from "../resources/task/requestJournal";
import { partsOfUrn } from "../resources/urn";
import { canonical } from "../resources/values";
import { isServiceError } from "../service/errors/errors";
import type { Entry, JournalFiles, ResourceName } from "./journalFiles";
import { EarlierEntries, keyOf } from "./journalFiles";
import type { Processes } from "./processes";

/** How long an entry counts, in milliseconds. After that, the state or the service can have changed without it. */
const countsFor = 24 * 3600 * 1000;

const operations: readonly OnceOperation[] = ["copyTask", "startTask", "append", "export"];

/** A request of this process whose result is not in the state yet. */
interface OwnEntry {
  /** `returned`: the step has ended, and its result goes to the engine, even if the step failed after the request. */
  stage: "sent" | "responded" | "returned";
  id?: string;
  /** An earlier process sent the request, and this one took over what it made. */
  isTakenOver?: boolean;
}

/** What the engine showed of a resource. `stays`, `created` and `deleted` are its final state; after `inProgress`, another instance can follow. */
export interface Sighting {
  step: "stays" | "created" | "deleted" | "inProgress";
  id: string;
  /** The arguments that its state holds, without options. */
  args: object;
  /** The whole state. */
  state: Readonly<Record<string, unknown>>;
}

/**
 * The requests of this machine that must not be sent twice. The engine or this process can be killed after the service responded and before
 * the engine saved the state. The next run then creates the resource again, and only this journal contains the first result.
 *
 * An entry is removed when the state is known to contain the result of the request: when the engine shows the resource with that result to a
 * later process, or at the ordinary end of this process.
 */
export class Journal {
  private readonly own = new Map<string, OwnEntry>();
  /** The entries of earlier processes. */
  private atStart: Promise<EarlierEntries> | undefined;
  /** The requests that have begun, by their keys. */
  private readonly inProgress = new Map<string, Entry>();
  private isClosed = false;
  private waiting: (() => void)[] = [];

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
        const { stage = "sent" } = this.own.get(keyOf(operation, name)) ?? {};
        const entry = stage === "sent" ? await this.noted(operation, name) : undefined;
        if (entry === undefined) {
          return undefined;
        }
        const isSame = entry.inputs === hashOf(entry.salt, inputs);
        const counts = isSame && isRecent(entry);
        return { what: entry.what, sentAt: entry.time, id: entry.id, counts, isSame, detail: entry.detail };
      },
      takeOver: (operation, id) => {
        for (const key of this.keysOf(operation, name)) {
          this.own.set(key, { stage: "responded", id, isTakenOver: true });
        }
      },
      forget: async (operation) => {
        for (const key of this.keysOf(operation, name)) {
          await this.drop(key);
        }
      },
      once: (request, send, idOf) => this.once(name, request, send, idOf),
      done: async (request, id) => {
        const key = keyOf(request.operation, name);
        this.own.set(key, { stage: "responded", id });
        await this.files.write(key, { ...this.entryOf(name, request), id });
      },
    };
  }

  /** Call it for each resource that the engine shows. The URN is absent if the engine's request does not contain it. */
  async saw(name: Omit<ResourceName, "urn"> & { urn?: string }, sighting: Sighting): Promise<void> {
    const { urn, origin, profile } = name;
    this.atStart ??= this.files.all().then((entries) => new EarlierEntries(entries));
    const earlier = await this.atStart;
    // A resource that was renamed since has another URN. Its state holds what was noted under the old URN.
    for (const { key, entry } of urn === undefined ? earlier.all() : earlier.of(madeIn(sighting))) {
      const here = this.originsOf(origin).includes(entry.origin) && entry.profile === profile;
      const isOfKind = urn === undefined || partsOfUrn(urn).ownType === partsOfUrn(entry.urn).ownType;
      const isFree = !this.own.has(key) && !this.isRunning(entry);
      if (here && isOfKind && isInState(entry, sighting) && isFree) {
        earlier.remove({ key, entry });
        await this.files.remove(key);
      }
    }
    if (urn === undefined) {
      return;
    }
    for (const key of this.allKeysOf({ urn, origin, profile })) {
      if (!this.own.has(key) && (await this.files.mayHave(key))) {
        await this.judge(key, urn, sighting);
      }
    }
  }

  /** Whether the replacement has taken over the object that is to be deleted. */
  isTakenOver(name: ResourceName, id: string): boolean {
    return this.allKeysOf(name).some((key) => {
      const own = this.own.get(key);
      return own?.isTakenOver === true && own.id === id;
    });
  }

  /** A step of this resource has ended, and its result goes to the engine. */
  returned(name: ResourceName): void {
    for (const key of this.allKeysOf(name)) {
      const own = this.own.get(key);
      if (own?.stage === "responded") {
        own.stage = "returned";
      }
    }
  }

  /** Says what may exist if the command is ended before the responses to the requests in progress. */
  warnOfRequestsInProgress(): void {
    for (const { what, operation, urn } of this.inProgress.values()) {
      this.warn(
        `Interrupted: a ${what} may ${operation === "startTask" ? "have started" : "exist"}. The command ends when the service has responded. If it is ended before, ` +
          'run "pulumi up" again on this machine: it reads the journal and sends no second request.',
        urn,
      );
    }
  }

  /** The engine ends this process as usual, and has saved all results, unless it skips checkpoints. */
  dropSaved(): void {
    if (this.config.skipsCheckpoints) {
      // The engine saves the state after it has ended this process. The next command drops the entries.
      return;
    }
    for (const [key, own] of this.own) {
      if (own.stage === "returned") {
        this.files.removeNow(key);
      }
    }
  }

  /** Refuses further requests. Resolves when the responses to those in progress are noted. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.inProgress.size > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** The key of such a request, and its keys at the origins that the service had before. */
  private keysOf(operation: OnceOperation, name: ResourceName): string[] {
    return this.originsOf(name.origin).map((origin) => keyOf(operation, { ...name, origin }));
  }

  private allKeysOf(name: ResourceName): string[] {
    return operations.flatMap((operation) => this.keysOf(operation, name));
  }

  private originsOf(origin: string): string[] {
    return [...new Set([origin, ...this.config.movedFrom])];
  }

  private async noted(operation: OnceOperation, name: ResourceName): Promise<Entry | undefined> {
    for (const key of this.keysOf(operation, name)) {
      const entry = (await this.files.mayHave(key)) ? await this.files.read(key) : undefined;
      if (entry !== undefined) {
        this.refuseWhileRunning(key, entry);
        return entry;
      }
    }
    return undefined;
  }

  private isRunning({ process }: Entry): boolean {
    return process !== undefined && this.processes.isRunning(process);
  }

  /** Another stack with the same names can be running. What it makes belongs to its state. */
  private refuseWhileRunning(key: string, entry: Entry): void {
    if (!this.isRunning(entry)) {
      return;
    }
    const { pid, start } = entry.process ?? {};
    const reused =
      start === undefined
        ? ` This system does not show when a process started: if process ${pid} is another program, delete ${this.files.path(key)}.`
        : "";
    throw new ResourceError(
      `Process ${pid} of this machine is running and has sent the request for a ${entry.what}, ${ageOf({ sentAt: entry.time })}, under the same project, stack and ` +
        `resource names. Nothing was sent. Wait until that command has ended, then run "pulumi up" again. If it is another stack with the same names, ` +
        `give each stack its own folder with webextract:journal.${reused}`,
    );
  }

  private async once<T>(
    name: ResourceName,
    request: OnceRequest,
    send: () => Promise<T>,
    idOf: (response: T) => string | undefined,
  ): Promise<T> {
    const [key = "", ...keysBefore] = this.keysOf(request.operation, name);
    const entry = this.entryOf(name, request);
    this.refuseWhenClosed();
    this.inProgress.set(key, entry);
    try {
      // Read again: a command that has begun since can have noted its request.
      const earlier = await this.files.read(key).catch(() => undefined);
      if (earlier !== undefined) {
        this.refuseWhileRunning(key, earlier);
      }
      return await this.send({ key, keysBefore, entry, earlier }, send, idOf);
    } finally {
      this.inProgress.delete(key);
      if (this.inProgress.size === 0) {
        this.waiting.splice(0).forEach((resolve) => {
          resolve();
        });
      }
    }
  }

  private async send<T>(
    {
      key,
      keysBefore,
      entry,
      earlier,
    }: { key: string; keysBefore: string[]; entry: Entry; earlier: Entry | undefined },
    send: () => Promise<T>,
    idOf: (response: T) => string | undefined,
  ): Promise<T> {
    try {
      await this.files.write(key, entry);
      // The new entry replaces them.
      for (const before of keysBefore) {
        await this.files.remove(before);
      }
      if (this.isClosed) {
        await this.files.remove(key);
      }
      this.refuseWhenClosed();
      this.own.set(key, { stage: "sent" });
      const response = await send();
      const id = idOf(response);
      this.own.set(key, { stage: "responded", id });
      await this.complete(key, { ...entry, id });
      return response;
    } catch (error) {
      if (isServiceError(error) && error.outcome === "notExecuted") {
        await this.drop(key);
        if (earlier !== undefined) {
          await this.files.write(key, earlier);
        }
      }
      throw error;
    }
  }

  private entryOf(name: ResourceName, { operation, inputs, what, detail = {} }: OnceRequest): Entry {
    const salt = randomBytes(16).toString("hex");
    const process = this.processes.own;
    return {
      version: 1,
      operation,
      ...name,
      what,
      time: Date.now(),
      salt,
      inputs: hashOf(salt, inputs),
      detail,
      process,
    };
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) {
      throw new Error("The Pulumi engine has ended, so no further request is sent.");
    }
  }

  /**
   * Notes the result, unless this engine was killed and a later run has replaced the entry. Never fails, because the object exists and must
   * reach the state.
   */
  private async complete(key: string, entry: Entry): Promise<void> {
    const now = await this.files.read(key).catch(() => undefined);
    if (now?.salt === entry.salt) {
      await this.files.write(key, entry);
    }
  }

  private async drop(key: string): Promise<void> {
    this.own.delete(key);
    await this.files.remove(key);
  }

  private async judge(key: string, urn: string, sighting: Sighting): Promise<void> {
    // An entry that cannot be read blocks only the request that it is about.
    const entry = await this.files.read(key).catch(() => undefined);
    if (entry === undefined) {
      return;
    }
    if (this.isRunning(entry)) {
      return;
    }
    const { step, id } = sighting;
    const isAdopted = step === "created" && entry.id === undefined;
    const makesNothing = entry.operation === "append" || entry.operation === "export";
    const isOver = isAdopted || (step === "deleted" && (makesNothing || isPlaceholderId(id)));
    if (isOver || isInState(entry, sighting)) {
      await this.files.remove(key);
    } else if (makesNothing) {
      // The next append reads the list first, and the next export looks for the file.
    } else if (isPlaceholderId(id)) {
      this.warnOfResponse(entry, urn);
    } else if (step === "stays" && typeof entry.detail.runLabel === "string" && isRecent(entry)) {
      // An up without its label asks for no new run. The next one under its label does, and takes the run over.
    } else if (step !== "inProgress") {
      this.warnOfOrphan(entry, id, urn);
      await this.files.remove(key);
    }
  }

  private warnOfResponse({ what, id, operation, ...entry }: Entry, urn: string): void {
    const adopt = operation === "copyTask" ? "adoptTaskId" : "adoptLotNo";
    if (id !== undefined) {
      const sent = `The request for a ${what}, sent ${ageOf({ sentAt: entry.time })}, got its response after the run that sent it had ended`;
      this.warn(`${sent}. It made "${id}". Set ${adopt}: "${id}" to adopt it.`, urn);
    }
  }

  private warnOfOrphan({ what, id, time }: Entry, shownId: string, urn: string): void {
    const age = ageOf({ sentAt: time });
    const message =
      id === undefined
        ? `A ${what} was requested ${age} by a run that ended before it could save the result. It may exist at the service.`
        : `"${id}" (a ${what}) was made ${age} by a run that ended before it could save it.`;
    this.warn(
      `${message} This resource is "${shownId}", so no state holds the other one. Look for it at the service.`,
      urn,
    );
  }
}

function isRecent({ time }: Entry): boolean {
  return Date.now() - time <= countsFor;
}

/** Whether the shown resource contains the result of the request. */
function isInState({ operation, id, salt, inputs, detail }: Entry, shown: Sighting): boolean {
  switch (operation) {
    case "append":
      return inputs === hashOf(salt, shown.args);
    case "export":
      return id === shown.state.file && detail.sha256 === shown.state.sha256;
    default:
      return id !== undefined && id === shown.id;
  }
}

/** The ids of the entries that the shown resource can contain. An update of an export can write another file under the same id. */
function madeIn({ id, state }: Sighting): string[] {
  return typeof state.file === "string" ? [id, state.file] : [id];
}

/** Salted, because inputs can contain secrets that are short enough to be guessed. */
function hashOf(salt: string, inputs: object): string {
  return createHash("sha256")
    .update(`${salt}\n${canonical(inputs)}`)
    .digest("hex");
}
