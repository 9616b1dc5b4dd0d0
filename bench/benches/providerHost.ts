import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project, StateResource } from "../../test/engine/harness";
import type { Bench, Figure } from "../figure";
import { measured, peakMegabytes } from "../measure/measured";
import { hostProcess, withStack } from "../stage/stack";
import { inWorkFolder } from "../stage/workFolder";

/** What a small stack costs before it does any work: text in the state, modules and memory of the processes. */
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
        const { memory } = await up(project);
        return [...stateFigures(project), ...moduleFigures(folder), memory];
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

async function up(project: Project): Promise<{ memory: Figure }> {
  const run = await measured(() => project.up());
  return {
    memory: { name: "memory of a host with next to nothing to do", value: peakMegabytes(run, hostProcess), unit: "MB" },
  };
}

function stateFigures(project: Project): Figure[] {
  const resources = project.state().resources.filter(({ inputs }) => inputs?.__provider !== undefined);
  if (resources.length === 0) {
    throw new Error("the state holds no dynamic resource");
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
  return [
    { kind: "dynamic-provider", name: "the provider host" },
    { kind: "run", name: "the program" },
  ].flatMap(({ kind, name }) => {
    const modules = modulesOf(folder, kind);
    const compiler = modules.filter((file) => /[\\/]node_modules[\\/](?:typescript|ts-node)[\\/]/.test(file));
    return [
      // Serializing a closure needs the compiler, so a program without one has serialized none.
      { name: `TypeScript in ${name}`, value: compiler.length, unit: "modules", goal: { kind: "at most", value: 0 } },
      { name: `all modules of ${name}`, value: modules.length, unit: "modules" },
    ] satisfies Figure[];
  });
}

function modulesOf(folder: string, kind: string): string[] {
  const lists = readdirSync(folder).filter((file) => file.startsWith(`${kind}-`));
  if (lists.length === 0) {
    throw new Error(`no process wrote down its modules as ${kind}`);
  }
  return lists.flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"));
}
