import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed, SeedAction } from "webextract-emulator";
import type { Bench, Figure } from "../figure";
import { under } from "../figure";
import { runAlone } from "../stage/alone";
import { credentials, EmulatorProcess, groupId, templateId } from "../stage/emulatorProcess";
import { inWorkFolder } from "../stage/workFolder";

/** The second number shows what depends on the size of the state. */
const sizes = [100_000, 100];
const writes = 2000;

/** Writes and reads at the same time, of an emulator with a state file. */
export const emulatorState: Bench = {
  name: "emulator-state",
  summary:
    "webextract-emulator with a state file of 100,000 tasks, and of 100: start, writes alone, writes over 8 connections, and reads meanwhile",
  run: async () => {
    const figures: Figure[] = [];
    for (const tasks of sizes) {
      figures.push(...(await withTasks(tasks, (state) => figuresOf(tasks, state))));
    }
    return figures;
  },
};

async function figuresOf(tasks: number, { url, folder, file, startSeconds }: State): Promise<Figure[]> {
  const work = { url, accessToken: credentials.accessToken, writes, tasks };
  const one = await runAlone("stateWrites", { folder, task: { ...work, connections: 1, reads: false } });
  const { outs } = await runAlone("stateWrites", { folder, task: { ...work, connections: 8, reads: true } });
  const goal = (value: number): Pick<Figure, "goal"> => (tasks === sizes[0] ? { goal: under(value) } : {});
  const name = (text: string) => `${tasks.toLocaleString("en")} tasks: ${text}`;
  return [
    { name: name("start to greeting"), value: startSeconds, unit: "s", ...goal(1) },
    { name: name("median of a write alone"), value: Number(one.outs?.writeMedian), unit: "ms", ...goal(2) },
    { name: name("median of a write, 8 at a time"), value: Number(outs?.writeMedian), unit: "ms", ...goal(5) },
    { name: name("longest read meanwhile"), value: Number(outs?.longestRead), unit: "ms", ...goal(50) },
    { name: name("state file"), value: statSync(file).size, unit: "bytes" },
  ];
}

interface State {
  url: string;
  folder: string;
  /** The state file. */
  file: string;
  startSeconds: number;
}

/** An emulator that was started with a state file of this number of tasks. */
function withTasks<T>(tasks: number, work: (state: State) => Promise<T>): Promise<T> {
  return inWorkFolder(async (folder) => {
    const file = join(folder, "state.db");
    const seed = join(folder, "tasks.json");
    writeFileSync(seed, JSON.stringify(seedOf(tasks)));
    const first = await EmulatorProcess.start(["--seed", seed, "--state", file]);
    await first.stop();
    const begin = performance.now();
    const emulator = await EmulatorProcess.start(["--state", file]);
    const startSeconds = (performance.now() - begin) / 1000;
    try {
      return await work({ url: emulator.url, folder, file, startSeconds });
    } finally {
      await emulator.stop();
    }
  });
}

/** A seed with this number of tasks. */
function seedOf(tasks: number): Seed {
  const actions: SeedAction[] = [
    { actionType: "NavigateAction", actionId: "open", properties: { Url: "http://127.0.0.1/", Timeout: "30" } },
    { actionType: "LoopAction", actionId: "loop", loopType: "TextList", loopItems: ["one", "two", "three"] },
    { actionType: "ExtractDataAction", actionId: "extract", properties: { "Field.title": "h1" } },
  ];
  return {
    credentials,
    taskGroups: [{ taskGroupId: groupId }],
    tasks: Array.from({ length: tasks }, (_, index) => ({
      taskId: index === 0 ? templateId : `task-${index}`,
      taskGroupId: groupId,
      actions,
    })),
  };
}
