import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A process of some machine, named so that no later process has the same name. */
export interface ProcessName {
  host: string;
  /** The boot of the machine. Absent on systems that do not show it. */
  boot?: string;
  pid: number;
  /** When the process started, in ticks since the boot. Absent on systems that do not show it. */
  start?: string;
}

/** The processes of this machine, and this process among them. */
export interface Processes {
  readonly own: ProcessName;
  /** Whether it is another process of this machine that is running. A process of another machine cannot be seen, so it does not count. */
  isRunning(process: ProcessName): boolean;
}

/** As the system shows them. Without `/proc`, a running process with the same id counts as the same process. */
export function systemProcesses(folder = "/proc"): Processes {
  const contentOf = (path: string): string | undefined => {
    try {
      return readFileSync(`${folder}/${path}`, "utf8");
    } catch {
      return undefined;
    }
  };
  // The second field is the name of the program, which can contain spaces and parentheses.
  const startOf = (pid: number): string | undefined => contentOf(`${pid}/stat`)?.split(") ").at(-1)?.split(" ")[19];
  const boot = contentOf("sys/kernel/random/boot_id")?.trim();
  const own: ProcessName = { host: hostname(), boot, pid: process.pid, start: startOf(process.pid) };
  return {
    own,
    isRunning({ host, boot: bootOfOther, pid, start }) {
      if (host !== own.host || bootOfOther !== boot || (pid === own.pid && start === own.start)) {
        return false;
      }
      return start === undefined ? exists(pid) : startOf(pid) === start;
    },
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
