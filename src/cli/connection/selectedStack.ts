import { namesService } from "../../service/environment";
import type { Cli } from "../cli";
import { CliError } from "../exitCodes";
import type { ConnectionFlags } from "./connection";
import { selectedStack } from "./pulumi";

/**
 * The flags of a command with the stack that `pulumi stack select` has chosen in the current folder, where neither the
 * command line nor the environment names a service: so the credentials of a stack never go to another service.
 */
export async function withSelectedStack<Flags extends ConnectionFlags>(flags: Flags, cli: Cli): Promise<Flags> {
  if (flags.baseUrl !== undefined || namesService()) {
    return flags;
  }
  return { ...flags, stack: await givenOrSelected(flags.stack, cli) };
}

/** The given stack or, which the command says, the selected one; undefined if none is selected. */
async function givenOrSelected(given: string | undefined, { terminal, interrupted }: Cli): Promise<string | undefined> {
  const selected = given === undefined ? await selectedStack(interrupted) : undefined;
  if (selected !== undefined) {
    terminal.say(`Using stack "${selected}", which is selected in this folder.`);
  }
  return given ?? selected;
}

/** @throws CliError if none is given and none is selected */
export async function requireStack(
  given: string | undefined,
  cli: Cli,
  next = "Name one with --stack.",
): Promise<string> {
  const stack = await givenOrSelected(given, cli);
  if (stack === undefined) {
    throw new CliError(`No stack is selected in this folder. ${next}`, "usage");
  }
  return stack;
}
