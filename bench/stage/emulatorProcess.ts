import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed, SeedTask } from "webextract-emulator";
import { repositoryRoot } from "../../scripts/commands";
import { inWorkFolder } from "./workFolder";

/** Fixed credentials for the emulator. They are valid nowhere else. */
export const credentials = {
  accessToken: "bench-access-token",
  refreshToken: "bench-refresh",
  apiKey: "bench-api-key",
};

/** The task that programs copy. */
export const templateId = "template-1";
export const groupId = "group-1";

/** An emulator with these fields of its template, and a temporary folder. Both are gone afterwards. */
export function withEmulator<T>(
  template: Partial<SeedTask>,
  work: (emulator: EmulatorProcess, folder: string) => Promise<T>,
): Promise<T> {
  return inWorkFolder(async (folder) => {
    const seed: Seed = {
      credentials,
      taskGroups: [{ taskGroupId: groupId }],
      tasks: [{ taskId: templateId, taskGroupId: groupId, actions: [], ...template }],
    };
    const file = join(folder, "seed.json");
    writeFileSync(file, JSON.stringify(seed));
    const emulator = await EmulatorProcess.start(["--seed", file]);
    try {
      return await work(emulator, folder);
    } finally {
      await emulator.stop();
    }
  });
}

/** Runs the emulator in its own process, as on the command line, so that its memory and processor time are not part of the bench. */
export class EmulatorProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the command with these options. Resolves when the emulator has printed its address. */
  static async start(options: readonly string[]): Promise<EmulatorProcess> {
    const program = join(repositoryRoot, "emulator", "bin", "webextract-emulator.js");
    const child = spawn(process.execPath, [program, "--port", "0", "--quiet", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      return new EmulatorProcess(await addressOf(child), child);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  /** Ends the process, and waits for its end. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const end = once(this.child, "close");
      this.child.kill("SIGTERM");
      await end;
    }
  }
}

/** Reads the output to the end, because a full pipe would block the process. */
function addressOf(child: ChildProcess): Promise<string> {
  let written = "";
  return new Promise((resolve, reject) => {
    const take = (text: string): void => {
      written += text;
      const url = /listens on (http:\S+?);/.exec(written)?.[1];
      if (url !== undefined) {
        resolve(url);
      }
    };
    child.stdout?.setEncoding("utf8").on("data", take);
    child.stderr?.setEncoding("utf8").on("data", take);
    child.once("error", reject);
    child.once("close", () => reject(new Error(`the emulator ended before it was ready:\n${written}`)));
  });
}
