/**
 * `npm start`: the quickstart. Gets the engine, starts the emulator and the bookshop site, then runs the real `pulumi preview` and
 * `pulumi up` of the program in examples/quickstart.
 */
import { rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Argument, Command } from "commander";
import type { Engine } from "./engine/engine";
import { ensureEngine } from "./engine/ensureEngine";
import { adviceAfterUp } from "./start/advice";
import { disagreement } from "./start/agreement";
import { ensureBuilt } from "./start/build";
import { programFile, projectFolder, workFolder } from "./start/folders";
import { nextInterrupt, wasInterrupted, watchForInterrupt } from "./start/interrupt";
import { Problem } from "./start/problem";
import type { Services } from "./start/services";
import { startServices } from "./start/services";
import { showRows } from "./start/showRows";
import { Stack } from "./start/stack";

type Part = "all" | "preview" | "up" | "destroy" | "reset";

function say(line: string): void {
  console.log(`\n\u25b8 ${line}`);
}

async function preview(stack: Stack): Promise<boolean> {
  say("pulumi preview --diff");
  return await stack.show(["preview", "--diff"]);
}

async function up(stack: Stack, services: Services): Promise<boolean> {
  say("pulumi up --yes --skip-preview");
  if (!(await stack.show(["up", "--yes", "--skip-preview"]))) return false;
  const { file, lotNo } = await stack.outputs();
  if (typeof file === "string") showRows(resolve(programFile, "..", file));
  for (const page of services.unreadPages(String(lotNo))) console.log(`Could not be read: ${page}`);
  console.log(adviceAfterUp(stack.engine));
  return true;
}

async function destroy(stack: Stack): Promise<boolean> {
  say("WEBEXTRACT_FORCE_DESTROY=true pulumi destroy --yes");
  console.log("The task has rows. Without this setting, destroy refuses to remove them.");
  return await stack.show(["destroy", "--yes"], { WEBEXTRACT_FORCE_DESTROY: "true" });
}

async function openStack(engine: Engine, services: Services): Promise<Stack> {
  const { accessToken, refreshToken, apiKey } = services.credentials;
  const stack = new Stack(engine, {
    WEBEXTRACT_ACCESS_TOKEN: accessToken,
    WEBEXTRACT_REFRESH_TOKEN: refreshToken,
    WEBEXTRACT_API_KEY: apiKey,
    WEBEXTRACT_TOKEN_STORE: join(workFolder, "tokens"),
  });
  const resources = await stack.resources();
  const problem = disagreement(resources, services.copies);
  if (problem !== undefined) throw new Problem(problem);
  if (resources === undefined) await stack.create();
  await stack.configure({ "webextract:baseUrl": services.emulatorUrl, "quickstart:siteUrl": services.siteUrl });
  return stack;
}

function reset(): void {
  rmSync(workFolder, { recursive: true, force: true });
  console.log(`Deleted ${relative(projectFolder, workFolder)}: the stack, the state of the emulator and their ports.`);
}

/** Keeps the emulator and the shop until the user ends them, also after a failure: the page shows what happened. */
async function keepOpen({ emulatorUrl, siteUrl }: Services): Promise<void> {
  say(`The emulator's page: ${emulatorUrl}/__emulator/`);
  console.log(`The shop: ${siteUrl}/\nCtrl-C stops both.`);
  await nextInterrupt();
}

async function carryOut(step: Exclude<Part, "reset">, stack: Stack, services: Services): Promise<boolean> {
  switch (step) {
    case "preview":
      return await preview(stack);
    case "up":
      return await up(stack, services);
    case "destroy":
      return await destroy(stack);
    case "all":
      return (await preview(stack)) && !wasInterrupted() && (await up(stack, services));
  }
}

async function run(step: Part, open: boolean): Promise<boolean> {
  if (step === "reset") {
    reset();
    return true;
  }
  await ensureBuilt(say);
  const engine = await ensureEngine();
  const services = await startServices();
  let keptOpen = false;
  try {
    say(`The emulator listens on ${services.emulatorUrl}, the shop on ${services.siteUrl}.`);
    const stack = await openStack(engine, services);
    const succeeded = await carryOut(step, stack, services);
    keptOpen = open && !wasInterrupted();
    if (keptOpen) await keepOpen(services);
    return succeeded;
  } finally {
    await services.close();
    if (keptOpen) console.log("\nThe emulator and the shop have stopped.");
  }
}

async function main(step: Part, open: boolean): Promise<void> {
  watchForInterrupt();
  try {
    if (!(await run(step, open))) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof Problem || (error instanceof Error && error.name === "NoEngine"))) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
  if (wasInterrupted()) {
    console.log("\nStopped. Run `npm start` to continue.");
    process.exitCode = 130;
  }
}

const steps = ["preview", "up", "destroy", "reset"];
const what = new Argument("[what]", "one step instead of a preview and an up").choices(steps);

new Command("npm start --")
  .description("Runs the quickstart on this machine: the emulator, a small shop, and the real Pulumi engine.")
  .addArgument(what)
  .option("--open", "keep emulator and shop after the step, and print the address of the emulator's page", false)
  .addHelpText(
    "after",
    `
Steps:
  (none)   pulumi preview --diff, then pulumi up
  preview  the preview only; it needs no credential and makes no request
  up       the up only
  destroy  removes the rows of the task and all resources of the stack
  reset    deletes the stack and the state of the emulator; exported files stay`,
  )
  .allowExcessArguments(false)
  .action((step: Part = "all", { open }: { open: boolean }, command: Command) => {
    if (open && step === "reset") command.error("error: reset starts no emulator, so it cannot be used with --open");
    return main(step, open);
  })
  .parseAsync();
