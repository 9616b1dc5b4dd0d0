import { join } from "node:path";
import type { Bench, Figure, Goal } from "../figure";
import { measured, peakMegabytes } from "../measure/measured";
import { runAlone } from "../stage/alone";
import { credentials, EmulatorProcess, templateId } from "../stage/emulatorProcess";
import { hostProcess, withStack } from "../stage/stack";
import { writeUrls } from "../stage/urlFile";
import { inWorkFolder } from "../stage/workFolder";

const count = 1_000_000;
const goal: Goal = { kind: "under", value: 200 };

/** A long file of start URLs on the real engine. */
export const upload: Bench = {
  name: "upload",
  summary: "a file of 1,000,000 URLs as a task's start URLs, on the engine",
  run: () => {
    const program = 'new webextract.TaskStartUrls("urls", { taskId: copy.id, file: "urls.txt" });';
    return withStack({ program }, async (project) => {
      writeUrls(join(project.folder, "urls.txt"), count);
      const run = await measured(() => project.up());
      requireCount(project.resource("urls").outputs?.count);
      return [
        { name: "memory of the provider host", value: peakMegabytes(run, hostProcess), unit: "MB", goal },
        { name: "pulumi up", value: run.wallSeconds, unit: "s" },
        { name: "pulumi up, processor time", value: run.cpuSeconds, unit: "cpu s" },
      ];
    });
  },
};

/** The same work without the engine, in seconds. */
export const uploadAlone: Bench = {
  name: "upload-alone",
  summary: "the same in a process without the engine: check and create",
  run: () =>
    inWorkFolder(async (folder) => {
      const emulator = await EmulatorProcess.start(folder);
      try {
        writeUrls(join(folder, "urls.txt"), count);
        const task = { type: "TaskStartUrls", args: { taskId: templateId, file: "urls.txt" } };
        const env = { WEBEXTRACT_BASE_URL: emulator.url, WEBEXTRACT_API_KEY: credentials.apiKey };
        const { seconds, idleBytes, peakBytes, outs } = await runAlone("handlers", { folder, task, env });
        requireCount(outs?.count);
        return [
          { name: "memory", value: peakBytes / 1e6, unit: "MB", goal },
          { name: "memory before the work", value: idleBytes / 1e6, unit: "MB" },
          { name: "check and create", value: seconds, unit: "s" },
        ] satisfies Figure[];
      } finally {
        await emulator.stop();
      }
    }),
};

function requireCount(uploaded: unknown): void {
  if (uploaded !== count) {
    throw new Error(`expected ${count} uploaded URLs; the resource reports ${uploaded}`);
  }
}
