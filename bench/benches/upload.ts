import { join } from "node:path";
import type { Bench } from "../figure";
import { under } from "../figure";
import { measured, peakMegabytes, timesOf } from "../measure/measured";
import { hostProcess, withStack } from "../stage/stack";
import { writeUrls } from "../stage/urlFile";

const count = 1_000_000;

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
        { name: "memory of the provider host", value: peakMegabytes(run, hostProcess), unit: "MB", goal: under(200) },
        ...timesOf("pulumi up", run),
      ];
    });
  },
};

function requireCount(uploaded: unknown): void {
  if (uploaded !== count) {
    throw new Error(`expected ${count} uploaded URLs; the resource reports ${uploaded}`);
  }
}
