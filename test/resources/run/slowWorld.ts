import assert from "node:assert/strict";
import type { Behaviour, Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../../eachTest";
import { Host, programMessage } from "../../internals/provider";
import type { CloudRunArgs, CloudRunState, Context } from "../../internals/resources";
import { cloudRun, PartialFailure, ResourceError } from "../../internals/resources";
import { noEngine } from "../../program/inProcess";
import { task } from "../life";

/** Gives each test of a `describe` a world. */
export function useSlowWorld(...options: Parameters<typeof SlowWorld.create>): SlowWorld {
  return eachTest(() => SlowWorld.create(...options));
}

/** The emulator and its client, on a clock that moves only while something waits. */
export class SlowWorld {
  /** Seconds since the beginning. */
  seconds = 0;
  readonly sleeps: number[] = [];
  readonly progress: string[] = [];
  readonly warnings: string[] = [];
  readonly interruption = new AbortController();
  readonly context: Context;
  private readonly host: Host;
  private readonly events: { second: number; happens: () => unknown }[] = [];

  private constructor(
    readonly emulator: Emulator,
    statuses: string | undefined,
  ) {
    const { accessToken, apiKey } = emulator.credentials;
    const config: Record<string, string | undefined> = {
      baseUrl: emulator.url,
      accessToken,
      apiKey,
      maxRetries: "0",
      busyTimeoutSeconds: "0",
      statuses,
    };
    this.host = new Host(
      (key) => config[key],
      noEngine(() => undefined, this.interruption.signal),
    );
    this.context = {
      ...this.host.context(undefined, undefined),
      warn: (message) => this.warnings.push(message),
      progress: (message) => this.progress.push(message),
      now: () => this.seconds * 1000,
      sleep: (milliseconds) => this.pass(milliseconds / 1000),
    };
  }

  static async create(
    behaviour: Partial<Behaviour> = {},
    { statuses, subtasks = 3 }: { statuses?: string; subtasks?: number } = {},
  ): Promise<SlowWorld> {
    const seed = { taskGroups: [{ taskGroupId: "group-1" }], tasks: [{ ...task, syntheticSubtasks: subtasks }] };
    const world = new SlowWorld(await startEmulator({ seed, behaviour }), statuses);
    world.emulator.change.holdRuns();
    return world;
  }

  /** At that second, or at the first look after it. */
  at(second: number, happens: () => unknown): void {
    this.events.push({ second, happens });
  }

  finishes(second: number, lotNo?: () => string): void {
    this.at(second, () => this.emulator.change.setSubtaskStatus(lotNo?.() ?? this.lotNo, "finished"));
  }

  /** Subtasks that the service is to list in the looks to come: a page, then its empty end. */
  lists(...looks: [string, string][][]): void {
    for (const look of looks) {
      for (const subtasks of look.length === 0 ? [[]] : [look, []]) {
        const data = subtasks.map(([subTaskId, status]) => ({ subTaskId, status }));
        const body = { data, requestId: "r" };
        this.emulator.fault({ operation: "getSubtasks", kind: "status", status: 200, body });
      }
    }
  }

  get lotNo(): string {
    return this.emulator.inspect.runs("task-1").at(-1)?.lotNo ?? "";
  }

  get starts(): number {
    return this.count("startTask");
  }

  count(operation: string): number {
    return this.emulator.requests.filter((each) => each.operation === operation).length;
  }

  /** A run that works when ours is started, or was at rest by then. */
  runBefore(status: "extracting" | "finished"): string {
    const lotNo = this.emulator.change.startRun("task-1");
    this.emulator.change.setSubtaskStatus(lotNo, status);
    return lotNo;
  }

  statusesOf(lotNo: string): string[] {
    return this.emulator.inspect.run(lotNo)?.subtasks.map(({ status }) => status) ?? [];
  }

  async create(args: Partial<CloudRunArgs> = {}): Promise<CloudRunState> {
    const { state } = await cloudRun.create({ taskId: "task-1", waitFor: "finished", ...args }, this.context);
    return state;
  }

  /** The state that a step leaves which must fail, and its message. */
  async fails(step: Promise<unknown>): Promise<{ message: string; state: CloudRunState }> {
    const error = await step.then(
      () => assert.fail("it should have failed"),
      (each: unknown) => each,
    );
    assert.ok(error instanceof PartialFailure, String(error));
    assert.equal(error.id, this.lotNo);
    return { message: programMessage(error), state: error.state as CloudRunState };
  }

  async delete(state: CloudRunState): Promise<void> {
    try {
      await cloudRun.delete(state.lotNo, state, this.context);
    } catch (error) {
      throw error instanceof ResourceError ? new ResourceError(programMessage(error)) : error;
    }
  }

  update(state: CloudRunState, args: Partial<CloudRunArgs> = {}): Promise<CloudRunState> {
    const declared: CloudRunArgs = { taskId: "task-1", waitFor: "finished", ...args };
    return cloudRun.update(state.lotNo, state, declared, this.context);
  }

  async read(state: CloudRunState): Promise<CloudRunState> {
    const seen = await cloudRun.read?.(state.lotNo, state, this.context);
    assert.ok(seen?.found);
    return seen.state;
  }

  async close(): Promise<void> {
    await this.emulator.close();
    await this.host.close();
  }

  private async pass(seconds: number): Promise<void> {
    this.sleeps.push(seconds);
    this.seconds += seconds;
    for (const event of this.events.filter(({ second }) => second <= this.seconds)) {
      this.events.splice(this.events.indexOf(event), 1);
      await event.happens();
    }
    await this.emulator.settled();
  }
}
