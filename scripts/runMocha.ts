import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { TestCounts } from "../test/reporter";
import { summaryOf } from "../test/reporter";
import { programOf, repositoryRoot } from "./commands";

const heartbeatEvery = 30_000;
/** In milliseconds. On a busy machine, the removal of large temporary folders at the exit takes more than 10 s. */
const endsWithin = 60_000;

export interface MochaOptions {
  /** The program `node`. Default: that of this process. */
  node?: string;
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs mocha in its own process, so that a crash is counted. A run that stops early counts as one failed test, and so does a process that
 * does not exit after the last test because a test left something open.
 */
export function runMocha(args: readonly string[], options: MochaOptions = {}): Promise<TestCounts> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.node ?? process.execPath, [programOf("mocha"), "--forbid-only", ...args], {
      cwd: repositoryRoot,
      env: options.env,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    let counts: TestCounts = { passed: 0, failed: 0, skipped: 0, failures: [], ended: false };
    let stuck: NodeJS.Timeout | undefined;
    const heartbeat = startHeartbeat(() => counts);
    child.on("message", (message) => {
      counts = message as TestCounts;
      if (counts.ended) {
        stuck = endSoon(child);
      }
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearInterval(heartbeat);
      clearTimeout(stuck);
      resolve(judge(counts, code, signal));
    });
  });
}

function judge(counts: TestCounts, code: number | null, signal: NodeJS.Signals | null): TestCounts {
  if (!counts.ended) {
    return withFailure(counts, `the test run stopped early (${signal ?? `exit code ${code}`})`);
  }
  if (signal !== null) {
    return withFailure(
      counts,
      "all tests ran, but the process did not exit: a test left a server, a timer or a process open",
    );
  }
  if (code !== 0 && counts.failed === 0) {
    return withFailure(counts, `all tests passed, but the process exited with ${code}`);
  }
  return counts;
}

function withFailure(counts: TestCounts, what: string): TestCounts {
  const line = `✖ ${what}`;
  console.log(line);
  return { ...counts, failed: counts.failed + 1, failures: [...counts.failures, line] };
}

function endSoon(child: ChildProcess): NodeJS.Timeout {
  return setTimeout(() => child.kill("SIGKILL"), endsWithin);
}

/** Prints the progress at regular intervals. */
function startHeartbeat(now: () => TestCounts): NodeJS.Timeout {
  const started = Date.now();
  return setInterval(() => {
    console.log(`   … ${summaryOf(now())} so far, ${Math.round((Date.now() - started) / 1000)} s`);
  }, heartbeatEvery);
}
