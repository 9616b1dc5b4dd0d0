import type { Bench, Figure, Goal } from "../../figure";
import { atMost, under } from "../../figure";
import type { PeersOptions } from "../../peers/measurePeers";
import { measurePeers } from "../../peers/measurePeers";
import type { PeerResult, PhaseName } from "../../peers/result";
import { withoutCheckpoints } from "../fleet";

const dynamic = "ExtractionTask";
const native = "ExtractionTask, native";
const yaml = "YAML";
const manifests = "manifests";
const component = "manifests, YAML";

/** How each is called in the figures. */
const titles: Readonly<Record<string, string>> = {
  [dynamic]: "dynamic classes",
  [native]: "classes on the plugin",
  [yaml]: "YAML on the plugin",
  [manifests]: "manifests with the class",
  [component]: "manifests on the plugin",
};

interface Size extends Pick<PeersOptions, "phases" | "latencyMs" | "env"> {
  tasks: number;
  only: readonly string[];
  ratios: readonly Ratio[];
  /** Of the plugin, in MB, for each that uses it. */
  memory?: Readonly<Record<string, Goal>>;
}

interface Ratio {
  of: string;
  to: string;
  phase: PhaseName;
  most?: number;
}

const sizes: readonly Size[] = [
  {
    tasks: 25,
    only: [dynamic, native, yaml, manifests, component],
    phases: ["first up", "unchanged up", "preview", "refresh"],
    ratios: [
      { of: component, to: manifests, phase: "unchanged up", most: 0.35 },
      { of: component, to: manifests, phase: "preview", most: 0.35 },
      { of: yaml, to: dynamic, phase: "unchanged up", most: 0.4 },
      { of: yaml, to: dynamic, phase: "preview", most: 0.4 },
    ],
  },
  {
    tasks: 100,
    only: [dynamic, native, yaml, manifests, component],
    phases: ["first up", "unchanged up", "refresh"],
    ratios: [
      { of: component, to: manifests, phase: "first up", most: 0.6 },
      { of: component, to: manifests, phase: "unchanged up", most: 0.4 },
      { of: native, to: dynamic, phase: "first up" },
      { of: yaml, to: dynamic, phase: "first up", most: 0.9 },
    ],
  },
  {
    tasks: 2000,
    only: [dynamic, native, yaml, manifests, component],
    phases: ["first up"],
    latencyMs: 0,
    env: withoutCheckpoints,
    ratios: [
      { of: component, to: manifests, phase: "first up", most: 0.7 },
      { of: native, to: dynamic, phase: "first up" },
      { of: yaml, to: dynamic, phase: "first up", most: 0.8 },
    ],
    memory: {
      [native]: under(200),
      [yaml]: under(200),
      [component]: atMost(250),
    },
  },
];

/** The same tasks with the dynamic classes and on the native plugin. */
export const pluginWays: Bench = {
  name: "plugin-ways",
  summary: "25, 100 and 2,000 tasks: dynamic classes, the native plugin in TypeScript and YAML (--tasks)",
  async run({ tasks }) {
    const chosen = sizes.filter((size) => tasks?.includes(size.tasks) ?? true);
    if (chosen.length === 0) {
      throw new Error(`plugin-ways measures ${sizes.map((size) => size.tasks).join(", ")} tasks; given: ${tasks}`);
    }
    const figures: Figure[] = [];
    for (const size of chosen) {
      const say = (line: string): void => console.error(line);
      figures.push(...figuresOf(size, requireAll(await measurePeers({ ...size, tries: 1, say }))));
    }
    return figures;
  },
};

/** @throws Error if one failed */
function requireAll(results: readonly PeerResult[]): readonly PeerResult[] {
  const failed = results.find(({ note }) => note !== undefined);
  if (failed !== undefined) {
    throw new Error(`${failed.peer}: ${failed.note}`);
  }
  return results;
}

function figuresOf({ tasks, phases = [], ratios, memory }: Size, results: readonly PeerResult[]): Figure[] {
  const named = (what: string): string => `${tasks.toLocaleString("en-US")} tasks: ${what}`;
  const ofPeers = results.flatMap(({ peer, phases: measured }): Figure[] => {
    const { requests = 0, providerMegabytes = Number.NaN } = measured["first up"] ?? {};
    const title = titles[peer];
    return [
      ...phases.map((phase): Figure => {
        const value = measured[phase]?.wallSeconds ?? Number.NaN;
        return { name: named(`${title}, ${phase}`), value, unit: "s" };
      }),
      { name: named(`${title}, requests`), value: requests, unit: "requests" },
      { name: named(`${title}, memory of the provider`), value: providerMegabytes, unit: "MB", goal: memory?.[peer] },
    ];
  });
  return [...ofPeers, ...ratios.flatMap((ratio) => figuresOfRatio(ratio, results, named))];
}

/** The ratio of times, and that of processor times, which other work on the machine affects less. */
function figuresOfRatio(
  { of, to, phase, most }: Ratio,
  results: readonly PeerResult[],
  named: (what: string) => string,
): Figure[] {
  const [ours, theirs] = [of, to].map((name) => results.find(({ peer }) => peer === name)?.phases[phase]);
  if (ours === undefined || theirs === undefined) {
    return [];
  }
  const name = named(`${titles[of]} against ${titles[to]}, ${phase}`);
  const goal = most === undefined ? undefined : atMost(most);
  return [
    { name, value: ours.wallSeconds / theirs.wallSeconds, unit: "x", goal },
    { name: `${name}, processor time`, value: ours.cpuSeconds / theirs.cpuSeconds, unit: "x" },
  ];
}
