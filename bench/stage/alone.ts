import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** What a program of `bench/alone` tells of its work. */
export interface AloneResult {
  /** Of the work alone, without starting Node.js and loading the program. */
  seconds: number;
  /** The most memory before the work began, and at its end. */
  idleBytes: number;
  peakBytes: number;
  /** Rows read. */
  rows?: number;
  /** Outputs of the resource. */
  outs?: Record<string, unknown>;
}

export interface AloneOptions {
  /** Folder that the program runs in. */
  folder: string;
  /** What it is told to do. */
  task: object;
  /** On top of PATH alone. */
  env?: Readonly<Record<string, string>>;
}

/** Runs a program of `bench/alone` in a Node.js of its own. They are plain JavaScript, so that nothing but the work fills its memory. */
export async function runAlone(program: string, { folder, task, env }: AloneOptions): Promise<AloneResult> {
  const file = join(__dirname, "..", "alone", `${program}.cjs`);
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(task)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  return JSON.parse(stdout) as AloneResult;
}
