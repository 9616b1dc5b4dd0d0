import { execFileSync } from "node:child_process";

/** A process in the output of `ps`. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  command: string;
}

/** The host of dynamic resources or the native plugin, by its command line. The shell that starts it does not match. */
export const hostPattern = /^\S*node\S* .*[\\/](?:cmd[\\/]dynamic-provider|pulumi-resource-webextract)/;

/** All running processes that `pid` started, directly or indirectly. */
export function descendantsOf(pid: number): ProcessInfo[] {
  const all = listProcesses();
  const found: ProcessInfo[] = [];
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** Kills a process, like a crash. Does nothing if the process has ended. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function listProcesses(): ProcessInfo[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8", maxBuffer: 64e6 });
  return table.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), parent: Number(match[2]), command: String(match[3]) }];
  });
}
