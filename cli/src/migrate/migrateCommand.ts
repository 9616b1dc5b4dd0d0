import { resolve } from "node:path";
import { Option } from "commander";
import { ownPackage } from "../../../src/system/ownPackage";
import { writePrivateFile } from "../../../src/system/privateFile";
import { canonical } from "../../../src/values/plain";
import type { EngineKind } from "../../../src/values/urn";
import { shellQuoted } from "../../../src/values/words";
import type { CliCommand, Result } from "../command";
import { importState, requireStack, stackState } from "../connection/pulumi";
import { CliError } from "../exitCodes";
import { yesOption } from "../options";
import { migratedState } from "./migratedState";

const descriptions: Readonly<Record<EngineKind, string>> = {
  native: "resources of the native plugin",
  dynamic: "dynamic resources of the Node.js SDK",
};

export const migrateCommand: CliCommand = {
  name: "migrate",
  summary: "turn the resources of a stack into those of the native plugin, or back",
  details:
    "Nothing is sent to the service: the command shows what it would change in the state, asks, keeps a copy, and replaces it. " +
    "The next preview of a program of the new kind with the same arguments, rerunOn included, shows no change. A TypeScript program that sets webextract:native needs no migration.",
  connects: false,
  options: [
    new Option("--stack <name>", "a Pulumi stack (default: the selected one)"),
    new Option("--to <kind>", "what the resources become").choices(["native", "dynamic"]).default("native"),
    yesOption(),
  ],
  examples: [
    { line: "migrate --stack dev", does: "asks, and turns the dynamic resources of a stack into native ones" },
    { line: "migrate --stack dev --to dynamic --yes", does: "turns them back" },
  ],
  async run({ options }, cli): Promise<Result> {
    const { to, yes } = options as { to: EngineKind; yes?: boolean };
    const stack = await requireStack(options.stack as string | undefined, cli);
    const exported = await stackState(stack, cli.interrupted);
    const { state, counts } = migratedState(exported, to, ownPackage.version);
    const changes = [...counts].map(([type, count]) => `${count} ${type}`).join(", ");
    if (counts.size === 0) {
      return {
        json: { stack, to, converted: {} },
        text: () => `Stack "${stack}" has nothing to convert. Nothing was changed.`,
      };
    }
    const question = `Turn ${changes} of stack "${stack}" into ${descriptions[to]}?`;
    await cli.confirm(question, yes, "Nothing was changed.");
    cli.checkInterrupted("Nothing was changed.");
    if (canonical(await stackState(stack, cli.interrupted)) !== canonical(exported)) {
      throw new CliError(
        `The state of stack "${stack}" has changed in the meantime, as by another command. Nothing was changed. Run the same command again.`,
      );
    }
    const copy = await keepCopy(stack, exported);
    await replaceState(stack, state, copy);
    return {
      json: { stack, to, converted: Object.fromEntries(counts), copy },
      text: () =>
        `Converted ${changes}. The state before is in ${copy}. Now change the program to the other kind, and nothing else: "pulumi preview" must show no change. Run "pulumi up" before other changes.`,
    };
  },
};

/** Secrets in it are encrypted; other values can be private. */
async function keepCopy(stack: string, exported: unknown): Promise<string> {
  const name = `.webextract-state-${stack.replace(/[^\w.-]+/g, "-")}-${new Date().toISOString().replace(/[:.]/g, "-")}.json`;
  try {
    await writePrivateFile(resolve(name), `${JSON.stringify(exported, undefined, 2)}\n`, true);
  } catch (error) {
    throw new CliError(
      `A copy of the state cannot be written to ${name} (${String((error as NodeJS.ErrnoException).code)}). Nothing was changed.`,
    );
  }
  return name;
}

async function replaceState(stack: string, state: object, copy: string): Promise<void> {
  try {
    await importState(stack, state);
  } catch (error) {
    throw error instanceof CliError
      ? new CliError(
          `${error.message} The state before is in ${copy}: "pulumi stack import --stack ${shellQuoted(stack)} --file ${copy}" brings it back if needed.`,
        )
      : error;
  }
}
