import { readdirSync, readFileSync } from "node:fs";

/** A process as `/proc` describes it. */
export interface ProcessFigures {
  pid: number;
  parent: number;
  /** Program and arguments, separated by spaces. */
  command: string;
  /** Processor time of the process itself, without its children. */
  cpuSeconds: number;
  /** Highest memory (`VmHWM`) in bytes; 0 for a process that has ended and was not waited for. */
  peakBytes: number;
}

/** `USER_HZ`, the unit of the times in /proc: 100 on each machine that Node.js runs on. */
const ticksPerSecond = 100;

/** All running processes that `pid` started, directly or indirectly. */
export function descendantsOf(pid: number): ProcessFigures[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), stat: statOf(Number(name)) }));
  const parents = new Map(all.map((each) => [each.pid, each.stat?.parent]));
  const isBelow = (each: number): boolean => {
    const parent = parents.get(each);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return all.flatMap((each) =>
    each.stat !== undefined && isBelow(each.pid)
      ? [{ pid: each.pid, ...each.stat, command: commandOf(each.pid), peakBytes: peakOf(each.pid) }]
      : [],
  );
}

/** Processor time of the ended children of this process, and of their waited-for children. */
export function cpuSecondsOfEndedChildren(): number {
  return statOf(process.pid)?.endedChildren ?? 0;
}

function statOf(pid: number): { parent: number; cpuSeconds: number; endedChildren: number } | undefined {
  const text = readProc(pid, "stat");
  // The name of the program is in parentheses and may itself contain parentheses.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) {
    return undefined;
  }
  const seconds = (first: number): number => (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
  return { parent: Number(fields[1]), cpuSeconds: seconds(11), endedChildren: seconds(13) };
}

function commandOf(pid: number): string {
  return (readProc(pid, "cmdline") ?? "").split("\0").join(" ").trim();
}

function peakOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProc(pid, "status") ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Undefined if the process has ended meanwhile. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
