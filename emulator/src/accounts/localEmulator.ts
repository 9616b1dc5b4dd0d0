import { constants } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import type { Behaviour } from "../behaviour";
import { withBehaviour } from "../behaviour";
import { Changes } from "../changes";
import { packageVersion } from "../contract";
import type { AccountOptions, Emulator, Health, SnapshotView } from "../emulator";
import { messageOf, Refusal } from "../errors";
import type { Fault, FaultFile, FaultView, Hold, HoldView, PlannedFault } from "../faults/faults";
import { checkFault, viewOf } from "../faults/faults";
import type { Journal } from "../http/journal";
import type { JournalEntry, RequestFilter } from "../http/journalEntry";
import { tooFewRequests } from "../http/journalEntry";
import type { World } from "../http/world";
import { Inspection } from "../inspect";
import type { ClockSetting, ClockView } from "../store/clock";
import type { EmulatorCredentials } from "../store/credentials";
import { valuesOf } from "../store/credentials";
import type { StateDocument } from "../store/document/stateDocument";
import { checkStateDocument, documentTextOfMoment, fillStore, stateDocument } from "../store/document/stateDocument";
import { extrasOf, sow } from "../store/initialState";
import type { Plan, Seed } from "../store/seed";
import { checkSeed } from "../store/seed";
import { checkArgument } from "./adminContract";
import { Snapshots } from "./snapshots";
import { endWorld } from "./world";

/** Where an emulator listens. */
export interface EmulatorAddress {
  url: string;
  readonly adminToken: string | undefined;
}

/** The accounts of an emulator. */
export interface AccountList {
  readonly names: string[];
  find(name: string): LocalEmulator;
  create(name: string, options?: AccountOptions): LocalEmulator;
  delete(name: string): Promise<void>;
  checkOwn(name: string, values: readonly string[], source: string): void;
}

/** What the members of an emulator act on. */
export interface LocalParts extends World {
  /** Name of the account. */
  name: string;
  address: EmulatorAddress;
  /** The content to which a reset returns. */
  seed: Seed;
  faultsAtStart: readonly Fault[];
  list: AccountList;
  close(): Promise<void>;
}

/** The emulator of this process, as one account. The admin API over HTTP calls its members. */
export class LocalEmulator implements Emulator {
  readonly name: string;
  readonly inspect: Inspection;
  readonly change: Changes;
  readonly journal: Journal;
  private readonly parts: LocalParts;
  private readonly saves: Snapshots;
  private readonly atStart: { behaviour: Behaviour; plan: Plan; latencyMs: number };

  constructor(parts: LocalParts) {
    const { service, latency } = parts;
    this.name = parts.name;
    this.parts = parts;
    this.saves = new Snapshots(parts);
    this.journal = parts.journal;
    this.inspect = new Inspection(service);
    this.change = new Changes(service, () => {
      parts.saveSoon();
      service.feed.tell({ type: "task" });
    });
    this.atStart = { behaviour: service.behaviour, plan: service.plan, latencyMs: latency.ms };
  }

  get url(): string {
    return this.parts.address.url;
  }

  get adminToken(): string | undefined {
    return this.parts.address.adminToken;
  }

  /** What the account consists of. */
  get world(): World {
    return this.parts;
  }

  get ended(): boolean {
    return this.parts.ending.signal.aborted;
  }

  /** Whether a credential is one of the account. */
  owns(credential: string): boolean {
    return this.parts.service.credentials.has(credential);
  }

  get accounts(): readonly string[] {
    return this.parts.list.names;
  }

  account(name: string): LocalEmulator {
    return this.parts.list.find(name);
  }

  async createAccount(name: string, options?: AccountOptions): Promise<LocalEmulator> {
    return this.parts.list.create(name, options);
  }

  async deleteAccount(name: string): Promise<void> {
    this.parts.list.find(name);
    await this.parts.list.delete(name);
  }

  get credentials(): EmulatorCredentials {
    return this.parts.service.credentials.newest();
  }

  health(): Health {
    return { status: "ok", version: packageVersion() };
  }

  async reset(): Promise<void> {
    const { service, faults, rate, waits, latency, seed } = this.parts;
    const { behaviour, plan, latencyMs } = this.atStart;
    faults.reset();
    waits.end();
    // A request that was held or waited before its effect takes effect now, not after the reset.
    await setImmediate();
    service.runner.forgetAll();
    service.runner.release();
    service.store.clear();
    sow(seed, service.store);
    rate.reset();
    service.clock.set({ mode: "real" });
    // After the clock: tokens get a lifetime of its time.
    service.credentials.reset();
    Object.assign(service, { behaviour, plan });
    latency.ms = latencyMs;
    for (const fault of this.parts.faultsAtStart) faults.add(fault);
    this.journal.clear();
    service.progress.clear();
    service.feed.tellAll();
    await this.parts.saved();
  }

  async seed(seed: Seed): Promise<void> {
    const { credentials, plan } = checkSeed(seed);
    this.parts.list.checkOwn(this.name, Object.values(credentials ?? {}), "the seed");
    // A copy, because the caller can change its object.
    this.parts.seed = structuredClone(seed);
    this.atStart.plan = plan ?? this.parts.service.plan;
    if (credentials !== undefined) this.parts.service.credentials.useAtStart(credentials);
    await this.reset();
  }

  exportState(): StateDocument {
    const { store, plan, credentials } = this.parts.service;
    const document = stateDocument(store, { plan, credentials: credentials.toJSON() });
    try {
      // A copy, which does not change with the store.
      return JSON.parse(JSON.stringify(document));
    } catch (error) {
      throw error instanceof RangeError ? tooLong() : error;
    }
  }

  /** The same document as JSON, in parts, without a long pause of the process. */
  async stateText(): Promise<Iterable<string>> {
    const { service } = this.parts;
    const { length, parts } = await documentTextOfMoment(service.store, () => extrasOf(service));
    if (length > constants.MAX_STRING_LENGTH) throw tooLong();
    return parts;
  }

  async importState(document: unknown): Promise<void> {
    const { service, saved } = this.parts;
    const { plan, credentials, ...content } = checkedState(document);
    this.parts.list.checkOwn(this.name, valuesOf(credentials), "the state");
    service.runner.forgetAll();
    fillStore(service.store, { plan, credentials, ...content });
    service.credentials.replaceAll(credentials);
    service.plan = plan;
    service.runner.resume();
    service.progress.clear();
    service.feed.tellAll();
    await saved();
  }

  get snapshots(): readonly SnapshotView[] {
    return this.saves.views;
  }

  saveSnapshot(name: string): Promise<void> {
    return this.saves.save(name);
  }

  restoreSnapshot(name: string): Promise<void> {
    return this.saves.restore(name, (credentials) =>
      this.parts.list.checkOwn(this.name, valuesOf(credentials), "the snapshot"),
    );
  }

  async deleteSnapshot(name: string): Promise<void> {
    this.saves.delete(name);
  }

  get requests(): readonly JournalEntry[] {
    return this.journal.entries;
  }

  findRequests(filter: RequestFilter): JournalEntry[] {
    return this.journal.find(filter);
  }

  async waitForRequests(count: number, filter: RequestFilter = {}, timeoutMs = 10_000): Promise<JournalEntry[]> {
    await this.journal.wait(count, filter, timeoutMs);
    const { found, nearest } = await this.journal.search(filter);
    if (found.length >= count) return found;
    throw new Error(tooFewRequests(found.length, count, timeoutMs, nearest));
  }

  clearRequests(): void {
    this.journal.clear();
    this.parts.service.feed.tell({ type: "request" });
  }

  fault(fault: Fault): FaultView {
    checkArgument("fault", fault);
    return viewOf(this.parts.faults.add(fault));
  }

  setFaults(file: FaultFile): void {
    checkArgument("setFaults", file);
    const { behaviour = {}, faults = [] } = file;
    for (const fault of faults) checkFault(fault);
    this.setBehaviour(behaviour);
    this.parts.faults.clear();
    for (const fault of faults) this.parts.faults.add(fault);
  }

  get faults(): readonly FaultView[] {
    return this.parts.faults.views;
  }

  removeFault(id: string): void {
    if (!this.parts.faults.remove(id)) throw new Refusal("NotFound", `there is no fault ${id}, or it has happened`);
  }

  hold(fault: Omit<Fault, "kind">): Hold {
    checkArgument("hold", fault);
    const when = fault.operation === "page" ? "before" : "after";
    return this.parts.faults.add({ when, ...fault, kind: "hold" }).gate;
  }

  get holds(): readonly HoldView[] {
    return this.parts.faults.holds;
  }

  /** @throws Refusal NotFound. */
  findHold(id: string): PlannedFault {
    const hold = this.parts.faults.hold(id);
    if (hold === undefined) throw new Refusal("NotFound", `there is no hold ${id}, or it is released`);
    return hold;
  }

  releaseHold(id: string): void {
    this.findHold(id).gate.release();
  }

  clearFaults(): void {
    this.parts.faults.clear();
  }

  get behaviour(): Readonly<Behaviour> {
    return this.parts.service.behaviour;
  }

  setBehaviour(changes: Partial<Behaviour>): void {
    const { service } = this.parts;
    service.behaviour = withBehaviour(service.behaviour, changes);
    service.feed.tell({ type: "behaviour" });
  }

  get plan(): Plan {
    return this.parts.service.plan;
  }

  setPlan(plan: Plan): void {
    checkArgument("setSettings", { plan });
    const { service } = this.parts;
    service.plan = plan;
    this.parts.saveSoon();
    service.feed.tell({ type: "behaviour" });
  }

  get latency(): number {
    return this.parts.latency.ms;
  }

  setLatency(ms: number): void {
    checkArgument("setSettings", { latencyMs: ms });
    this.parts.latency.ms = ms;
    this.parts.service.feed.tell({ type: "behaviour" });
  }

  get clock(): ClockView {
    return this.parts.service.clock.view;
  }

  setClock(setting: ClockSetting): void {
    checkArgument("setClock", setting);
    this.parts.service.clock.set(setting);
    this.parts.service.feed.tell({ type: "behaviour" });
  }

  settled(): Promise<void> {
    return this.parts.service.runner.settled();
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  /** Ends the work of the account. */
  end(): void {
    endWorld(this.parts);
  }
}

function tooLong(): Refusal {
  return new Refusal(
    "ServerError",
    "the state has more than 512 MB as one document. Action: stop the emulator and copy its state file",
  );
}

/** A checked copy, because the store takes over its values. */
function checkedState(value: unknown): StateDocument {
  try {
    return checkStateDocument(JSON.parse(JSON.stringify(value)), "the document", "export it again");
  } catch (error) {
    throw new Refusal("InvalidParameter", messageOf(error));
  }
}
