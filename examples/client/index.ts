/** The client without Pulumi. The documentation shows the regions of this file, and a test runs them against the emulator. */
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";

// #region client
import { isServiceError, optionsFromEnvironment, ServiceClient } from "pulumi-webextract/service";

export function makeClient(baseUrl: string): ServiceClient {
  // WEBEXTRACT_ACCESS_TOKEN, WEBEXTRACT_REFRESH_TOKEN, WEBEXTRACT_API_KEY, … where they are set
  return new ServiceClient({ ...optionsFromEnvironment(), baseUrl });
}
// #endregion

// #region copy
export async function copyAndConfigure(
  client: ServiceClient,
  templateId: string,
  taskGroupId: string,
): Promise<string> {
  const copy = await client.copyTask({ taskId: templateId, taskGroupId });
  const { taskId } = copy.data;
  await client.updateActionProperties({
    taskId,
    actions: [{ actionType: "NavigateAction", actionId: "navigate", properties: [{ name: "Timeout", value: "20" }] }],
  });
  return taskId;
}
// #endregion

// #region upload
export async function uploadUrls(client: ServiceClient, taskId: string, path: string): Promise<void> {
  const { size } = await stat(path);
  await client.updateTaskUrls({ taskId, file: { name: "urls.txt", size, open: () => createReadStream(path) } });
}
// #endregion

// #region run
export async function runAndWait(client: ServiceClient, taskId: string, pollSeconds: number): Promise<string> {
  const before = new Set((await client.allSubtasks(taskId)).map(({ subTaskId }) => subTaskId));
  const { lotNo } = (await client.startTask({ taskId })).data;
  for (;;) {
    const subtasks = await client.allSubtasks(taskId);
    // The list has no lotNo, and may still show the batch before for a while.
    const ours = subtasks.length > 0 && subtasks.every(({ subTaskId }) => !before.has(subTaskId));
    const statuses = subtasks.map(({ status }) => status.toLowerCase());
    if (ours && statuses.every((status) => status === "finished")) return lotNo;
    if (ours && statuses.some((status) => status === "failed" || status === "stopped"))
      throw new Error(`batch ${lotNo}: ${statuses}`);
    await new Promise((resolve) => setTimeout(resolve, pollSeconds * 1000));
  }
}
// #endregion

// #region rows
export async function exportBatch(
  client: ServiceClient,
  taskId: string,
  lotNo: string,
  path: string,
): Promise<boolean> {
  const file = createWriteStream(path);
  let complete = false;
  for await (const page of client.rows({ taskId, lotNo })) {
    if (!file.write(page.ndjson())) await once(file, "drain");
    complete = page.complete ?? false;
  }
  file.end();
  await once(file, "finish");
  return complete;
}
// #endregion

// #region errors
export async function startOrSay(client: ServiceClient, taskId: string): Promise<string> {
  try {
    return (await client.startTask({ taskId })).data.lotNo;
  } catch (error) {
    if (isServiceError(error, "busy")) return "it is running already";
    if (isServiceError(error) && error.outcome === "unknown") return `look before starting again: ${error.hint}`;
    throw error;
  }
}
// #endregion

// #region broker
export async function printCredential(client: ServiceClient): Promise<void> {
  console.log(JSON.stringify(await client.credentialForCommand()));
}
// #endregion
