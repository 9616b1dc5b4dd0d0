import type { OptionWorld, Type } from "./optionWorld";

/** Resources that import what the service has, each of a task of its own. The arguments are those of the task. */
export function imports(world: OptionWorld, wanted: readonly Type[]): string {
  const actions = `{ open: { actionType: "NavigateAction", properties: { Url: "https://old.test/", Wait: "1" } },
    each: { actionType: "LoopAction", loop: { loopType: "UrlList", items: ["https://old.test/item"] } } }`;
  const { lotNo, subtasks } = world.started;
  const args: Record<Type, [id: string, args: string]> = {
    TaskCopy: ["import-1", 'adoptTaskId: "import-1"'],
    ExtractionTask: ["import-2", `from: { adoptTaskId: "import-2" }, actions: ${actions}`],
    TaskActionConfig: ["import-3", `taskId: "import-3", actions: { open: ${actions}.open }`],
    TaskParameters: ["import-4", `taskId: "import-4", actions: ${actions}`],
    TaskLoopItems: [
      "import-5/each",
      'taskId: "import-5", actionId: "each", loopType: "UrlList", items: ["https://old.test/item"]',
    ],
    TaskStartUrls: ["import-6", 'taskId: "import-6", urls: ["https://old.test/"]'],
    CloudRun: [`other/${lotNo}`, `taskId: "other", adoptLotNo: "${lotNo}"`],
    CloudSubtasks: ["other", `taskId: "other", subTaskIds: ${JSON.stringify(subtasks)}, desired: "started"`],
    DataExport: ["rows.ndjson", 'taskId: "other", scope: "all", path: "imported.ndjson"'],
  };
  const made = wanted.map(
    (type) => `new ${type}("imported-${type}", { ${args[type][1]} }, { import: "${args[type][0]}" });`,
  );
  return made.join("\n");
}
