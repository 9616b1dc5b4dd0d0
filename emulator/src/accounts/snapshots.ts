import { setImmediate } from "node:timers/promises";
import type { Behaviour } from "../behaviour";
import type { SnapshotView } from "../emulator";
import { Refusal } from "../errors";
import type { SavedFaults } from "../faults/faults";
import type { RateCounts } from "../http/gate";
import type { JournalEntry } from "../http/journalEntry";
import type { World } from "../http/world";
import type { ClockState } from "../store/clock";
import type { CredentialsState } from "../store/credentials";
import type { RecordParts, StateExtras } from "../store/document/stateDocument";
import { documentTextOfMoment, readRecords, replaceContent } from "../store/document/stateDocument";
import { extrasOf } from "../store/initialState";
import { isDotSegment } from "./dotSegment";

interface Snapshot extends SnapshotView {
  /** Tasks, batches and rows. */
  records: RecordParts;
  /** Credentials and plan, as JSON. */
  extras: string;
  settings: Settings;
}

/** What is not in the document. */
interface Settings {
  behaviour: Behaviour;
  latencyMs: number;
  clock: ClockState;
  faults: SavedFaults;
  rate: RateCounts;
  held: boolean;
  requests: readonly JournalEntry[];
}

/** Snapshots of an account by name, in memory. */
export class Snapshots {
  private readonly saved = new Map<string, Snapshot>();

  constructor(private readonly world: World) {}

  get views(): SnapshotView[] {
    return [...this.saved.values()].map(({ name, savedAt, taskCount }) => ({ name, savedAt, taskCount }));
  }

  /** Saves everything as it is at one moment. A snapshot of the same name is replaced. */
  async save(name: string): Promise<void> {
    if (name === "") throw new Refusal("InvalidParameter", "the name of a snapshot must not be empty");
    if (isDotSegment(name)) throw new Refusal("InvalidParameter", "the name of a snapshot must not be . or ..");
    const { service } = this.world;
    let settings = settingsOf(this.world);
    let extras = "";
    const { records } = await documentTextOfMoment(service.store, () => {
      settings = settingsOf(this.world);
      extras = JSON.stringify(extrasOf(service));
      return extrasOf(service);
    });
    const savedAt = new Date().toISOString();
    this.saved.delete(name);
    this.saved.set(name, { name, savedAt, taskCount: service.store.tasks.size, records, extras, settings });
  }

  /**
   * @param check refuses credentials before anything changes.
   * @throws Refusal.
   */
  async restore(name: string, check: (credentials: CredentialsState) => void): Promise<void> {
    const { records, extras, settings } = this.saved.get(name) ?? missing(name);
    const { service, faults, waits, rate, latency, journal, saved } = this.world;
    const content = await readRecords(records);
    const { plan, credentials }: StateExtras = JSON.parse(extras);
    check(credentials);
    faults.reset();
    waits.end();
    // A request that was held or waited before its effect takes effect now, not in the restored state.
    await setImmediate();
    service.runner.forgetAll();
    replaceContent(service.store, content);
    service.credentials.restore(credentials);
    Object.assign(service, { behaviour: settings.behaviour, plan });
    latency.ms = settings.latencyMs;
    service.clock.state = settings.clock;
    faults.restore(settings.faults);
    rate.counts = settings.rate;
    journal.replace(settings.requests);
    if (settings.held) service.runner.hold();
    else service.runner.release();
    service.runner.resume();
    service.progress.clear();
    service.feed.tellAll();
    await saved();
  }

  /** @throws Refusal NotFound. */
  delete(name: string): void {
    if (!this.saved.delete(name)) missing(name);
  }
}

function missing(name: string): never {
  throw new Refusal("NotFound", `there is no snapshot ${name}`);
}

function settingsOf({ service, faults, rate, latency, journal }: World): Settings {
  return {
    behaviour: service.behaviour,
    latencyMs: latency.ms,
    clock: service.clock.state,
    faults: faults.save(),
    rate: rate.counts,
    held: service.runner.isHeld,
    requests: [...journal.entries],
  };
}
