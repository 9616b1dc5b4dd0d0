import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project, StateResource } from "../../test/realEngine/harness";
import type { Bench, Figure } from "../figure";
import { measured, peakMegabytes } from "../measure/measured";
import { hostProcess, withStack } from "../stage/stack";
import { inWorkFolder } from "../stage/workFolder";

/** The cost of a small stack: provider text in the state, loaded modules and memory of the processes. */
export const providerHost: Bench = {
  name: "host",
  summary: "provider text in the state, modules and memory of the provider host of a small stack",
  run: () =>
    inWorkFolder(async (folder) => {
      const env = {
        NODE_OPTIONS: `--require ${join(__dirname, "..", "measure", "listModules.cjs")}`,
        BENCH_MODULES_FOLDER: folder,
      };
      return await withStack({ program, env, template }, async (project) => {
        const memory = await hostMegabytes(project);
        return [
          ...stateFigures(project),
          ...moduleFigures(folder),
          { name: "memory of a host with almost no work", value: memory, unit: "MB" },
        ];
      });
    }),
};

const template = {
  actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/" } }],
};

const program = `
const taskId = copy.id;
const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://shop.test/new" } } };
new webextract.TaskActionConfig("config", { taskId, actions });
new webextract.TaskStartUrls("urls", { taskId, urls: ["https://shop.test/a"] });
`;

/** Memory in MB of the provider host of this small stack, which has almost no work. */
export function idleHostMegabytes(): Promise<number> {
  return withStack({ program, template }, hostMegabytes);
}

async function hostMegabytes(project: Project): Promise<number> {
  return peakMegabytes(await measured(() => project.up()), hostProcess);
}

function stateFigures(project: Project): Figure[] {
  const resources = project.state().resources.filter(({ inputs }) => inputs?.__provider !== undefined);
  if (resources.length === 0) {
    throw new Error("the state contains no dynamic resource");
  }
  const longest = (lengthOf: (resource: StateResource) => number): number => Math.max(...resources.map(lengthOf));
  return [
    {
      name: "provider text of a resource",
      value: longest(({ inputs }) => textLength(inputs)),
      unit: "bytes",
      goal: { kind: "under", value: 200 },
    },
    {
      name: "the same as the engine stores it, in inputs and outputs",
      value: longest(({ inputs, outputs }) => textLength(inputs) + textLength(outputs)),
      unit: "bytes",
    },
    {
      name: "state of a resource, the largest of three",
      value: longest((each) => JSON.stringify(each).length),
      unit: "bytes",
    },
  ];
}

function textLength(properties: Record<string, unknown> | undefined): number {
  return Buffer.byteLength(String(properties?.__provider ?? ""));
}

function moduleFigures(folder: string): Figure[] {
  const host = notesOf(folder, "dynamic-provider");
  const programNotes = notesOf(folder, "run");
  const compilers = host.filter(({ file }) =>
    /[\\/](?:typescript|ts-node|vendor[\\/]typescript@[^\\/]+)[\\/]/.test(file),
  );
  return [
    {
      name: "TypeScript loaded by the package in the host",
      value: compilers.filter(({ what }) => what === "package").length,
      unit: "modules",
      goal: { kind: "at most", value: 0 },
    },
    {
      name: "TypeScript loaded by the SDK in the host, before the package",
      value: compilers.filter(({ what }) => what !== "package").length,
      unit: "modules",
    },
    {
      name: "closures serialized by the program",
      value: programNotes.filter(({ what }) => what === "closure").length,
      unit: "closures",
      goal: { kind: "at most", value: 0 },
    },
    { name: "modules of the host", value: host.length, unit: "modules" },
    {
      name: "modules of the host that the package loads",
      value: host.filter(({ what }) => what === "package").length,
      unit: "modules",
    },
  ];
}

interface Note {
  what: string;
  file: string;
}

function notesOf(folder: string, kind: string): Note[] {
  const lists = readdirSync(folder).filter((file) => file.startsWith(`${kind}-`));
  if (lists.length === 0) {
    throw new Error(`no process recorded its modules as ${kind}`);
  }
  return lists.flatMap((list) =>
    readFileSync(join(folder, list), "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const [what = "", file = ""] = line.split("\t");
        return { what, file };
      }),
  );
}
