import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { commandEnvironment } from "../../service/environment";
import type { Problem } from "../args";
import type { Context } from "../resource";
import { PartialFailure } from "../resource";
import type { DataExportArgs, DataExportState } from "./model";
import { defaultPipeTimeout, pendingPipe } from "./model";
import { withLotNo } from "./outputPath";

/** What is kept of stderr. */
const mostLines = 10;
const mostCharacters = 4000;

/** Milliseconds between the request to end and the end by force. */
const graceMs = 5000;
/** Milliseconds in which the output of a command that has ended must arrive. Another process can keep the pipe open. */
const outputMs = 1000;

/** Problems that can be seen without running the command. */
export function checkPipe({ pipe, lotNo }: DataExportArgs, problems: Problem[]): void {
  if (!Array.isArray(pipe) || lotNo !== undefined) {
    return;
  }
  pipe.forEach((part, index) => {
    if (typeof part === "string" && part.includes("{lotNo}")) {
      problems.push({ path: `pipe[${index}]`, reason: 'contains "{lotNo}", which needs scope "batch"' });
    }
  });
}

/**
 * Runs the command with the complete file as its stdin. The command reads the file itself, and not what this process passes on: so it gets all rows, also
 * if this process is killed.
 * @param content the file, open to read
 * @throws PartialFailure if the command did not succeed: the file is in its place
 */
export async function runPipe(content: FileHandle, state: DataExportState, context: Context): Promise<void> {
  const { pipe = [], lotNo, file, rowCount, markExported } = state;
  const [command = "", ...rest] = pipe.map((part) => withLotNo(part, lotNo).replaceAll("{file}", file));
  context.progress(`"${command}" gets ${rowCount} rows`);
  const problem = await run(content, [command, ...rest], state, context);
  if (problem === undefined) {
    return;
  }
  const nothing = markExported === true ? " Nothing was marked as exported." : "";
  const message =
    `The command "${command}" of pipe ${problem}\nThe ${rowCount} rows are in "${file}".${nothing} The command may have used some of them. ` +
    "The next up exports again into the same file and runs the command again.";
  throw new PartialFailure(message, file, { ...state, pending: [...(state.pending ?? []), pendingPipe] });
}

/** Returns why the command did not succeed. */
function run(
  content: FileHandle,
  [command = "", ...args]: readonly string[],
  { pipeTimeoutSeconds = defaultPipeTimeout }: DataExportArgs,
  { client, folder, interrupted }: Context,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const redact = (text: string): string => client.redact(text);
    const child = spawn(command, args, {
      cwd: folder,
      env: commandEnvironment(redact),
      // Nobody reads its stdout: that of this process belongs to the engine.
      stdio: [content.fd, "ignore", "pipe"],
      windowsHide: true,
    });
    let said = "";
    let endedBecause: string | undefined;
    let force: NodeJS.Timeout | undefined;
    const stop = (why: string): void => {
      endedBecause ??= why;
      child.kill("SIGTERM");
      force ??= setTimeout(() => child.kill("SIGKILL"), graceMs);
    };
    const onInterrupt = (): void => stop("was ended because the export was interrupted.");
    const timer = setTimeout(() => stop(`did not end within ${pipeTimeoutSeconds} s.`), pipeTimeoutSeconds * 1000);
    const settle = (problem: string | undefined): void => {
      clearTimeout(timer);
      clearTimeout(force);
      interrupted.removeEventListener("abort", onInterrupt);
      child.stderr?.destroy();
      resolve(problem === undefined ? undefined : `${problem}${lastLines(redact(said))}`);
    };
    interrupted.addEventListener("abort", onInterrupt);
    if (interrupted.aborted) {
      onInterrupt();
    }
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      // Twice as much, so that a credential at the cut is still whole, and hidden.
      said = `${said}${piece}`.slice(-2 * mostCharacters);
    });
    child.on("error", (error: NodeJS.ErrnoException) => settle(startProblem(error)));
    child.on("exit", (code, signal) => {
      const ending =
        code === null ? `was ended by ${signal}.` : code === 0 ? undefined : `ended with exit code ${code}.`;
      const problem = endedBecause ?? ending;
      child.stderr?.on("close", () => settle(problem));
      setTimeout(() => settle(problem), outputMs).unref();
    });
  });
}

function startProblem({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") {
    return 'was not found. Install it, or name it by its path. A command with options is a list, such as ["psql", "-c", "…"]; no shell runs it.';
  }
  return code === "EACCES" ? "is not executable." : `could not be started (${code}).`;
}

function lastLines(said: string): string {
  const lines = said.slice(-mostCharacters).trimEnd().split(/\r?\n/).slice(-mostLines);
  const text = lines.join("\n  ").trim();
  return text === "" ? "" : ` It wrote to stderr:\n  ${text}`;
}
