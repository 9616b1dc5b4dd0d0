import { createHash, randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import type { SharedStore } from "../store/sharedStore";
import { clock } from "../system/clock";
import type { Processes, ProcessName } from "../system/processes";
import { ResourceError } from "../values/errors";

/** In milliseconds. The second one must be the same for all processes that share a store. Replaced by tests. */
export const beats = { everyMs: 15_000, deadAfterMs: 60_000, freshMs: 40_000, keptMs: 24 * 3600 * 1000 };

/** What a process says of itself. It contains no name. */
interface OwnerRecord {
  /** A hash of the machine, and of the part of its process table that the process sees. */
  machine: string;
  process: Omit<ProcessName, "host">;
  /** Random, so that no two contents are equal. */
  nonce: string;
  /** Whether another process has taken it for lost. */
  isDead?: boolean;
  /** After its ordinary end: the salts of the entries that stay. */
  open?: string[];
}

export type OwnerState = { is: "running" | "dead" } | { is: "ended"; open: readonly string[] };

/** This process as the owner of entries: a heartbeat says that it is alive. Who takes it for lost writes that first. */
export class JournalOwner {
  readonly id: string = randomUUID();
  private etag: string | undefined;
  private isDead = false;
  private beatAt: { now: number; date: number } | undefined;
  private beating: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly shared: SharedStore,
    private readonly processes: Processes,
  ) {}

  /** @throws ResourceError if another process has taken this one for lost, or nobody can know that it is alive */
  async requireAlive(): Promise<void> {
    if (this.beatAt === undefined) {
      await this.shared.requireConditions();
    }
    if (!this.isFresh()) {
      await this.beat();
    }
    if (this.isDead) {
      throw new ResourceError("Another command has taken this one for lost, because its heartbeat was missing.");
    }
  }

  /** @throws StoreError */
  async look(id: string): Promise<OwnerState> {
    if (id === this.id) return { is: "dead" };
    for (;;) {
      const found = await this.shared.get(`owners/${id}`);
      if (found === undefined) return { is: "dead" };
      const record = JSON.parse(found.body.toString()) as OwnerRecord;
      const { open, isDead, machine, process } = record;
      if (open !== undefined) return { is: "ended", open };
      if (isDead === true) return { is: "dead" };
      const { own } = this.processes;
      const isSeen = machine === machineOf(own);
      const isAlive = isSeen ? this.processes.isRunning({ ...process, host: own.host }) : found.age < beats.deadAfterMs;
      if (isAlive) return { is: "running" };
      const dead = Buffer.from(JSON.stringify({ ...record, isDead: true, nonce: randomUUID() }));
      if ((await this.shared.write(`owners/${id}`, dead, found.etag)) !== undefined) return { is: "dead" };
    }
  }

  /** Also after an error: the time of the heartbeat ends it then. */
  async end(open: string[]): Promise<void> {
    clearInterval(this.timer);
    await this.beating?.catch(() => undefined);
    if (this.beatAt !== undefined && !this.isDead) {
      await this.shared.write(`owners/${this.id}`, this.record({ open }), this.etag).catch(() => undefined);
    }
  }

  private isFresh(): boolean {
    const { beatAt } = this;
    // The larger one, because a clock can stop while the machine sleeps.
    return beatAt !== undefined && Math.max(clock.now() - beatAt.now, Date.now() - beatAt.date) < beats.freshMs;
  }

  /** One at a time. */
  private beat(): Promise<void> {
    this.beating ??= this.writeBeat().finally(() => {
      this.beating = undefined;
    });
    return this.beating;
  }

  private async writeBeat(): Promise<void> {
    if (this.isDead) return;
    const began = { now: clock.now(), date: Date.now() };
    const isFirst = this.beatAt === undefined;
    this.etag = await this.shared.write(`owners/${this.id}`, this.record(), this.etag);
    this.isDead = this.etag === undefined;
    this.beatAt = began;
    if (isFirst) {
      // After a failure, the next request tries again.
      this.timer = setInterval(() => void this.beat().catch(() => undefined), beats.everyMs).unref();
      void this.removeOld();
    }
  }

  /** The records of ended processes stay for a day: the network can hold an entry back. */
  private async removeOld(): Promise<void> {
    try {
      for (const name of await this.shared.names("owners")) {
        const found = await this.shared.get(name);
        const isEnded = found !== undefined && found.age > beats.keptMs && found.body.includes('"open"');
        await (isEnded ? this.shared.remove(name, found.etag) : undefined);
      }
    } catch {
      // The next command removes them.
    }
  }

  private record(more: Partial<OwnerRecord> = {}): Buffer {
    const { host, ...process } = this.processes.own;
    const machine = machineOf(this.processes.own);
    return Buffer.from(JSON.stringify({ machine, process, nonce: randomUUID(), ...more } satisfies OwnerRecord));
  }
}

/** Containers can have one host name and one boot, and see other processes. */
function machineOf({ host, start = "" }: ProcessName): string {
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Systems without /proc have one table of processes.
  }
  return createHash("sha256")
    .update([host, start.split(" ")[0], space].join("\n"))
    .digest("hex");
}
