import type { PromiseWithChild } from "node:child_process";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

/** The result of a program of `bench/alone`. */
export interface AloneResult {
  /** Time of the work, without the start of Node.js and of the program. */
  seconds: number;
  /** Processor time of the work. */
  cpuSeconds: number;
  /** Highest memory, at the end of the work. */
  peakBytes: number;
  /** Rows read. */
  rows?: number;
  /** Outputs of the resource. */
  outs?: Record<string, unknown>;
}

export interface AloneOptions {
  /** Working directory of the program. */
  folder: string;
  /** The work. */
  task: object;
  /** Environment variables in addition to PATH. */
  env?: Readonly<Record<string, string>>;
}

/** Runs a program of `bench/alone` in its own Node.js process. The programs are plain JavaScript, so that only the work uses memory. */
export async function runAlone(program: string, options: AloneOptions): Promise<AloneResult> {
  const { stdout } = await start(program, options);
  return JSON.parse(stdout) as AloneResult;
}

/** Works while a program runs. The program writes a line when it is ready, and ends with its standard input. */
export async function runBeside(
  program: string,
  options: AloneOptions,
  work: () => Promise<void>,
): Promise<AloneResult> {
  const running = start(program, options);
  const { stdin, stderr } = running.child;
  try {
    if (stderr !== null) await Promise.race([once(stderr, "data"), running]);
    await work();
  } finally {
    stdin?.end();
  }
  return JSON.parse((await running).stdout) as AloneResult;
}

function start(program: string, { folder, task, env }: AloneOptions): PromiseWithChild<{ stdout: string }> {
  const file = join(__dirname, "..", "alone", `${program}.cjs`);
  return promisify(execFile)(process.execPath, [file, JSON.stringify(task)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
}
