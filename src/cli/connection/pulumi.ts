import { spawn } from "node:child_process";
import { CliError } from "../exitCodes";

/** What a run of the program `pulumi` printed. */
export interface PulumiAnswer {
  /** Null if a signal ended it. */
  code: number | null;
  output: string;
}

/**
 * Runs `pulumi`. Its questions, such as for a passphrase, and its errors go to the terminal.
 * @throws CliError if the program cannot be started
 */
export function runPulumi(args: readonly string[], purpose: string): Promise<PulumiAnswer> {
  return new Promise((resolve, reject) => {
    // On Windows, Pulumi is an .exe, which needs no shell.
    const child = spawn("pulumi", args, { stdio: ["inherit", "pipe", "inherit"] });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "the program pulumi is not on the PATH" : error.message;
      reject(
        new CliError(`${purpose} failed: ${why}. Install Pulumi, or do without --stack. No request was sent.`, "usage"),
      );
    });
    child.once("close", (code) => resolve({ code, output: Buffer.concat(pieces).toString("utf8") }));
  });
}

/**
 * The configuration of a stack of the project in the current folder, with its secrets, by full key. The secrets stay in memory.
 * @throws CliError
 */
export async function stackConfig(stack: string): Promise<ReadonlyMap<string, string>> {
  const purpose = `The configuration of stack "${stack}" cannot be read: pulumi config`;
  const { code, output } = await runPulumi(["config", "--show-secrets", "--json", "--stack", stack], purpose);
  if (code !== 0) {
    throw new CliError(`${purpose} ended with ${code ?? "a signal"}, see above. No request was sent.`, "usage");
  }
  try {
    const entries = Object.entries(JSON.parse(output) as Record<string, { value?: unknown }>);
    return new Map(entries.flatMap(([key, { value }]) => (typeof value === "string" ? [[key, value]] : [])));
  } catch {
    // The output holds secrets, so the error does not show it.
    throw new CliError(`${purpose} did not print the expected JSON. No request was sent.`, "usage");
  }
}

/** The version of the Pulumi engine on the PATH, such as `3.248.0`; undefined if there is none. */
export async function engineVersion(): Promise<string | undefined> {
  const answer = await runPulumi(["version"], "pulumi version").catch(() => undefined);
  return answer?.code === 0 ? answer.output.trim().replace(/^v/, "") : undefined;
}
