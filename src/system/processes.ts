import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./privateFile";

/** A process of some machine, named so that no later process has the same name. */
export interface ProcessName {
  host: string;
  pid: number;
  /** When the process started: the boot, and the ticks since then. Absent on systems that do not show it. */
  start?: string;
}

/** The processes of this machine, and this process among them. */
export interface Processes {
  readonly own: ProcessName;
  /**
   * Whether it is another process of this machine that is running. A process of another machine cannot be seen, so it
   * does not count.
   */
  isRunning(process: ProcessName): boolean;
}

/** As the system shows them. Without `/proc`, a running process with the same id counts as the same process. */
export function systemProcesses(folder = "/proc"): Processes {
  const startOf = (pid: number): string | undefined => {
    try {
      const boot = readFileSync(`${folder}/sys/kernel/random/boot_id`, "utf8").trim();
      // The second field is the name of the program, which can contain spaces and parentheses.
      const fields = readFileSync(`${folder}/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
      // A zombie has ended. Where nothing collects the orphans of a killed engine, as in many containers, it stays for
      // ever.
      return fields?.[0] === "Z" ? undefined : `${boot} ${fields?.[19]}`;
    } catch {
      return undefined;
    }
  };
  const own: ProcessName = { host: hostname(), pid: process.pid, start: startOf(process.pid) };
  return {
    own,
    isRunning({ host, pid, start }) {
      if (host !== own.host || (pid === own.pid && start === own.start)) {
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
    return codeOf(error) === "EPERM";
  }
}
