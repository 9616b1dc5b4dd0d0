import type { FileHandle } from "node:fs/promises";
import { withLotNo } from "../../rows/outputPath";
import { commandEnvironment } from "../../service/environment";
import { hideSecrets } from "../../service/errors/secretShapes";
import { ProcessGroup } from "../../system/processGroup";
import { PartialFailure } from "../../values/errors";
import type { Context } from "../resource";
import type { DataExportArgs, DataExportState } from "./model";
import { defaultPipeTimeout, pendingSteps } from "./model";

/** What is kept of stderr. */
const mostLines = 10;
const mostCharacters = 4000;

/**
 * Runs the command with the complete file as its stdin. The command reads the file itself, and not what this process
 * passes on: so it gets all rows, also if this process is killed.
 * @param content the file, open to read
 * @throws PartialFailure if the command did not succeed: the file is in its place
 */
export async function runPipe(content: FileHandle, state: DataExportState, context: Context): Promise<void> {
  const { taskId, pipe = [], lotNo, file, rowCount, markExported } = state;
  const [command = "", ...rest] = pipe.map((part) => withLotNo(part, lotNo).replaceAll("{file}", () => file));
  context.progress(`"${command}" gets ${rowCount} rows`);
  const problem = await run(content, [command, ...rest], state, context);
  if (problem !== undefined) {
    const marked = markExported === true ? " Nothing was marked as exported." : "";
    const message =
      `The command "${command}" of pipe ${problem}\nThe ${rowCount} rows of task "${taskId}" are in "${file}".${marked} ` +
      "The command may have used some of them. The next up exports again into the same file and runs the command again.";
    throw new PartialFailure(message, file, { ...state, pending: [...(state.pending ?? []), pendingSteps.pipe] });
  }
}

/** Returns how a sentence goes on that begins with the command; undefined if it succeeded. */
async function run(
  content: FileHandle,
  [command = "", ...args]: readonly string[],
  { pipeTimeoutSeconds = defaultPipeTimeout }: DataExportArgs,
  { redact, folder, interrupted }: Context,
): Promise<string | undefined> {
  if (interrupted.aborted) {
    return "was not started because the export was interrupted.";
  }
  let group: ProcessGroup;
  try {
    group = new ProcessGroup(command, args, {
      cwd: folder,
      env: commandEnvironment(redact),
      // Nobody reads its stdout: that of this process belongs to the engine.
      stdio: [content.fd, "ignore", "pipe"],
    });
  } catch (error) {
    // Node.js emits some problems of a start, such as ENOENT, and throws the others, such as E2BIG.
    return `could not be started (${(error as NodeJS.ErrnoException).code})${startAdvice}`;
  }
  const { stderr } = group.command;
  let said = "";
  stderr?.setEncoding("utf8").on("data", (piece: string) => {
    // Twice as much, so that a credential at the cut is still whole, and hidden.
    said = `${said}${piece}`.slice(-2 * mostCharacters);
  });
  const problem = await group.ended({ seconds: pipeTimeoutSeconds, interrupted, work: "export" });
  group.release();
  stderr?.destroy();
  if (problem === undefined) {
    return undefined;
  }
  const sentence = `${problem}${group.command.pid === undefined ? startAdvice : "."}`;
  const text = hideSecrets(redact(said))
    .slice(-mostCharacters)
    .trimEnd()
    .split(/\r?\n/)
    .slice(-mostLines)
    .join("\n  ")
    .trim();
  return text === "" ? sentence : `${sentence} It wrote to stderr:\n  ${text}`;
}

const startAdvice =
  '. Name a program by its name or path, and each of its options as a part of its own, such as ["psql", "-c", "…"]: no shell runs it.';
