import type { Bench, Figure } from "../figure";
import { atMost } from "../figure";
import { measured, peakMegabytes } from "../measure/measured";
import { modulesOf, recordModules } from "../measure/modules";
import { hostProcess, withStack } from "../stage/stack";
import { inWorkFolder } from "../stage/workFolder";

/** The cost of a small stack: loaded modules and memory of the processes. */
export const providerHost: Bench = {
  name: "host",
  summary: "modules and memory of the provider host of a small stack",
  run: () =>
    inWorkFolder(async (folder) => {
      return await withStack({ program, env: recordModules(folder), template }, async (project) => {
        const memory = peakMegabytes(await measured(() => project.up()), hostProcess);
        return [...moduleFigures(folder), { name: "memory of a host with almost no work", value: memory, unit: "MB" }];
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

function moduleFigures(folder: string): Figure[] {
  const host = modulesOf(folder, "dynamic-provider");
  const programNotes = modulesOf(folder, "run");
  const compilers = host.filter(({ file }) =>
    /[\\/](?:typescript|ts-node|vendor[\\/]typescript@[^\\/]+)[\\/]/.test(file),
  );
  return [
    {
      name: "TypeScript loaded by the package in the host",
      value: compilers.filter(({ what }) => what === "package").length,
      unit: "modules",
      goal: atMost(0),
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
      goal: atMost(0),
    },
    { name: "modules of the host", value: host.length, unit: "modules" },
    {
      name: "modules of the host that the package loads",
      value: host.filter(({ what }) => what === "package").length,
      unit: "modules",
    },
  ];
}
