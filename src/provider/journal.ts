import { createHash, randomBytes } from "node:crypto";
import { isMadeUpId } from "../resources/task/lostAnswer";
import type { OnceOperation, OnceRequest, RequestJournal } from "../resources/task/requestJournal";
import { ageOf } from "../resources/task/requestJournal";
import { canonical } from "../resources/values";
import { isServiceError } from "../service/errors/errors";
import type { Entry, JournalFiles, ResourceName } from "./journalFiles";
import { keyOf } from "./journalFiles";

/** An entry counts for so long: later the state or the service may have gone on without it. Milliseconds. */
const countsFor = 24 * 3600 * 1000;

const operations: readonly OnceOperation[] = ["copyTask", "startTask", "append"];

/** How far an entry of this process has come on its way into the state. */
interface OwnEntry {
  answered: boolean;
  id?: string;
  takenOver?: boolean;
  /** The step that sent the request has ended: what it made goes to the engine, also where the step then failed. */
  returned?: boolean;
  /** Its result is on its way to the engine, which saves it. */
  handedOver?: boolean;
}

/** What the engine showed of a resource, in which step. `diff`: it stays. `replace`: it may not. */
export interface Sighting {
  step: "diff" | "replace" | "read" | "update" | "delete" | "created";
  id: string;
  /** The arguments that its state holds, without options. */
  args: object;
}

/**
 * The requests of this machine that must not be sent twice. For when the engine or this process is killed after the service answered and
 * before the engine saved: then the next run makes the resource again, and nothing but this journal knows of the first one.
 *
 * An entry goes when the state is known to hold what it is about: when the engine ends this process in the ordinary way, after it was
 * handed the result; or when it shows the resource with that result to any later process.
 */
export class Journal {
  private readonly own = new Map<string, OwnEntry>();
  /** What earlier processes left. */
  private atStart: Promise<{ key: string; entry: Entry }[]> | undefined;
  private underWay = 0;
  private isClosed = false;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly files: JournalFiles,
    private readonly warn: (message: string, urn?: string) => void,
    /** Origins at which the present service was before: what was noted there counts here. */
    private readonly movedFrom: readonly string[] = [],
  ) {}

  /** The part that concerns one resource. */
  of(name: ResourceName): RequestJournal {
    return {
      earlier: async (operation, inputs) => {
        const entry = this.own.get(keyOf(operation, name))?.answered ? undefined : await this.noted(operation, name);
        if (entry === undefined) {
          return undefined;
        }
        const counts = Date.now() - entry.time <= countsFor && entry.inputs === hashOf(entry.salt, inputs);
        return { what: entry.what, sentAt: entry.time, id: entry.id, counts, detail: entry.detail };
      },
      takeOver: (operation, id) => {
        for (const key of this.keysOf(operation, name)) {
          this.own.set(key, { answered: true, id, takenOver: true });
        }
      },
      forget: async (operation) => {
        for (const key of this.keysOf(operation, name)) {
          await this.drop(key);
        }
      },
      once: (request, send, idOf) => this.once(name, request, send, idOf),
    };
  }

  /** To be called for each resource that the engine shows; a name without a URN is of a request that didn't tell it. */
  async saw(name: Omit<ResourceName, "urn"> & { urn?: string }, sighting: Sighting): Promise<void> {
    const { urn, origin, profile } = name;
    this.atStart ??= this.files.all();
    // A resource that was given another name since has another URN too, and its state holds what was noted under the old one.
    for (const { key, entry } of await this.atStart) {
      const here = this.originsOf(origin).includes(entry.origin) && entry.profile === profile;
      const isOfKind = urn === undefined || (typeOf(urn) === typeOf(entry.urn) && entry.operation !== "append");
      if (here && isOfKind && !this.own.has(key) && isInState(entry, sighting)) {
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

  /** Whether the resource that is to be deleted is what this process took over in its place. */
  isTakenOver(name: ResourceName, id: string): boolean {
    return this.allKeysOf(name).some((key) => {
      const own = this.own.get(key);
      return own?.takenOver === true && own.id === id;
    });
  }

  /** A step of this resource has ended, and the engine is told what it made. */
  returned(name: ResourceName): void {
    for (const key of this.allKeysOf(name)) {
      const own = this.own.get(key);
      if (own !== undefined) {
        own.returned = true;
      }
    }
  }

  /** The results of all steps that have ended are on their way to the engine, which will save them. */
  handedOver(): void {
    for (const own of this.own.values()) {
      own.handedOver ||= own.returned;
    }
  }

  /** The engine ends this process: it has saved all that it was handed over. */
  dropSaved(): void {
    for (const [key, own] of this.own) {
      if (own.answered && own.handedOver) {
        this.files.removeNow(key);
      }
    }
  }

  /** Lets no further request out, and resolves when those under way have been answered and noted. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.underWay > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** The key of such a request, and those that it had where the service was before. */
  private keysOf(operation: OnceOperation, name: ResourceName): string[] {
    return this.originsOf(name.origin).map((origin) => keyOf(operation, { ...name, origin }));
  }

  private allKeysOf(name: ResourceName): string[] {
    return operations.flatMap((operation) => this.keysOf(operation, name));
  }

  private originsOf(origin: string): string[] {
    return [...new Set([origin, ...this.movedFrom])];
  }

  private async noted(operation: OnceOperation, name: ResourceName): Promise<Entry | undefined> {
    for (const key of this.keysOf(operation, name)) {
      const entry = (await this.files.mayHave(key)) ? await this.files.read(key) : undefined;
      if (entry !== undefined) {
        return entry;
      }
    }
    return undefined;
  }

  private async once<T>(
    name: ResourceName,
    { operation, inputs, what, detail = {} }: OnceRequest,
    send: () => Promise<T>,
    idOf: (answer: T) => string | undefined,
  ): Promise<T> {
    const [key = "", ...keysBefore] = this.keysOf(operation, name);
    const salt = randomBytes(16).toString("hex");
    const entry: Entry = {
      version: 1,
      operation,
      ...name,
      what,
      time: Date.now(),
      salt,
      inputs: hashOf(salt, inputs),
      answered: false,
      detail,
    };
    this.refuseWhenClosed();
    this.underWay++;
    try {
      await this.files.write(key, entry);
      // As it takes the place of one that was noted here.
      for (const before of keysBefore) {
        await this.files.remove(before);
      }
      if (this.isClosed) {
        await this.files.remove(key);
      }
      this.refuseWhenClosed();
      this.own.set(key, { answered: false });
      const answer = await send();
      const id = idOf(answer);
      this.own.set(key, { answered: true, id });
      await this.complete(key, { ...entry, answered: true, id });
      return answer;
    } catch (error) {
      if (isServiceError(error) && error.outcome === "notExecuted") {
        await this.drop(key);
      }
      throw error;
    } finally {
      this.underWay--;
      if (this.underWay === 0) {
        this.waiting.splice(0).forEach((resolve) => {
          resolve();
        });
      }
    }
  }

  private refuseWhenClosed(): void {
    if (this.isClosed) {
      throw new Error("Pulumi's engine is gone, so nothing more is sent.");
    }
  }

  /** Where the engine was killed meanwhile, a later run may have noted something else in its place. */
  private async complete(key: string, entry: Entry): Promise<void> {
    const now = await this.files.read(key);
    if (now?.salt === entry.salt) {
      await this.files.write(key, entry);
    }
  }

  private async drop(key: string): Promise<void> {
    this.own.delete(key);
    await this.files.remove(key);
  }

  private async judge(key: string, urn: string, sighting: Sighting): Promise<void> {
    const entry = await this.files.read(key);
    if (entry === undefined) {
      return;
    }
    const { step, id } = sighting;
    const isAdopted = step === "created" && entry.id === undefined;
    const isOver = isAdopted || (step === "delete" && (entry.operation === "append" || isMadeUpId(id)));
    if (isOver || isInState(entry, sighting)) {
      await this.files.remove(key);
    } else if (entry.operation === "append") {
      // The next write looks at the list first.
    } else if (isMadeUpId(id)) {
      this.warnOfAnswer(entry, urn);
    } else if (step !== "replace" && step !== "read" && step !== "update") {
      this.warnOfOrphan(entry, id, urn);
      await this.files.remove(key);
    }
  }

  private warnOfAnswer({ what, id, operation, ...entry }: Entry, urn: string): void {
    const adopt = operation === "copyTask" ? "adoptTaskId" : "adoptLotNo";
    if (id !== undefined) {
      const sent = `The ${what}, sent ${ageOf({ sentAt: entry.time })}, was answered after the run that sent it had ended`;
      this.warn(`${sent}: it made "${id}". Set ${adopt}: "${id}" to take it over.`, urn);
    }
  }

  private warnOfOrphan({ what, id, time }: Entry, shownId: string, urn: string): void {
    const sent = `${ageOf({ sentAt: time })} by a run that was ended before it could be saved`;
    const message =
      id === undefined
        ? `A ${what} was asked for ${sent}: it may exist at the service, and no state holds it.`
        : `"${id}" (a ${what}) was made ${sent}. No state holds it, for this resource is "${shownId}".`;
    this.warn(`${message} Look for it at the service; nothing here will look after it.`, urn);
  }
}

/** Whether what was shown is what the request led to. */
function isInState({ operation, id, salt, inputs }: Entry, shown: Sighting): boolean {
  return operation === "append" ? inputs === hashOf(salt, shown.args) : id !== undefined && id === shown.id;
}

/** Of `urn:pulumi:stack::project::parent$type::name`: the type. */
function typeOf(urn: string): string | undefined {
  return urn.split("::")[2]?.split("$").at(-1);
}

/** Salted, for inputs may hold secrets that are short enough to be guessed. */
function hashOf(salt: string, inputs: object): string {
  return createHash("sha256")
    .update(`${salt}\n${canonical(inputs)}`)
    .digest("hex");
}
