import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repositoryRoot } from "../../../scripts/commands";
import type { Bench, Figure } from "../../figure";
import { atMost, under } from "../../figure";
import { modulesOf, recordModules } from "../../measure/modules";
import { cpuSecondsOfEndedChildren, descendantsOf } from "../../measure/processes";
import { inWorkFolder } from "../../stage/workFolder";

/** Other work on the machine disturbs such short times, so each try takes the best of several processes. */
const rounds = 10;
const mostMilliseconds = 200;

const plugin = join(repositoryRoot, "dist", "plugin");
const bin = join(plugin, "main.js");
const commandLine = join(repositoryRoot, "dist", "cli", "main.js");

/** What the starts are compared with, the starts of the plugin, and those of the command line. Each writes a line when it is ready. */
const ways = {
  "Node.js alone": [process.execPath, "-e", "console.log(0); setInterval(() => {}, 1000)"],
  "the SDK": [process.execPath, "-e", 'require("@pulumi/pulumi"); console.log(0); setInterval(() => {}, 1000)'],
  launcher: [join(plugin, "pulumi-resource-webextract")],
  "npm bin": [process.execPath, bin],
  "webextract --version": [process.execPath, commandLine, "--version"],
  "webextract validate of one file": [process.execPath, commandLine, "validate", "templates/yaml-manifests/tasks"],
} as const;

type Way = keyof typeof ways;

/** Best time and mean processor time in milliseconds, and memory in MB, when a process was ready. */
interface Start {
  milliseconds: number;
  processor: number;
  megabytes: number;
}

/** The start of the native plugin, from the start of the process to the port. */
export const pluginStart: Bench = {
  name: "plugin",
  summary:
    "start of the native plugin to its port, and of the command line, against Node.js alone and against a load of the SDK",
  async run() {
    const starts = await measureStarts();
    const against = (way: Way, other: Way): Figure => ({
      name: `${way} against ${other}: processor time`,
      value: starts[way].processor / starts[other].processor,
      unit: "x",
    });
    const figures = (["launcher", "npm bin"] as const).flatMap((way): Figure[] => {
      const { milliseconds, processor, megabytes } = starts[way];
      return [
        { name: `${way}: start to port`, value: milliseconds, unit: "ms", goal: under(mostMilliseconds) },
        { name: `${way}: processor time`, value: processor, unit: "ms" },
        { name: `${way}: memory`, value: megabytes, unit: "MB" },
        against(way, "Node.js alone"),
        against(way, "the SDK"),
      ];
    });
    return [
      ...figures,
      against("webextract --version", "Node.js alone"),
      against("webextract validate of one file", "Node.js alone"),
      {
        name: "files loaded before the port",
        value: await filesLoaded(),
        unit: "modules",
        // A file that only decides what to load, and the bundle.
        goal: atMost(2),
      },
    ];
  },
};

/** Starts the ways in turn, so that other work on the machine affects all of them. */
async function measureStarts(): Promise<Record<Way, Start>> {
  const names = Object.keys(ways) as Way[];
  const all = Object.fromEntries(names.map((way) => [way, [] as Start[]])) as Record<Way, Start[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const way of names) {
      const start = await startOnce(ways[way]);
      // The first process reads the files from the disk.
      if (round > 0) all[way].push(start);
    }
  }
  return Object.fromEntries(names.map((way) => [way, sumUp(all[way])])) as Record<Way, Start>;
}

function sumUp(starts: readonly Start[]): Start {
  return {
    milliseconds: Math.min(...starts.map(({ milliseconds }) => milliseconds)),
    // The system counts in steps of 10 ms.
    processor: starts.reduce((sum, { processor }) => sum + processor, 0) / starts.length,
    megabytes: Math.max(...starts.map(({ megabytes }) => megabytes)),
  };
}

async function startOnce([command = "", ...args]: readonly string[], env = process.env): Promise<Start> {
  const before = cpuSecondsOfEndedChildren();
  const begin = performance.now();
  const child = spawn(command, args, { cwd: repositoryRoot, env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  await once(child.stdout, "data");
  const milliseconds = performance.now() - begin;
  const bytes = descendantsOf(process.pid).find(({ pid }) => pid === child.pid)?.peakBytes ?? 0;
  child.kill("SIGKILL");
  await ended;
  return { milliseconds, processor: (cpuSecondsOfEndedChildren() - before) * 1000, megabytes: bytes / 1e6 };
}

/** A file beside the bundle that is loaded at the start delays each command. */
function filesLoaded(): Promise<number> {
  return inWorkFolder(async (folder) => {
    await startOnce(ways["npm bin"], { ...process.env, ...recordModules(folder) });
    return modulesOf(folder, "plugin").length;
  });
}
