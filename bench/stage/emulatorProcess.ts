import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import type { Seed, SeedTask } from "../../src/emulator/index";

/** What the emulator is told to take, so that nobody has to ask it. They open nothing else. */
export const credentials = {
  accessToken: "bench-access-token",
  refreshToken: "bench-refresh",
  apiKey: "bench-api-key",
};

/** The task that programs copy. */
export const templateId = "template-1";
export const groupId = "group-1";

/** The emulated service in a process of its own, as it is run from the command line: it shares neither memory nor processor time with the bench. */
export class EmulatorProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Resolves when it has said its address. Its seed goes into `folder`. */
  static async start(folder: string, template: Partial<SeedTask> = {}): Promise<EmulatorProcess> {
    const seed: Seed = {
      credentials,
      taskGroups: [{ taskGroupId: groupId }],
      tasks: [{ taskId: templateId, taskGroupId: groupId, actions: [], ...template }],
    };
    const file = join(folder, "seed.json");
    writeFileSync(file, JSON.stringify(seed));
    const program = join(repositoryRoot, "dist", "cli", "main.js");
    const child = spawn(process.execPath, [program, "emulator", "--port", "0", "--quiet", "--seed", file], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      return new EmulatorProcess(await addressOf(child), child);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  /** Ends it, and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const end = once(this.child, "close");
      this.child.kill("SIGTERM");
      await end;
    }
  }
}

/** What it writes is read to the end: a full pipe would make it wait. */
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
