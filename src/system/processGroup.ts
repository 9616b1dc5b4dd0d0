import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import type { Cancel } from "./clock";
import { clock, pause } from "./clock";
import { onAbort } from "./onAbort";

/** Milliseconds between the request to end and the end by force. */
const graceMs = 5000;
/** Milliseconds between two looks at what is left of a group. */
const lookMs = 50;
/**
 * Milliseconds in which the output of a command that has ended must arrive. A process that it leaves behind can keep
 * the pipe open.
 */
const outputMs = 1000;

export interface GroupOptions extends SpawnOptions {
  /** Ends by force without a request to end first, and with this process. */
  endsAtOnce?: boolean;
}

/** What ends a command before its own end. */
export interface CommandLimits {
  seconds: number;
  interrupted: AbortSignal;
  /** The work of this package that the interruption ends too, for the message. */
  work: string;
}

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A command and the processes that it starts, such as the commands of a shell script. They end together: with the
 * command alone, those would go on. On POSIX they are a process group. On Windows, `taskkill` ends them by force.
 */
export class ProcessGroup {
  readonly command: ChildProcess;
  readonly #endsAtOnce: boolean;
  readonly #platform: NodeJS.Platform;
  readonly #ending: Promise<string | undefined>;
  readonly #kill = (): void => this.kill();
  #stoppedBecause: string | undefined;
  #cancelForce: Cancel | undefined;
  #isKilled = false;

  constructor(
    command: string,
    args: readonly string[],
    { endsAtOnce = false, ...options }: GroupOptions,
    platform = process.platform,
  ) {
    this.#endsAtOnce = endsAtOnce;
    this.#platform = platform;
    // On Windows, a detached process would open a window.
    this.command = spawn(command, args, { ...options, detached: platform !== "win32", windowsHide: true });
    this.#ending = endingOf(this.command);
    if (endsAtOnce) {
      // First and once: when the listener of proper-lockfile is called, it sees whether other listeners are left, and
      // ends this process if there are none.
      for (const signal of endingSignals) process.prependOnceListener(signal, this.#kill);
      process.on("exit", this.#kill);
      return;
    }
    running.add(this);
    if (running.size === 1) process.on("SIGINT", interruptAll);
  }

  /**
   * Resolves when the command has ended and its output has arrived. Call `release` then.
   * @returns what went wrong, as the end of a sentence that begins with the command; undefined if it succeeded
   */
  async ended({ seconds, interrupted, work }: CommandLimits): Promise<string | undefined> {
    const cancelLimit = clock.deadline(seconds * 1000, () => this.stop(`did not end within ${seconds} s`));
    const stopListening = onAbort(interrupted, () => this.stop(`was ended because the ${work} was interrupted`));
    const closed = new Promise<void>((resolve) => this.command.once("close", resolve));
    const problem = await this.#ending;
    cancelLimit();
    stopListening();
    if (this.#stoppedBecause !== undefined) await this.stopped();
    await new Promise<void>((resolve) => {
      const cancel = clock.deadline(outputMs, resolve);
      void closed.then(cancel).then(resolve);
    });
    return this.#stoppedBecause ?? problem;
  }

  /** Asks the processes to end, and ends them by force if they don't. */
  stop(why?: string): void {
    this.#stoppedBecause ??= why;
    if (this.#endsAtOnce) {
      this.kill();
    } else if (this.#cancelForce === undefined) {
      this.#send("SIGTERM");
      this.#cancelForce = clock.deadline(graceMs, this.#kill);
    }
  }

  kill(): void {
    this.#isKilled = true;
    this.#send("SIGKILL");
  }

  /**
   * The engine ends its provider while the command runs. It would signal the command too if that were in the group of
   * the provider.
   */
  interrupt(): void {
    if (this.#cancelForce === undefined) this.stop();
    else this.kill();
  }

  /** After a stop: resolves when no process is left. */
  async stopped(): Promise<void> {
    while (this.#send(0) && !this.#isKilled) await pause(lookMs);
  }

  /** Call it at the end. Processes that are left go on. */
  release(): void {
    this.#cancelForce?.();
    for (const end of ["exit", ...endingSignals]) process.off(end, this.#kill);
    if (running.delete(this) && running.size === 0) process.off("SIGINT", interruptAll);
  }

  /** @returns whether there was a process */
  #send(signal: NodeJS.Signals | 0): boolean {
    const { pid, exitCode, signalCode } = this.command;
    if (pid === undefined) return false;
    if (this.#platform === "win32") {
      const isRunning = exitCode === null && signalCode === null;
      if (isRunning && signal !== 0) {
        // Only with /T does it end the processes that the command has started, and a program without a window ends only
        // by force.
        const args = ["/PID", String(pid), "/T", "/F"];
        // At the exit of this process, only what is synchronous still runs.
        const { error } = spawnSync("taskkill", args, { stdio: "ignore", windowsHide: true });
        if (error !== undefined) this.command.kill();
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

function endingOf(command: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    command.on("error", ({ code }: NodeJS.ErrnoException) => resolve(`could not be started (${code})`));
    command.on("exit", (code, signal) => {
      const failed = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      resolve(code === 0 ? undefined : failed);
    });
  });
}

const running = new Set<ProcessGroup>();

function interruptAll(): void {
  for (const group of running) group.interrupt();
}
