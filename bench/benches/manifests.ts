import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../figure";
import { under } from "../figure";
import { runAlone } from "../stage/alone";
import { inWorkFolder } from "../stage/workFolder";

const files = 100;
const tasksInFile = 100;

/** Many tasks in YAML. Only reading and checking are measured, because the engine needs the same time as for tasks in a program. */
export const manifests: Bench = {
  name: "manifests",
  summary: "10,000 tasks in 100 YAML files: read and checked",
  run: () =>
    inWorkFolder(async (folder) => {
      for (let file = 0; file < files; file++) {
        writeFileSync(join(folder, `shops-${file}.yaml`), collection(file));
      }
      const { seconds, peakBytes, rows } = await runAlone("manifests", { folder, task: {} });
      if (rows !== files * tasksInFile) {
        throw new Error(`expected ${files * tasksInFile} tasks; read ${rows}`);
      }
      return [
        { name: "load, read and check", value: seconds, unit: "s", goal: under(5) },
        { name: "memory", value: peakBytes / 1e6, unit: "MB", goal: under(400) },
      ];
    }),
};

function collection(file: number): string {
  const tasks = Array.from({ length: tasksInFile }, (_, task) => taskText(`shop-${file}-${task}`));
  return `defaults:
  from: { sourceTaskId: shop-template, taskGroupId: shops }
  run: { waitFor: finished }
  exports:
    rows: { path: "rows/{lotNo}.ndjson" }
tasks:
${tasks.join("")}`;
}

function taskText(name: string): string {
  return `  ${name}:
    actions:
      open: { actionType: NavigateAction, properties: { Url: "\${shop}/${name}/", Wait: 2 } }
      pages: { actionType: PaginationAction, properties: { MaxPages: 2, NextSelector: "nav a.next" } }
    startUrls:
      urls:
        - \${shop}/${name}/new/
        - \${shop}/${name}/used/
`;
}
