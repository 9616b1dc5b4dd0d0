import type { SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const progressEvery = 10_000;

export interface WatchOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** After so many milliseconds it is killed. */
  timeout: number;
  /** Called every ten seconds, with what it has written so far. */
  everySoOften(progress: { seconds: number; lines: number }): void;
}

export interface WatchedResult {
  /** `null` where it was killed. */
  code: number | null;
  /** The last line that says something, for an error message. */
  lastLine: string;
  lines: readonly string[];
}

/** Runs a program that takes long, without a terminal, and tells every so often how far it is. Rejects only if it cannot be started. */
export function runAndWatch(command: string, args: readonly string[], options: WatchOptions): Promise<WatchedResult> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const lines: string[] = [];
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // A grandchild may live on and keep the pipes open: they are given up with the child.
    const deadline = setTimeout(() => {
      child.kill();
      child.stdout.destroy();
      child.stderr.destroy();
    }, options.timeout);
    const stopTimers = () => {
      clearInterval(timer);
      clearTimeout(deadline);
    };
    const timer = setInterval(() => {
      options.everySoOften({ seconds: Math.round((Date.now() - started) / 1000), lines: lines.length });
    }, progressEvery);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => lines.push(line));
    }
    child.once("error", (error) => {
      stopTimers();
      reject(error);
    });
    child.once("close", (code) => {
      stopTimers();
      const said = lines.filter((line) => line.trim() !== "").at(-1) ?? "it said nothing";
      const lastLine = code === null ? `not done within ${options.timeout / 1000} s; last it said: ${said}` : said;
      resolve({ code, lastLine, lines });
    });
  });
}
