import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatorCredentials, Seed } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { serveSite } from "../../examples/quickstart/serveSite";
import { emulatorState, projectFolder } from "./folders";
import { onRememberedPort } from "./ports";

/** The servers of the quickstart: the emulator, and the shop whose pages it extracts. */
export interface Services {
  emulatorUrl: string;
  siteUrl: string;
  credentials: EmulatorCredentials;
  /** Ids of the tasks that the emulator has in addition to its seed. */
  copies: string[];
  /** The pages that a run could not read, each with the reason. */
  unreadPages(lotNo: string): string[];
  close(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const seed: Seed = parse(readFileSync(join(projectFolder, "examples/quickstart/seed.yaml"), "utf8"));
  const seeded = seed.tasks.map(({ taskId }) => taskId);
  const emulator = await onRememberedPort("emulator", (port) =>
    startEmulator({ port, seed, stateFile: emulatorState }),
  );
  try {
    const site = await onRememberedPort("site", (port) => serveSite({ port }));
    return {
      emulatorUrl: emulator.url,
      siteUrl: site.url,
      credentials: emulator.credentials,
      copies: emulator.inspect.taskIds().filter((taskId) => !seeded.includes(taskId)),
      unreadPages: (lotNo) =>
        (emulator.inspect.run(lotNo)?.subtasks ?? []).flatMap(({ errors }) =>
          errors.map(({ url, message }) => `${url}: ${message}`),
        ),
      close: async () => {
        await Promise.all([emulator.close(), site.close()]);
      },
    };
  } catch (error) {
    await emulator.close();
    throw error;
  }
}
