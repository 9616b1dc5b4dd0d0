import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface RunningStore {
  port: number;
  stop(): Promise<void>;
}

/** A store of these processes, which have to be ended. */
export function runningStore(port: number, processes: ChildProcess[]): RunningStore {
  return { port, stop: async () => void (await Promise.all(processes.map(end))) };
}

async function end(process: ChildProcess): Promise<void> {
  const ended = once(process, "exit");
  if (process.exitCode === null && process.kill("SIGKILL")) {
    await ended;
  }
}
