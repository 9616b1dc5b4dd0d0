import type { Project } from "../../test/realEngine/harness";
import type { Bench, Figure, Goal } from "../figure";
import { atMost, under } from "../figure";
import type { Measured } from "../measure/measured";
import { measured, peakMegabytes, timesOf } from "../measure/measured";
import { descendantsOf } from "../measure/processes";
import { PeerService } from "../peers/service";
import { groupId, templateId } from "../stage/emulatorProcess";
import { hostProcess, programProcess, withProject } from "../stage/stack";

/** The sizes that are measured if the command line names no others. */
const usualSizes = [500, 2000, 10_000];

const phases = ["first up", "unchanged up", "refresh", "destroy"] as const;
type Phase = (typeof phases)[number];

/** Matches the processes of the engine and its children by their command lines. */
const processes = {
  engine: /^\S*\/pulumi (?:up|refresh|destroy)\b/,
  "language host": /pulumi-language-nodejs(?!-exec)/,
  program: programProcess,
  "provider host": hostProcess,
};

const goals: Readonly<Record<number, Goal>> = { 500: under(15), 2000: under(32), 10000: under(180) };
/** Time per task of the largest fleet, against the smallest but one: 1 is linear. */
const mostGrowth = 1.25;

/** Many tasks in one stack, without checkpoints. */
export const fleet: Bench = {
  name: "fleet",
  summary: "500, 2,000 and 10,000 tasks in one stack without checkpoints (--tasks chooses the sizes)",
  async run({ tasks = usualSizes }) {
    const runs: FleetRun[] = [];
    for (const size of tasks) {
      runs.push(await withFleet(size, withoutCheckpoints, (...stage) => measurePhases(size, ...stage)));
    }
    const figures = [...runs.flatMap((run) => run.figures), ...growthOf(runs)];
    const [smallest] = runs;
    return smallest === undefined ? figures : [...figures, ...(await compareWithCheckpoints(smallest))];
  },
};

/** As the guide for fleets advises: without a limit, V8 collects garbage too late. */
const memoryLimit = { NODE_OPTIONS: "--max-old-space-size=1200" };
/** The environment of a fleet. */
export const withoutCheckpoints = { ...memoryLimit, PULUMI_SKIP_CHECKPOINTS: "true" };

interface FleetRun {
  tasks: number;
  secondsOfFirstUp: number;
  figures: Figure[];
}

/** The first up of the same fleet with the checkpoints that the engine saves by default. */
async function compareWithCheckpoints({ tasks, secondsOfFirstUp }: FleetRun): Promise<Figure[]> {
  const { wallSeconds: value } = await withFleet(tasks, memoryLimit, (project) => measured(() => project.up()));
  const named = (what: string): string => `${tasks.toLocaleString("en-US")} tasks: first up ${what}`;
  return [
    { name: named("with checkpoints"), value, unit: "s" },
    { name: named("without checkpoints against with"), value: secondsOfFirstUp / value, unit: "x" },
  ];
}

/** A project that declares the tasks, and its service. */
export async function withFleet<T>(
  tasks: number,
  env: Record<string, string>,
  work: (project: Project, service: PeerService) => Promise<T>,
): Promise<T> {
  const service = await PeerService.start({ latencyMs: 0 });
  try {
    const config = { "webextract:actionTypes": "LoopAction,NavigateAction" };
    const options = { url: service.url, program: programOf(tasks), config, env };
    return await withProject(options, (project) => work(project, service));
  } finally {
    await service.stop();
  }
}

async function measurePhases(tasks: number, project: Project, service: PeerService): Promise<FleetRun> {
  const named = (what: string): string => `${tasks.toLocaleString("en-US")} tasks: ${what}`;
  const figures: Figure[] = [];
  const peaks = new Map<string, number>();
  let secondsOfFirstUp = 0;
  for (const phase of phases) {
    const run = await measured(() => (phase === "refresh" || phase === "destroy" ? project[phase]() : project.up()));
    const { requests } = await service.takeCounts();
    await requireDone(phase, tasks, requests, project, service);
    figures.push(...timesOf(named(phase), run, phase === "first up" ? goals[tasks] : undefined), {
      name: named(`${phase}, requests`),
      value: requests,
      unit: "requests",
    });
    secondsOfFirstUp ||= run.wallSeconds;
    notePeaks(peaks, run);
    console.error(`${named(phase)}: ${run.wallSeconds.toFixed(1)} s`);
  }
  peaks.set("emulator", peakOf(service.pid));
  for (const [process, value] of peaks) {
    figures.push({ name: named(`memory of the ${process}`), value, unit: "MB", goal: under(1500) });
  }
  return { tasks, secondsOfFirstUp, figures };
}

function notePeaks(peaks: Map<string, number>, run: Measured<unknown>): void {
  for (const [name, command] of Object.entries(processes)) {
    const isSeen = run.processes.some((each) => command.test(each.command));
    // A refresh and a destroy run no program.
    if (isSeen) {
      peaks.set(name, Math.max(peaks.get(name) ?? 0, peakMegabytes(run, command)));
    }
  }
}

function peakOf(pid: number | undefined): number {
  return (descendantsOf(process.pid).find((each) => each.pid === pid)?.peakBytes ?? 0) / 1e6;
}

async function requireDone(
  phase: Phase,
  tasks: number,
  requests: number,
  project: Project,
  service: PeerService,
): Promise<void> {
  const copies = (await service.copies()).length;
  const inState = project.state().resources.filter(({ type }) => type.endsWith("webextract:ExtractionTask")).length;
  const expected = phase === "destroy" ? 0 : tasks;
  if (copies !== tasks || inState !== expected || (phase === "unchanged up" && requests > 0)) {
    throw new Error(
      `${phase}: expected ${tasks} copies; found ${copies}, ${inState} in the state, ${requests} requests`,
    );
  }
}

function growthOf(runs: readonly FleetRun[]): Figure[] {
  const [small, large] = runs.slice(-2);
  if (small === undefined || large === undefined) {
    return [];
  }
  const value = large.secondsOfFirstUp / large.tasks / (small.secondsOfFirstUp / small.tasks);
  const [most, fewer] = [large, small].map(({ tasks }) => tasks.toLocaleString("en-US"));
  const name = `time per task of the first up: ${most} tasks against ${fewer}`;
  return [{ name, value, unit: "x", goal: atMost(mostGrowth) }];
}

function programOf(tasks: number): string {
  return `
const { ExtractionTask } = require("pulumi-webextract");
for (let n = 0; n < ${tasks}; n++) {
  new ExtractionTask("task-" + n, {
    from: { sourceTaskId: "${templateId}", taskGroupId: "${groupId}" },
    actions: {
      open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/" + n } },
      each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://shop.test/" + n + "/new", "https://shop.test/" + n + "/used"] } },
    },
  });
}
`;
}
