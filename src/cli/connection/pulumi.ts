import { spawn } from "node:child_process";
import { CliError } from "../exitCodes";

/** What a run of the program `pulumi` printed. */
export interface PulumiResult {
  /** Null if a signal ended it. */
  code: number | null;
  output: string;
  errors: string;
}

/**
 * Runs `pulumi`. It cannot ask questions, because it asks only where its output is a terminal.
 * @param signal ends the program
 * @throws CliError if the program cannot be started, or the signal ended it
 */
function runPulumi(
  args: readonly string[],
  purpose: string,
  signal?: AbortSignal,
  input?: string,
): Promise<PulumiResult> {
  return new Promise((resolve, reject) => {
    // On Windows, Pulumi is an .exe, which needs no shell.
    const child = spawn("pulumi", args, { stdio: [input === undefined ? "inherit" : "pipe", "pipe", "pipe"], signal });
    // A program that ends early closes its input. Its exit code and its errors say why.
    child.stdin?.on("error", () => undefined).end(input);
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on("data", (piece: Buffer) => output.push(piece));
    child.stderr?.on("data", (piece: Buffer) => errors.push(piece));
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (signal?.aborted === true) {
        reject(new CliError(`${purpose} was interrupted. No request was sent.`, "interrupted"));
        return;
      }
      const why = error.code === "ENOENT" ? "the program pulumi is not on the PATH" : error.message;
      reject(
        new CliError(`${purpose} failed: ${why}. Install Pulumi, or do without --stack. No request was sent.`, "usage"),
      );
    });
    child.once("close", (code) => resolve({ code, output: textOf(output), errors: textOf(errors) }));
  });
}

function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * The configuration of a stack of the project in the current folder, with its secrets, by full key. The secrets stay in memory.
 * @throws CliError
 */
export async function stackConfig(stack: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = await readStack(stack, "configuration", ["config", "--show-secrets", "--json"], signal);
  const entries = Object.entries(found as Record<string, { value?: unknown }>);
  return new Map(entries.flatMap(([key, { value }]) => (typeof value === "string" ? [[key, value]] : [])));
}

/**
 * The state of a stack of the project in the current folder, as `pulumi stack export` prints it. Secrets in it stay encrypted.
 * @throws CliError
 */
export function stackState(stack: string, signal?: AbortSignal): Promise<unknown> {
  return readStack(stack, "state", ["stack", "export"], signal);
}

/**
 * Replaces the state of a stack. Once begun, it is not interrupted.
 * @throws CliError with what Pulumi says about it
 */
export async function importState(stack: string, state: object): Promise<void> {
  const purpose = `The state of stack "${stack}" cannot be replaced: pulumi stack import`;
  const { code, errors } = await runPulumi(
    ["stack", "import", "--stack", stack],
    purpose,
    undefined,
    JSON.stringify(state),
  );
  if (code !== 0) {
    throw new CliError(`${purpose} ended with ${code ?? "a signal"}: ${reasonIn(errors)}`);
  }
}

async function readStack(stack: string, what: string, args: readonly string[], signal?: AbortSignal): Promise<object> {
  const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
  const purpose = `The ${what} of stack "${stack}" cannot be read: ${command}`;
  const { code, output, errors } = await runPulumi([...args, "--stack", stack], purpose, signal);
  if (code !== 0) {
    const next = `Correct this, and check it with "${command} --stack ${stack}" in this folder.`;
    throw new CliError(
      `${purpose} ended with ${code ?? "a signal"}: ${reasonIn(errors)} ${next} No request was sent.`,
      "usage",
    );
  }
  try {
    const found: unknown = JSON.parse(output);
    if (typeof found === "object" && found !== null) {
      return found;
    }
  } catch {
    // The output holds secrets, so the error does not show it.
  }
  throw new CliError(`${purpose} did not print the expected JSON. No request was sent.`, "usage");
}

const longestReason = 500;

/** What Pulumi says about a failure, as one sentence. */
function reasonIn(errors: string): string {
  const lines = errors.split("\n").map((line) => line.replace(/^error: /, "").trim());
  const said = lines.filter((line) => line !== "").join(" ");
  const reason = said.length > longestReason ? `${said.slice(0, longestReason)}…` : said;
  return reason === "" ? "it gave no reason." : /[.!?…]$/.test(reason) ? reason : `${reason}.`;
}

/** The version of the Pulumi engine on the PATH, such as `3.248.0`; undefined if there is none. */
export async function engineVersion(signal?: AbortSignal): Promise<string | undefined> {
  const result = await runPulumi(["version"], "pulumi version", signal).catch(() => undefined);
  return result?.code === 0 ? result.output.trim().replace(/^v/, "") : undefined;
}
