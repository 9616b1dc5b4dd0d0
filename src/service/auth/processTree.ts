import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../http/clock";

/** Number of looks between the request to end and the end by force, and milliseconds between two of them. */
const graceLooks = 20;
const lookMs = 100;

interface Process {
  pid: number;
  parent: number;
  /** Absent where the system does not show it. */
  session?: number;
}

/**
 * A command and all that it starts. A process group of its own would be simpler, but a command outside of the terminal's group cannot ask for a password
 * there. So the processes are found by their parents. On Linux, a mark in the environment also finds those whose parent has ended, except daemons with a
 * session of their own.
 */
export class ProcessTree {
  /** Belongs into the environment of the command. */
  readonly mark: { CREDENTIAL_COMMAND_RUN: string } = { CREDENTIAL_COMMAND_RUN: randomUUID() };
  private readonly onExit = (): void => this.kill();
  private root: number | undefined;

  constructor(private readonly platform = process.platform) {}

  /** From now on, the processes also end with this process. */
  watch(root: number | undefined): void {
    this.root = root;
    process.on("exit", this.onExit);
  }

  /** Processes that are left go on. */
  release(): void {
    process.off("exit", this.onExit);
  }

  /** Asks the processes to end, and ends them by force if they don't. Resolves when none is left. */
  async end(): Promise<void> {
    // A process whose parent has ended has another parent now: so those that were seen stay in the list while they run.
    let left: ReadonlySet<number> = this.running(new Set());
    for (let look = 0; left.size > 0 && look < graceLooks; look++) {
      // A process that started after the last look has got no signal.
      send(left, "SIGTERM");
      await pause(lookMs);
      left = this.running(left);
    }
    this.kill(left);
    this.release();
  }

  private kill(seen: ReadonlySet<number> = new Set()): void {
    if (this.root !== undefined && this.platform === "win32") {
      spawnSync("taskkill", ["/PID", String(this.root), "/T", "/F"], { stdio: "ignore", windowsHide: true });
      return;
    }
    // Until no process could start another one between the look and the signal.
    for (let left = this.running(seen), looks = 0; left.size > 0 && looks < graceLooks; looks++) {
      send(left, "SIGKILL");
      left = this.running(left);
    }
  }

  private running(seen: ReadonlySet<number>): ReadonlySet<number> {
    const processes = this.platform === "linux" ? linuxProcesses() : otherProcesses(this.platform);
    const session = processes.find(({ pid }) => pid === process.pid)?.session;
    const mark = Object.entries(this.mark)[0]?.join("=") ?? "";
    const found = new Set<number>();
    for (const { pid, session: own } of processes) {
      if (
        pid === this.root ||
        seen.has(pid) ||
        (own !== undefined && own === session && pid !== process.pid && hasMark(pid, mark))
      ) {
        found.add(pid);
      }
    }
    for (let size = -1; size !== found.size; ) {
      size = found.size;
      for (const { pid, parent } of processes) {
        if (found.has(parent)) {
          found.add(pid);
        }
      }
    }
    return found;
  }
}

function send(pids: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, or it belongs to another user, as sudo does.
    }
  }
}

/** Without those that have ended and that nobody has waited for. */
function linuxProcesses(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isNaN(pid) ? undefined : contentOf(`/proc/${name}/stat`);
    // The second field is the name of the program, which can contain spaces and parentheses.
    const [state, parent, , session] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    return state === undefined || state === "Z" ? [] : [{ pid, parent: Number(parent), session: Number(session) }];
  });
}

/** On Windows, taskkill finds them. */
function otherProcesses(platform: NodeJS.Platform): Process[] {
  if (platform === "win32") {
    return [];
  }
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/ +/);
    return state === undefined || state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

function hasMark(pid: number, mark: string): boolean {
  return contentOf(`/proc/${pid}/environ`)?.split("\0").includes(mark) === true;
}

/** Undefined for a process that has ended, and for one of another user. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
