import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { descendantsOf, hostPattern, isRunning, killNow } from "./processes";

/** The exit and the output of one command of the engine. */
export interface RunResult {
  /** Exit code; `null` if a signal ended the command. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output and standard error, in the order of writing. */
  output: string;
}

export interface StartOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A command of the engine that may still be running. */
export class Run {
  /** Settles when the command has ended, with any exit code. */
  readonly done: Promise<RunResult>;
  private readonly child: ChildProcess;
  private readonly waiting = new Set<() => void>();
  private stdout = "";
  private stderr = "";
  private written = "";
  private ended = false;

  constructor(pulumi: string, args: readonly string[], options: StartOptions) {
    const child = spawn(pulumi, args, { cwd: options.cwd, env: options.env, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.note(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.note(text);
    });
    this.done = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        this.ended = true;
        this.note("");
        resolve({ code, stdout: this.stdout, stderr: this.stderr, output: this.written });
      });
    });
  }

  /** The output so far. */
  get output(): string {
    return this.written;
  }

  /** Waits for the text in the output. Rejects if the command ends before it writes the text. */
  waitFor(text: string | RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (typeof text === "string" ? this.written.includes(text) : text.test(this.written)) {
          this.waiting.delete(look);
          resolve();
        } else if (this.ended) {
          this.waiting.delete(look);
          reject(new Error(`ended without writing ${text}:\n${this.written}`));
        }
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Sends the signal of Ctrl-C. A second call is the second Ctrl-C. */
  interrupt(): void {
    this.child.kill("SIGINT");
  }

  /** Kills only the engine, like a crash. Its child processes continue. @returns when the hosts of dynamic resources have ended. */
  async killEngine(): Promise<void> {
    const hosts = this.hosts();
    killNow(this.pid);
    while (hosts.some(isRunning)) {
      await setTimeout(20);
    }
  }

  /** Kills the engine and all processes that it started, like the loss of the machine. */
  killAll(): void {
    const started = descendantsOf(this.pid);
    killNow(this.pid);
    for (const { pid } of started) {
      killNow(pid);
    }
  }

  /** Kills the processes that run the handlers of dynamic resources. Throws if there is no such process, because the test would prove nothing. */
  killHosts(): void {
    const hosts = this.hosts();
    if (hosts.length === 0) {
      throw new Error(`no host of dynamic resources is running:\n${this.written}`);
    }
    hosts.forEach(killNow);
  }

  /** Signals the processes that run the handlers of dynamic resources, and with `engine` the engine first, as the end of a container does. */
  signal(signal: NodeJS.Signals, to: "hosts" | "engine and hosts"): void {
    const hosts = this.hosts();
    for (const pid of to === "hosts" ? hosts : [this.pid, ...hosts]) {
      process.kill(pid, signal);
    }
  }

  /** Resolves when no process that runs the handlers is left. */
  async hostsEnded(): Promise<void> {
    while (this.hosts().length > 0) {
      await setTimeout(20);
    }
  }

  private hosts(): number[] {
    const hosts = descendantsOf(this.pid).filter(({ command }) => hostPattern.test(command));
    return hosts.map(({ pid }) => pid);
  }

  private get pid(): number {
    if (this.child.pid === undefined) {
      throw new Error("the engine could not be started");
    }
    return this.child.pid;
  }

  private note(text: string): void {
    this.written += text;
    for (const look of [...this.waiting]) {
      look();
    }
  }
}
