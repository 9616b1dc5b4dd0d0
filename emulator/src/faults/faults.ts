import type { Behaviour } from "../behaviour";
import type { OperationName } from "../contract";
import { Refusal } from "../errors";
import type * as described from "../generated/admin";
import { Random } from "./random";

/** A fault of later requests. */
export interface Fault extends described.Fault {}

/** Kind of a fault. docs/faults.md lists what a client sees. `hold`: no response until the test releases the request; see `emulator.hold`. */
export type FaultKind = Fault["kind"] | "hold";

/** What a fault applies to: an operation, any operation (`*`), or a page that a run loads. */
export type FaultTarget = Fault["operation"];

/** Faults, and the behaviours that go with them, as a file has them. */
export interface FaultFile {
  /** Behaviours to change. */
  behaviour?: Partial<Behaviour>;
  /** All faults. Default: none. */
  faults?: readonly Fault[];
}

/** A fault that can still happen. */
export interface FaultView extends described.PlannedFault {}

/** A hold that is not released. */
export interface HoldView extends described.Hold {}

/** Requests that wait until a test releases them. */
export interface Hold {
  /** Identifies it, also for the admin API. */
  readonly id: string;
  /** Resolves when the first request has arrived and, with `after`, has taken effect. */
  readonly reached: Promise<void>;
  /** Releases the waiting requests and later ones. */
  release(): void;
}

/** A fault, or a hold. */
export interface FaultOrHold extends Omit<Fault, "kind"> {
  kind: FaultKind;
}

/** A fault with its defaults. */
export interface PlannedFault extends FaultOrHold {
  id: string;
  when: "before" | "after";
  times: number;
  skip: number;
  happened: number;
  gate: Gate;
  /** Chooses requests by `probability`. */
  random: Random;
}

/** The faults of one moment, without holds. */
export type SavedFaults = readonly Omit<PlannedFault, "gate">[];

class Gate implements Hold {
  readonly id: string;
  readonly reached: Promise<void>;
  isReached = false;
  waiting = 0;
  private arrived: () => void = () => undefined;
  /** Resolves when it is released. */
  readonly opened: Promise<void>;
  private open: () => void = () => undefined;
  private readonly released: () => void;

  constructor(id: string, released: () => void) {
    this.id = id;
    this.released = released;
    this.reached = new Promise((resolve) => {
      this.arrived = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  /** A request has arrived. */
  arrive(): void {
    this.isReached = true;
    this.arrived();
  }

  async pass(): Promise<void> {
    this.waiting += 1;
    this.arrive();
    await this.opened;
    this.waiting -= 1;
  }

  release(): void {
    this.open();
    this.released();
  }
}

/** The faults of later requests. Each request takes the first fault that matches. */
export class FaultPlan {
  /** Faults that can still happen. */
  private faults: PlannedFault[] = [];
  /** Holds that are not released, with those that no later request can reach. */
  private readonly held = new Map<string, PlannedFault>();
  private last = 0;

  /** @param changed is called after each change of the faults and holds. */
  constructor(private readonly changed: () => void) {}

  /**
   * @param fault is valid according to admin.openapi.yaml.
   * @throws Refusal if no response can have the body, or if the fault needs the response of an operation that takes no effect.
   */
  add(fault: FaultOrHold): PlannedFault {
    checkFault(fault);
    const spoils = spoiling.includes(fault.kind) || fault.kind === "late";
    this.last += 1;
    const id = `${fault.kind}-${this.last}`;
    const planned: PlannedFault = {
      ...fault,
      id,
      when: fault.when ?? (spoils && fault.operation !== "page" ? "after" : "before"),
      times: fault.times ?? (fault.probability === undefined ? 1 : Number.POSITIVE_INFINITY),
      skip: fault.skip ?? 0,
      happened: 0,
      gate: new Gate(id, () => this.forget(id)),
      random: new Random(fault.seed ?? 0),
    };
    this.faults.push(planned);
    if (fault.kind === "hold") this.held.set(id, planned);
    this.changed();
    return planned;
  }

  /** The fault of a request, or of the page with a URL. */
  take(operation: OperationName | "page", taskIds: readonly unknown[], url = ""): PlannedFault | undefined {
    for (const fault of this.faults) {
      const matches =
        (fault.operation === operation || (fault.operation === "*" && operation !== "page")) &&
        (fault.taskId === undefined || taskIds.includes(fault.taskId)) &&
        (fault.url === undefined || fitsPattern(url, fault.url));
      if (!matches) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        return undefined;
      }
      // A request that a probability spares can have another fault.
      if (!isChosen(fault)) continue;
      fault.times -= 1;
      fault.happened += 1;
      if (fault.times <= 0) this.faults = this.faults.filter((other) => other !== fault);
      this.changed();
      return fault;
    }
    return undefined;
  }

  /** Faults that can still happen, without holds. */
  get views(): FaultView[] {
    return this.faults.filter(({ kind }) => kind !== "hold").map(viewOf);
  }

  get holds(): HoldView[] {
    return [...this.held.values()].map(holdView);
  }

  hold(id: string): PlannedFault | undefined {
    return this.held.get(id);
  }

  /** @returns whether it was there. */
  remove(id: string): boolean {
    const before = this.faults.length;
    this.faults = this.faults.filter((fault) => fault.id !== id || fault.kind === "hold");
    this.changed();
    return this.faults.length < before;
  }

  /** Removes all faults that have not happened yet. Requests that wait, or will after they are saved, need their hold. */
  clear(): void {
    this.faults = [];
    for (const [id, { happened }] of this.held) if (happened === 0) this.held.delete(id);
    this.changed();
  }

  /** Removes all faults, and releases the requests that wait. */
  reset(): void {
    for (const { gate } of [...this.held.values()]) gate.release();
    this.clear();
  }

  save(): SavedFaults {
    return this.faults
      .filter(({ kind }) => kind !== "hold")
      .map(({ gate: _gate, ...fault }) => ({ ...fault, random: fault.random.copy() }));
  }

  /** Replaces all faults, and releases the requests that wait. Ids of faults are not used again. */
  restore(saved: SavedFaults): void {
    this.reset();
    this.faults = saved.map((fault) => ({
      ...fault,
      random: fault.random.copy(),
      gate: new Gate(fault.id, () => this.forget(fault.id)),
    }));
    this.changed();
  }

  /** No later request reaches a hold that is released. */
  private forget(id: string): void {
    this.held.delete(id);
    this.faults = this.faults.filter((fault) => fault.id !== id);
    this.changed();
  }
}

/** A fault as others see it. */
export function viewOf({ gate: _gate, random: _random, times, ...view }: PlannedFault): FaultView {
  return { ...(view as FaultView), ...(Number.isFinite(times) ? { times } : {}) };
}

/** A hold as others see it. */
export function holdView(planned: PlannedFault): HoldView {
  const { kind: _kind, ...view } = viewOf(planned);
  return { ...view, reached: planned.gate.isReached, waiting: planned.gate.waiting };
}

/** Whether the next request is one of those that `probability` chooses. */
function isChosen({ probability = 1, random }: PlannedFault): boolean {
  return probability >= 1 || random.next() < probability;
}

/** Kinds that change the response of an operation that has taken effect. */
const spoiling: readonly FaultKind[] = ["truncated", "cutOff", "wrongLength", "slow", "wrongType"];

/** Kinds that apply to pages of runs. */
const ofPages: readonly FaultKind[] = [
  "reset",
  "hang",
  "status",
  "truncated",
  "slow",
  "late",
  "wrongType",
  "changed",
  "hold",
];

/** @throws Refusal if the fault cannot happen. */
export function checkFault(fault: FaultOrHold): void {
  checkTarget(fault);
  checkWhen(fault);
  checkBody(fault);
  const { delayMs, delayMaxMs } = fault;
  if (delayMaxMs !== undefined && delayMaxMs < (delayMs ?? 0)) {
    throw new Refusal("InvalidParameter", "delayMaxMs must be at least delayMs");
  }
}

function checkTarget({ operation, kind, url, when }: FaultOrHold): void {
  const refused = (message: string) => new Refusal("InvalidParameter", message);
  if (operation !== "page") {
    if (url !== undefined) throw refused("url is only for the operation page");
    if (kind === "changed") throw refused("kind changed is only for the operation page");
    return;
  }
  if (!ofPages.includes(kind)) throw refused(`kind must be one of ${ofPages.join(", ")} for the operation page`);
  if (when === "after") throw refused("when must be before for the operation page");
}

/** Whether a text fits a pattern in which `*` stands for any characters. */
function fitsPattern(text: string, pattern: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return text === pattern;
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false;
  let from = start.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0 || found + part.length > text.length - end.length) return false;
    from = found + part.length;
  }
  return true;
}

/** A delay of a fault in milliseconds: a fixed one, or a random one of its sequence. */
export function delayOf({ delayMs, delayMaxMs, random }: PlannedFault, standard: number): number {
  const least = delayMs ?? (delayMaxMs === undefined ? standard : 0);
  return delayMaxMs === undefined ? least : least + Math.floor(random.next() * (delayMaxMs - least + 1));
}

/** @throws Refusal. An operation that takes no effect has no response that could be spoilt. */
function checkWhen({ kind, when }: FaultOrHold): void {
  if (when === "before" && spoiling.includes(kind)) {
    throw new Refusal(
      "InvalidParameter",
      `when must be after for ${kind}, because it changes the response to an operation`,
    );
  }
}

/** @throws Refusal, because the error would come with a later response. */
function checkBody({ body }: FaultOrHold): void {
  if (body === undefined || isJson(body)) return;
  throw new Refusal("InvalidParameter", "body must be a value that JSON can hold");
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
