import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between the request to end and the end by force. */
const graceMs = 5000;
/** Milliseconds between two looks at what is left of a group. */
const lookMs = 50;

/**
 * A command and the processes that it starts, such as the commands of a shell script. They end together: with the command alone, those would go on.
 * On POSIX they are a process group. On Windows, `taskkill` ends them by force.
 */
export class ProcessGroup {
  readonly command: ChildProcess;
  private force: NodeJS.Timeout | undefined;
  private isKilled = false;

  constructor(
    command: string,
    args: readonly string[],
    options: SpawnOptions,
    private readonly platform = process.platform,
  ) {
    // On Windows, a detached process would open a window.
    this.command = spawn(command, args, { ...options, detached: platform !== "win32", windowsHide: true });
    running.add(this);
    if (running.size === 1) {
      process.on("SIGINT", interruptAll);
    }
  }

  /** Asks the processes to end, and ends them by force if they don't. */
  stop(): void {
    if (this.force === undefined) {
      this.send("SIGTERM");
      this.force = setTimeout(() => this.kill(), graceMs);
    }
  }

  kill(): void {
    this.isKilled = true;
    this.send("SIGKILL");
  }

  /** The engine ends its provider while the command runs. It would signal the command too if that were in the group of the provider. */
  interrupt(): void {
    if (this.force === undefined) {
      this.stop();
    } else {
      this.kill();
    }
  }

  /** After a stop: resolves when no process is left. */
  async stopped(): Promise<void> {
    while (this.send(0) && !this.isKilled) {
      await pause(lookMs);
    }
  }

  /** Call it at the end. Processes that are left go on. */
  release(): void {
    clearTimeout(this.force);
    running.delete(this);
    if (running.size === 0) {
      process.off("SIGINT", interruptAll);
    }
  }

  /** @returns whether there was a process */
  private send(signal: NodeJS.Signals | 0): boolean {
    const { pid, exitCode, signalCode } = this.command;
    if (pid === undefined) {
      return false;
    }
    if (this.platform === "win32") {
      const isRunning = exitCode === null && signalCode === null;
      if (isRunning && signal !== 0) {
        // Only with /T does it end the processes that the command has started, and a program without a window ends only by force.
        const args = ["/PID", String(pid), "/T", "/F"];
        spawn("taskkill", args, { stdio: "ignore", windowsHide: true }).on("error", () => this.command.kill());
      }
      return isRunning;
    }
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
}

const running = new Set<ProcessGroup>();

function interruptAll(): void {
  for (const group of running) {
    group.interrupt();
  }
}
