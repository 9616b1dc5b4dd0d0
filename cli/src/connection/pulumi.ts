import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { projectFolder } from "../../../src/config/projectFolder";
import { namesService } from "../../../src/service/environment";
import { messageOf } from "../../../src/values/errors";
import type { CommandContext } from "../commandContext";
import { CliError, usageError } from "../exitCodes";

/**
 * Runs `pulumi`, and returns its output. It cannot ask questions, because it asks only where its output is a terminal.
 * @param purpose begins the error
 * @param signal ends the program
 * @throws CliError if the program cannot be started, fails, or is ended by the signal
 */
async function runPulumi(args: readonly string[], purpose: string, signal?: AbortSignal, input = ""): Promise<string> {
  // On Windows, Pulumi is an .exe, which needs no shell.
  const running = promisify(execFile)("pulumi", args, { signal, maxBuffer: Number.POSITIVE_INFINITY });
  // A program that ends early closes its input. Its exit code and its errors say why.
  running.child.stdin?.on("error", () => undefined).end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    if (signal?.aborted === true) {
      throw new CliError(`${purpose} was interrupted. No request was sent.`, "interrupted");
    }
    if (typeof code === "string") {
      const why = code === "ENOENT" ? "the program pulumi is not on the PATH" : code;
      const without = args.includes("--stack") ? ", or do without --stack" : "";
      throw usageError(`${purpose} failed: ${why}. Install Pulumi${without}.`);
    }
    const shown = args.filter((arg) => arg !== "--show-secrets" && arg !== "--json").join(" ");
    const next = input === "" ? ` Correct this, and check it with "pulumi ${shown}" in this folder.` : "";
    throw usageError(`${purpose} ended with ${code ?? "a signal"}: ${reasonIn(stderr)}${next}`);
  }
}

/**
 * The flags of a command with the stack that `pulumi stack select` has chosen in the current folder, where neither the
 * command line nor the environment names a service: so the credentials of a stack never go to another service.
 */
export async function withSelectedStack<Flags extends { baseUrl?: string } & FoundStack>(
  flags: Flags,
  cli: CommandContext,
): Promise<Flags> {
  if (flags.baseUrl !== undefined || namesService()) {
    if (flags.stack === undefined && projectFolder() !== undefined) {
      const by = flags.baseUrl === undefined ? "WEBEXTRACT_BASE_URL" : "--base-url";
      cli.terminal.say(`${by} names the service, so no stack of this folder is used, nor its credentials.`);
    }
    return flags;
  }
  return { ...flags, ...(await givenOrSelected(flags.stack, cli)) };
}

/** It has neither if there is no project, or no stack of it is selected. */
interface FoundStack {
  stack?: string;
  /** Why Pulumi cannot tell which stack is selected. */
  unreadStack?: string;
}

/** The given stack or, which the command says, the selected one of the project in the current folder. */
async function givenOrSelected(
  given: string | undefined,
  { terminal, interrupted }: CommandContext,
): Promise<FoundStack> {
  if (given !== undefined) {
    return { stack: given };
  }
  let selected: string;
  try {
    const purpose = "The selected stack cannot be read: pulumi stack";
    selected = (await runPulumi(["stack", "--show-name"], purpose, interrupted)).trim();
  } catch (error) {
    if (interrupted.aborted) throw error;
    const isNone = projectFolder() === undefined || messageOf(error).includes("no stack selected");
    return isNone ? {} : { unreadStack: messageOf(error) };
  }
  if (selected === "") {
    return {};
  }
  terminal.say(`Using stack "${selected}", which is selected in this folder.`);
  return { stack: selected };
}

/** @throws CliError if none is given and none is selected */
export async function requireStack(
  given: string | undefined,
  cli: CommandContext,
  next = "Name one with --stack.",
): Promise<string> {
  const { stack, unreadStack = "No stack is selected in this folder." } = await givenOrSelected(given, cli);
  if (stack === undefined) {
    throw new CliError(`${unreadStack} ${next}`, "usage");
  }
  return stack;
}

/**
 * The configuration of a stack of the project in the current folder, with its secrets, by full key. The secrets stay in
 * memory.
 * @throws CliError
 */
export async function stackConfig(stack: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = await readStack(stack, "configuration", ["config", "--show-secrets", "--json"], signal);
  const entries = Object.entries(found as Record<string, { value?: unknown }>);
  return new Map(entries.flatMap(([key, { value }]) => (typeof value === "string" ? [[key, value]] : [])));
}

/**
 * The state of a stack of the project in the current folder, as `pulumi stack export` prints it. Secrets in it stay
 * encrypted.
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
  await runPulumi(["stack", "import", "--stack", stack], purpose, undefined, JSON.stringify(state));
}

async function readStack(stack: string, what: string, args: readonly string[], signal?: AbortSignal): Promise<object> {
  const command = `pulumi ${args.filter((arg) => !arg.startsWith("-")).join(" ")}`;
  const purpose = `The ${what} of stack "${stack}" cannot be read: ${command}`;
  const output = await runPulumi([...args, "--stack", stack], purpose, signal);
  try {
    const found: unknown = JSON.parse(output);
    if (typeof found === "object" && found !== null) {
      return found;
    }
  } catch {
    // The output holds secrets, so the error does not show it.
  }
  throw usageError(`${purpose} did not print the expected JSON.`);
}

const longestReason = 500;

/** What Pulumi says about a failure, as one sentence. */
function reasonIn(errors: string): string {
  const lines = errors.split("\n").map((line) => line.replace(/^error: /, "").trim());
  const said = lines.filter((line) => line !== "").join(" ") || "it gave no reason";
  return /[.!?]$/.test(said) && said.length <= longestReason ? said : `${said.slice(0, longestReason)}.`;
}

/** The version of the Pulumi engine on the PATH, such as `3.248.0`; undefined if there is none. */
export async function engineVersion(signal?: AbortSignal): Promise<string | undefined> {
  const version = await runPulumi(["version"], "pulumi version", signal).catch(() => undefined);
  return version?.trim().replace(/^v/, "");
}
