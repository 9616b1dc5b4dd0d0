import { setTimeout as sleep } from "node:timers/promises";
import { ServiceClient } from "../../src/service/client";
import { credentials, templateId, withEmulator } from "./emulatorProcess";

/** A service whose template has rows to export, and a folder for the exports. */
export interface FinishedRun {
  url: string;
  taskId: string;
  lotNo: string;
  folder: string;
}

/** Starts the emulator in its own process and runs the template to its end. Removes everything afterwards. */
export function withFinishedRun<T>(rows: number, work: (run: FinishedRun) => Promise<T>): Promise<T> {
  return withEmulator({ syntheticRows: rows }, async ({ url }, folder) => {
    const { lotNo } = await startRun(url, rows);
    return work({ url, taskId: templateId, lotNo, folder });
  });
}

/** Starts the template, and resolves when the run has its rows. Generated rows take moments. */
export async function startRun(baseUrl: string, rows: number): Promise<{ lotNo: string }> {
  const client = new ServiceClient({ baseUrl, accessToken: credentials.accessToken });
  const { lotNo } = (await client.startTask({ taskId: templateId })).data;
  for (let attempt = 0; attempt < 1200; attempt++) {
    const { data } = await client.getBatchData({ taskId: templateId, lotno: lotNo, offset: 0, size: 1 });
    if (data.total === rows) {
      return { lotNo };
    }
    await sleep(50);
  }
  throw new Error(`the run does not have its ${rows} rows`);
}
