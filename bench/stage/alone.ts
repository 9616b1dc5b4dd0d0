import { execFile } from "node:child_process";
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
export async function runAlone(program: string, { folder, task, env }: AloneOptions): Promise<AloneResult> {
  const file = join(__dirname, "..", "alone", `${program}.cjs`);
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(task)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  return JSON.parse(stdout) as AloneResult;
}
