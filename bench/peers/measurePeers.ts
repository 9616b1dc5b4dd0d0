import { isDeepStrictEqual } from "node:util";
import type { Project } from "../../test/realEngine/harness";
import { measured, peakMegabytes } from "../measure/measured";
import type { Peer, PeerStack } from "./peer";
import { peers } from "./peers";
import type { TaskOfWork } from "./programs/work";
import { loopActionId, openActionId, propertyName, tasksOfWork } from "./programs/work";
import type { PeerResult, PhaseName, PhaseResult } from "./result";
import { phases } from "./result";
import { PeerService } from "./service";

export interface PeersOptions {
  tasks: number;
  tries: number;
  /** Rate limit of the service; none by default. */
  requestsPerSecond?: number;
  /** Response time of the service; by default that of a typical one. */
  latencyMs?: number;
  /** Names of the peers; all by default. */
  only?: readonly string[];
  /** All by default. */
  phases?: readonly PhaseName[];
  /** Environment of the engine and its child processes. */
  env?: Readonly<Record<string, string>>;
  /** Receives progress messages. */
  say(line: string): void;
}

/** The value that a change at the service gives to a property. */
const foreignUrl = "https://shop.test/changed-behind-our-back";

/** The command of each phase. */
const commands = {
  "first up": "up",
  "unchanged up": "up",
  preview: "preview",
  "one property changed": "up",
  refresh: "refresh",
  destroy: "destroy",
} as const;

/** Runs each phase for all peers before the next phase, so that other work on the machine affects all of them. */
export async function measurePeers(options: PeersOptions): Promise<PeerResult[]> {
  const chosen = peers.filter(({ name }) => options.only?.includes(name) ?? true);
  const tries: PeerResult[][] = [];
  for (let attempt = 1; attempt <= options.tries; attempt++) {
    const say = (line: string): void =>
      options.say(`${options.tasks} tasks, try ${attempt} of ${options.tries}: ${line}`);
    tries.push(await tryOnce(chosen, { ...options, say }));
  }
  return chosen.map((_, index) => bestOf(tries.map((results) => results[index] as PeerResult)));
}

async function tryOnce(chosen: readonly Peer[], options: PeersOptions): Promise<PeerResult[]> {
  const contests: Contest[] = [];
  try {
    for (const peer of chosen) {
      await warmUp(peer, options);
    }
    for (const peer of chosen) {
      contests.push(await Contest.open(peer, options));
    }
    // A rate limit matters in the phase with the most requests only.
    for (const phase of options.phases ?? (options.requestsPerSecond === undefined ? phases : ["first up"])) {
      for (const contest of contests) {
        await contest.run(phase);
      }
    }
    return contests.map(({ result }) => result);
  } finally {
    for (const contest of contests) {
      await contest.close();
    }
  }
}

/** One task without measuring it, because the first run also reads its programs from disk. */
async function warmUp(peer: Peer, { say }: PeersOptions): Promise<void> {
  const contest = await Contest.open(peer, { tasks: 1, tries: 1, say });
  try {
    await contest.project.up();
    await contest.project.destroy();
  } finally {
    await contest.close();
  }
}

/** One peer in one try. A failure is recorded, and ends this peer only. */
class Contest {
  readonly result: PeerResult;
  readonly project: Project;
  private revision = 0;

  private constructor(
    private readonly peer: Peer,
    private readonly options: PeersOptions,
    private readonly service: PeerService,
    private readonly stack: PeerStack,
  ) {
    this.result = { peer: peer.name, phases: {} };
    this.project = stack.project;
  }

  static async open(peer: Peer, options: PeersOptions): Promise<Contest> {
    const { tasks, requestsPerSecond, latencyMs, env } = options;
    const service = await PeerService.start({ requestsPerSecond, latencyMs });
    try {
      const stack = await peer.open({ tasks, service, requestsPerSecond, env });
      return new Contest(peer, options, service, stack);
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  async run(phase: PhaseName): Promise<void> {
    if (this.result.note !== undefined) {
      return;
    }
    try {
      await this.prepare(phase);
      const figures = await this.measure(phase);
      await this.check(phase);
      this.result.phases[phase] = figures;
      const { wallSeconds, cpuSeconds, requests } = figures;
      this.options.say(
        `${phase}, ${this.peer.name}: ${wallSeconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} cpu s, ${requests} requests`,
      );
    } catch (error) {
      const isRefused = /\b429\b/.test(String(error));
      this.result.note = `${phase} failed${isRefused ? ": the service refused requests because of its rate limit" : ""}`;
      this.options.say(`${phase}, ${this.peer.name} failed: ${String(error)}`);
    }
  }

  async close(): Promise<void> {
    await this.project.remove();
    await this.service.stop();
  }

  private async prepare(phase: PhaseName): Promise<void> {
    if (phase === "one property changed") {
      this.stack.declare(++this.revision);
    }
    if (phase === "refresh" && this.peer.finds !== "nothing") {
      await this.service.setProperty(await this.someTask(), foreignUrl);
    }
    await this.service.takeCounts();
  }

  private async measure(phase: PhaseName): Promise<PhaseResult> {
    const run = await measured(() => this.project[commands[phase]]());
    const { requests, refused } = await this.service.takeCounts();
    const { program, provider } = this.peer;
    const { wallSeconds, cpuSeconds } = run;
    const programMegabytes =
      program === undefined || phase === "refresh" || phase === "destroy" ? undefined : peakMegabytes(run, program);
    const providerMegabytes = provider && peakMegabytes(run, provider);
    return { wallSeconds, cpuSeconds, requests, refused, programMegabytes, providerMegabytes };
  }

  private async check(phase: PhaseName): Promise<void> {
    if (phase === "first up") {
      Object.assign(this.result, this.stack.size());
    }
    if (this.peer.finds === "nothing" || phase === "destroy") {
      return;
    }
    if (phase !== "refresh") {
      await this.requireTheWork();
      return;
    }
    if (!this.stack.stateHolds(foreignUrl)) {
      throw new Error("the refresh did not find the change");
    }
    if (this.peer.finds === "changes and missing tasks") {
      this.result.repair = await this.repair();
    }
  }

  /** Changes a value and removes a task, then refreshes and applies. */
  private async repair(): Promise<PeerResult["repair"]> {
    const { service, project } = this;
    const [lost, changed] = (await service.copies()).slice(-2);
    if (lost === undefined || changed === undefined) {
      throw new Error("there are too few tasks");
    }
    await service.deleteTask(lost.taskId);
    await service.setProperty(changed.taskId, foreignUrl);
    await service.takeCounts();
    await project.refresh();
    const refreshRequests = (await service.takeCounts()).requests;
    await project.up();
    const upRequests = (await service.takeCounts()).requests;
    await this.requireTheWork();
    return { refreshRequests, upRequests };
  }

  private async requireTheWork(): Promise<void> {
    const copies = await this.service.copies();
    const made = copies.map(({ actions }): Pick<TaskOfWork, "url" | "items"> => {
      const action = (id: string) => actions.find(({ actionId }) => actionId === id);
      return {
        url: action(openActionId)?.properties[propertyName] ?? "",
        items: action(loopActionId)?.loopItems ?? [],
      };
    });
    const wanted = tasksOfWork({ tasks: this.options.tasks, revision: this.revision }).map(({ url, items }) => ({
      url,
      items,
    }));
    if (!isDeepStrictEqual(made.sort(byUrl), wanted.sort(byUrl))) {
      throw new Error(`the ${copies.length} tasks at the service differ from the ${this.options.tasks} declared tasks`);
    }
  }

  private async someTask(): Promise<string> {
    const [first] = await this.service.copies();
    if (first === undefined) {
      throw new Error("there is no task");
    }
    return first.taskId;
  }
}

function byUrl(one: { url: string }, other: { url: string }): number {
  return one.url.localeCompare(other.url);
}

/** Takes the best time, because other work on the machine can only make it longer. It does not affect memory. */
function bestOf(tries: readonly PeerResult[]): PeerResult {
  const first = tries.find(({ note }) => note !== undefined) ?? tries[0];
  if (first === undefined) {
    throw new Error("there was no try");
  }
  const best = { ...first, phases: { ...first.phases } };
  for (const phase of phases) {
    const all = tries.flatMap((each) => each.phases[phase] ?? []);
    const [some] = all;
    if (some !== undefined) {
      best.phases[phase] = {
        ...some,
        wallSeconds: Math.min(...all.map(({ wallSeconds }) => wallSeconds)),
        cpuSeconds: Math.min(...all.map(({ cpuSeconds }) => cpuSeconds)),
        programMegabytes: some.programMegabytes && Math.max(...all.map(({ programMegabytes = 0 }) => programMegabytes)),
        providerMegabytes:
          some.providerMegabytes && Math.max(...all.map(({ providerMegabytes = 0 }) => providerMegabytes)),
      };
    }
  }
  return best;
}
