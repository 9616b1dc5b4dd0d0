import type { SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const progressEvery = 10_000;

export interface WatchOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  /** Milliseconds after which the program is killed. */
  timeout: number;
  /** Called every ten seconds with the progress. */
  everySoOften(progress: { seconds: number; lines: number }): void;
}

export interface WatchedResult {
  /** `null` if it was killed. */
  code: number | null;
  /** The last line that is not blank, for an error message. */
  lastLine: string;
  lines: readonly string[];
}

/** Runs a program that takes long, without a terminal, and reports its progress. Rejects only if it cannot be started. */
export function runAndWatch(command: string, args: readonly string[], options: WatchOptions): Promise<WatchedResult> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const lines: string[] = [];
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // A grandchild can survive and keep the pipes open, so they are closed with the child.
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
      const said = lines.filter((line) => line.trim() !== "").at(-1) ?? "there was no output";
      const lastLine =
        code === null ? `not finished within ${options.timeout / 1000} s; last line of output: ${said}` : said;
      resolve({ code, lastLine, lines });
    });
  });
}
