import { constants } from "node:buffer";
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { packageVersion } from "./contract";
import { messageOf } from "./errors";
import type { FaultFile } from "./faults/faults";
import type { Behaviour, Emulator, Plan, Seed } from "./index";
import {
  allowedValues,
  behaviourNames,
  checkSeed,
  documentedBehaviour,
  exportStateFile,
  importStateFile,
  parseBehaviour,
  readFaultFile,
  startEmulator,
} from "./index";
import type { LimitedOption } from "./limits";
import { allowedIntegers, isWithinLimits } from "./limits";
import { plans } from "./store/seed";
import { readYamlFile } from "./store/yamlFile";

interface EmulatorFlags {
  port: number;
  host: string;
  state?: string;
  seed?: Seed;
  behaviour: Partial<Behaviour>;
  behaviours?: FaultFile;
  faults?: FaultFile;
  plan: PlanOrFaults;
  bookshop: boolean;
  site?: string;
  latency: number;
  adminToken?: string;
  pageTimeout: number;
  pageMemory: number;
  quiet: boolean;
}

/** Both are called a plan: what an account has paid for, and the faults to come. */
interface PlanOrFaults {
  plan?: Plan;
  faults?: FaultFile;
}

/** An emulator of this command can run for weeks. */
const journalLimit = 10_000;

/** The command `webextract-emulator`: runs the emulator until it is interrupted. */
function command(): Command {
  const root = serverCommand();
  root
    .command("export")
    .description("Write the state of a state file as one JSON document, with credentials")
    .argument("<state>", "state file; no emulator may use it")
    .argument("[file]", "file to write, or - for the standard output", "-")
    .allowExcessArguments(false)
    .action(exportTo);
  root
    .command("import")
    .description("Create a state file from an exported document")
    .argument("<state>", "state file to create")
    .argument("<file>", "JSON document, or - for the standard input")
    .option("--replace", "replace an existing state file", false)
    .allowExcessArguments(false)
    .action(importFrom);
  return root;
}

async function exportTo(state: string, file: string): Promise<void> {
  // The log must not be a part of the document.
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  if (file === "-") {
    await exportStateFile(state, writeToOutput, log);
    return;
  }
  // Under another name first, so that a failed export replaces nothing. The document holds credentials.
  const unfinished = `${file}.new`;
  const descriptor = openSync(unfinished, "w", 0o600);
  try {
    await exportStateFile(state, (text) => writeFileSync(descriptor, text), log);
    closeSync(descriptor);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

async function writeToOutput(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

async function importFrom(state: string, file: string, { replace }: { replace: boolean }): Promise<void> {
  if (existsSync(state) && !replace) throw new Error(`${state} exists: name another file, or add --replace`);
  const document = parseJson(await readDocument(file));
  if (document === undefined) throw new Error(`${file} is not JSON`);
  await importStateFile(state, document, { replace });
  say(`The state is in ${state}.`);
}

/** @throws Error if the document is longer than a string can be. */
async function readDocument(file: string): Promise<string> {
  const most = constants.MAX_STRING_LENGTH;
  const tooLong = (size: string) =>
    new Error(
      `${file === "-" ? "the standard input" : file} has ${size} MB, and a document can have at most ${megabytes(most)} MB. Action: copy the state file itself, with its emulator stopped`,
    );
  // The size of a pipe is 0.
  const { size } = file === "-" ? fstatSync(process.stdin.fd) : statSync(file);
  if (size > most) throw tooLong(megabytes(size));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file === "-" ? process.stdin : createReadStream(file)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw tooLong(`more than ${megabytes(most)}`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / 1024 / 1024).toLocaleString("en");
}

function serverCommand(): Command {
  return new Command("webextract-emulator")
    .version(packageVersion())
    .description("Run a stateful emulator of the service on this machine")
    .option("--port <number>", "port to listen on; 0 means a free port", within("port"), 8787)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--state <file>", "state file, which the next start continues from (default: no file)")
    .option("--seed <file>", "YAML or JSON file with the initial task groups, tasks and credentials", readSeed)
    .option(
      "--behaviour <name=value...>",
      "behaviour that the contract leaves open; see --list-behaviours",
      collectBehaviour,
      {},
    )
    .option(
      "--behaviours <file>",
      "YAML or JSON file with behaviours, as webextract probe --write writes it, or documented: all that documentation of live services says",
      (file) => (file === "documented" ? { behaviour: documentedBehaviour } : explained(() => readBehaviourFile(file))),
    )
    .option("--faults <file>", "YAML or JSON file with faults and behaviours", (file) =>
      explained(() => readFaultFile(file)),
    )
    .option(
      "--plan <plan or file>",
      `plan of the account (${plans.join(", ")}), or a file as for --faults; both can be given`,
      collectPlan,
      {},
    )
    .option("--bookshop", "serve the pages of a bookshop at /bookshop/, for runs to extract", false)
    .option("--site <folder>", "serve the pages of a folder at /site/, for runs to extract")
    .option("--latency <ms>", "delay of each request in milliseconds", within("latencyMs"), 0)
    .option(
      "--page-timeout <ms>",
      "timeout of loading one page of a run, and of reading it, in milliseconds",
      within("pageTimeoutMs"),
      10_000,
    )
    .option("--page-memory <MB>", "memory for reading one page of a run, in megabytes", within("pageMemoryMb"), 1024)
    .addOption(
      new Option(
        "--admin-token <token>",
        "token of the admin API (default: none on loopback, a random one on another address)",
      ).env("WEBEXTRACT_EMULATOR_ADMIN_TOKEN"),
    )
    .option("--quiet", "do not log requests", false)
    .option("--list-behaviours", "list the behaviours with their values and exit")
    .allowExcessArguments(false)
    .action(async (flags: EmulatorFlags & { listBehaviours?: boolean }) => {
      if (flags.listBehaviours === true) say(behaviourList());
      else await run(flags);
    });
}

async function run(flags: EmulatorFlags): Promise<void> {
  if (flags.faults !== undefined && flags.plan.faults !== undefined) {
    throw new Error("--faults and --plan both name a file of faults: give one of them");
  }
  const faults = flags.faults ?? flags.plan.faults;
  const emulator = await startEmulator({
    port: flags.port,
    host: flags.host,
    stateFile: flags.state,
    seed: flags.seed,
    behaviour: { ...faults?.behaviour, ...flags.behaviours?.behaviour, ...flags.behaviour },
    faults: faults?.faults,
    plan: flags.plan.plan,
    bookshop: flags.bookshop,
    site: flags.site,
    latencyMs: flags.latency,
    pageTimeoutMs: flags.pageTimeout,
    pageMemoryMb: flags.pageMemory,
    adminToken: flags.adminToken,
    journalLimit,
    log: flags.quiet ? undefined : (line) => say(`${new Date().toISOString()} ${line}`),
  }).catch((error: unknown) => {
    throw portTaken(error)
      ? new Error(`port ${flags.port} of ${flags.host} is in use: choose another port with --port`)
      : error;
  });
  // Before the greeting, because a signal can follow it at once.
  const end = interrupted();
  say(greeting(emulator, flags));
  await end;
  await emulator.close();
  say("The emulator has stopped.");
}

function greeting(emulator: Emulator, flags: EmulatorFlags): string {
  const { accessToken, refreshToken, apiKey } = emulator.credentials;
  const kept = flags.state === undefined ? "in memory only" : `in ${flags.state}`;
  const tasks = emulator.inspect.taskIds();
  return `The emulated service listens on ${emulator.url}; its state is kept ${kept}.
Task groups: ${list(emulator.inspect.groups())}. Tasks: ${list(tasks)}.
${[adminLine(emulator, flags), ...siteLines(emulator, flags)].join("\n")}

In the folder of a Pulumi project:
  pulumi config set webextract:baseUrl ${emulator.url}
  pulumi config set --secret webextract:accessToken ${accessToken}
  pulumi config set --secret webextract:refreshToken ${refreshToken}
  pulumi config set --secret webextract:apiKey ${apiKey}

These credentials work with this emulator only. Ctrl-C stops the emulator.
`;
}

function siteLines({ url }: Emulator, { bookshop, site }: EmulatorFlags): string[] {
  return [...(bookshop ? [`Bookshop: ${url}/bookshop/.`] : []), ...(site === undefined ? [] : [`Site: ${url}/site/.`])];
}

/** Shows only a token that the user does not have yet. */
function adminLine({ url, adminToken }: Emulator, flags: EmulatorFlags): string {
  const needs =
    adminToken === undefined
      ? ""
      : `; it needs ${adminToken === flags.adminToken?.trim() ? "your token" : `the token ${adminToken}`}`;
  return `Page and admin API: ${url}/__emulator/${needs}.`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(", ");
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown || "none";
}

function behaviourList(): string {
  return behaviourNames.map((name) => `${name}=${allowedValues(name)}`).join("\n");
}

function within(name: LimitedOption): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && isWithinLimits(name, Number(text))) return Number(text);
    throw new InvalidArgumentError(`It must be ${allowedIntegers(name)}.`);
  };
}

function collectBehaviour(text: string, before: Partial<Behaviour>): Partial<Behaviour> {
  return { ...before, ...explained(() => parseBehaviour(text)) };
}

function collectPlan(text: string, before: PlanOrFaults): PlanOrFaults {
  const plan = plans.find((each) => each === text);
  if (plan !== undefined) return { ...before, plan };
  if (/\.(?:ya?ml|json)$/i.test(text)) return { ...before, faults: explained(() => readFaultFile(text)) };
  throw new InvalidArgumentError(`Allowed: ${plans.join(", ")}, or a file that ends in .yaml, .yml or .json.`);
}

/** A file as for --faults, which has no faults. */
function readBehaviourFile(file: string): FaultFile {
  const read = readFaultFile(file);
  if (read.behaviour === undefined) throw new Error("the file has no behaviour: a map of behaviours and their values");
  if ((read.faults ?? []).length > 0) throw new Error("the file has faults: use --faults");
  return read;
}

function readSeed(file: string): Seed {
  return explained(() => {
    const { value, placeOf } = readYamlFile(file);
    return checkSeed(value, placeOf);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reports a wrong option in one message with the allowed values. */
function explained<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

function portTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

// A reader such as `head` can close the output. The emulator continues without a log.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

command()
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`error: ${messageOf(error)}\n`);
    process.exitCode = 1;
  });
