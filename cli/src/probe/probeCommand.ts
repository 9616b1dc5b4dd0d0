import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { pause } from "../../../src/system/clock";
import { makeFolder } from "../../../src/system/folders";
import { replaceFile } from "../../../src/system/replaceFile";
import { messageOf } from "../../../src/values/errors";
import type { CliCommand, Result } from "../command";
import type { CommandContext } from "../commandContext";
import { clientOf, connectTo } from "../connection/connected";
import type { Connection, ConnectionFlags } from "../connection/connection";
import { connectionOf, serviceOf } from "../connection/connection";
import { CliError, describeError, exitOf, usageError } from "../exitCodes";
import { yesOption } from "../options";
import { digestOf, reasonOf, writeFile } from "../output/writeFiles";
import type { ProbeReport } from "./probe";
import { probe } from "./probe";
import { noteProbe } from "./probed";
import type { Probing, Trial } from "./question";
import { fileNames, filesOf, hasProblems, markdownOf } from "./report";
import { mostReads, mostRequests, Requests } from "./requests";

interface Flags extends ConnectionFlags {
  task?: string;
  write?: boolean;
  from?: string;
  group?: string;
  start?: boolean;
  out?: string;
  yes?: boolean;
}

const noReport = "There is no report.";

/** There are at most 20 calls, so these repeats keep a probe that only reads within its requests. */
const mostRepeats = 2;

/** Seconds that one request may wait for its turn. */
const longestWait = 120;

export const probeCommand: CliCommand = {
  name: "probe",
  summary: "find out which settings fit the service, where its contract is silent",
  details:
    `The command sends at most ${mostReads} requests, which only read. A few must be refused: reads of a task ` +
    "that does not exist, and refreshes with an invented refresh token. " +
    "The report is Markdown for an issue, without hosts, ids, credentials and values of rows. " +
    "The exit code is 1 if the present settings do not fit the service.\n" +
    `With --write, it copies one task, and tries all operations on the copy, with at most ${mostRequests} requests. The API cannot delete the copy. ` +
    "All other tasks and rows stay as they are. With --start, it starts one run of the copy, which may cost money. " +
    "Neither is sent again, unless a response proves that nothing was done. " +
    "The exit code is then 1 only if something is found that no setting fits.",
  connects: true,
  options: [
    new Option(
      "--task <taskId>",
      "read the actions, the subtasks and the first rows of this task too, by its id or, with --stack, its name",
    ).conflicts("write"),
    new Option("--write", "copy a task, and try all operations on the copy"),
    new Option("--from <taskId>", "id of the task that --write copies: a small one, with a loop and a few rows"),
    new Option("--group <taskGroupId>", "id of the task group for the copy"),
    new Option("--start", "start one run of the copy too, and look at its statuses, rows and marks"),
    new Option("--out <folder>", "write report.md, config.sh, behaviours.yaml and responses.json to this folder"),
    yesOption(),
  ],
  examples: [
    { line: "probe", does: "shows what can be found out without a task" },
    { line: "probe --task shop-1 > report.md", does: "asks about a task too, and writes the report to a file" },
    { line: "probe --task shop-1 --json", does: "lists the findings and the settings for a script" },
    {
      line: "probe --write --from shop-1 --group shops --start --out probed",
      does: "asks, copies the task shop-1, runs the copy, and writes what it found to a folder",
    },
  ],
  async run({ options: given }, cli) {
    const flags = given as Flags;
    checkFlags(flags);
    return flags.write === true ? write(flags, cli) : read(flags, cli);
  },
};

/** @throws CliError */
function checkFlags(flags: Flags): void {
  const given = (["from", "group", "start", "out", "yes"] as const).find((name) => flags[name] !== undefined);
  if (flags.write !== true && given !== undefined) {
    throw usageError(`--${given} needs --write.`);
  }
  if (flags.write === true && (flags.from === undefined || flags.group === undefined)) {
    throw usageError("--write needs --from TASK and --group GROUP.");
  }
}

async function read({ task, ...flags }: Flags, cli: CommandContext): Promise<Result> {
  const named = task === undefined ? undefined : await connectTo(task, flags, cli);
  const connection = named ?? (await connectionOf(flags, cli.interrupted));
  const probing = { ...probingOf(connection, cli, new Requests(mostReads)), taskId: named?.task.taskId };
  const report = await probe(probing, () => cli.checkInterrupted(noReport));
  const { sends, findings, ...document } = report;
  const shown = findings.map(({ usual, consequence, ...finding }) => finding);
  return { ...resultOf(report), json: { ...document, findings: shown } };
}

function probingOf({ config, options }: Connection, cli: CommandContext, requests: Requests): Probing {
  const limits = {
    maxRetries: Math.min(options.maxRetries ?? mostRepeats, mostRepeats),
    deadlineSeconds: Math.min(options.deadlineSeconds ?? longestWait, longestWait),
    watch: requests,
  };
  const clientWith: Probing["clientWith"] = (changes) => clientOf({ ...options, ...limits, ...changes }, cli);
  return { client: clientWith({}), clientWith, options, settings: config.settings, requests };
}

function resultOf(report: ProbeReport): Result {
  return { json: report, text: () => markdownOf(report), hasProblems: hasProblems(report) };
}

async function write(flags: Flags, cli: CommandContext): Promise<Result> {
  const { from = "", group = "", start: startsRun = false, out, yes } = flags;
  const connection = await connectionOf(flags, cli.interrupted);
  const present = out === undefined ? [] : fileNames.map((name) => [name, digestOf(join(out, name))] as const);
  const replaced = new Map(present.filter(([, digest]) => digest !== undefined));
  const plan = planOf(flags, serviceOf(connection), [...replaced.keys()]);
  if (yes === true) {
    cli.terminal.say(plan);
  }
  await cli.confirm(`${plan} Continue?`, yes, "Nothing was sent.");
  if (out !== undefined) {
    await requireWritable(out);
  }
  const requests = new Requests(mostRequests);
  const trial: Trial = {
    ...{ from, group, startsRun, actions: [], codes: new Set() },
    sleep: (milliseconds) => pause(milliseconds, cli.interrupted),
    making(what) {
      cli.startWords = mayExist(what, trial);
      cli.leftWords = leftBehind({ ...trial, lost: what });
    },
    made() {
      cli.startWords = undefined;
      const isNew = trial.taskId !== undefined && cli.leftWords === undefined;
      cli.leftWords = leftBehind(trial);
      if (isNew) {
        cli.terminal.say(`The copy of task "${from}" is task "${trial.taskId}".`);
      }
    },
  };
  try {
    const probing = { ...probingOf(connection, cli, requests), trial };
    const report = await probe(probing, () => cli.checkInterrupted(noReport));
    // Without a copy, it found out too little: doctor goes on to name it.
    if (trial.taskId !== undefined) {
      await noteProbe(connection.options);
    }
    const problem = out === undefined ? undefined : await writeTo(out, filesOf(report, requests.responses), replaced);
    if (problem !== undefined) {
      cli.terminal.fail(`${problem} The report is on standard output.`);
    }
    for (const words of leftAtService(trial)) {
      cli.terminal.say(words);
    }
    const result = resultOf(report);
    return { ...result, hasProblems: result.hasProblems === true || problem !== undefined };
  } catch (error) {
    const left = leftAtService(trial).join(" ") || "No copy was made.";
    const did = `Requests sent: ${requests.sent}, the last one: ${requests.last?.operation ?? "none"}.`;
    throw new CliError(
      `${messageOf(error)} ${did} ${left}`,
      cli.interrupted.aborted ? "interrupted" : exitOf(error),
      describeError(error),
    );
  }
}

function planOf({ from, group, start, out }: Flags, service: string, files: readonly string[]): string {
  return [
    `This copies task "${from}" into group "${group}" at ${service}, and tries all operations on the copy, with at most ${mostRequests} requests.`,
    "The API cannot delete the copy: it stays behind.",
    ...(start === true ? ["One run of the copy is started, which may cost money."] : []),
    ...(files.length === 0 ? [] : [`Replaced in ${out}: ${files.join(", ")}.`]),
    `Task "${from}" and its rows stay as they are.`,
  ].join(" ");
}

/** Larger than the files of a report. */
const trialBytes = 1024 * 1024;

/** @throws CliError if files cannot be written there: that must not be found after the copy */
async function requireWritable(folder: string): Promise<void> {
  try {
    await makeFolder(resolve(folder));
    const place = (file: string): Promise<void> => rm(file);
    await replaceFile(resolve(folder, "report.md"), " ".repeat(trialBytes), { mode: 0o600, durable: true, place });
  } catch (error) {
    throw usageError(
      `No files can be written into "${folder}" (${reasonOf(error)}). Mend that, or name another --out.`,
    );
  }
}

/**
 * Returns why a file cannot be written: the report of a run that cost money must not be lost with it.
 * @param replaced the digests of the files that the user knows to be replaced
 */
async function writeTo(
  folder: string,
  files: Readonly<Record<string, string>>,
  replaced: ReadonlyMap<string, string | undefined>,
): Promise<string | undefined> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    const present = replaced.has(name) ? "other" : "nothing";
    try {
      await writeFile({ path, content, present, digest: replaced.get(name) }, process.cwd());
    } catch (error) {
      return `"${path}" cannot be written: ${reasonOf(error)}.`;
    }
  }
  return undefined;
}

function mayExist(what: "copy" | "run", { from, group, taskId }: Trial): string {
  const made = what === "copy" ? `A copy of task "${from}" in group "${group}"` : `A paid run of task "${taskId}"`;
  return `${made} may exist: the API cannot list ${what === "copy" ? "tasks" : "runs"}, so look in the service's own interface.`;
}

/** What may be at the service, and what is there. */
function leftAtService(trial: Trial): string[] {
  const lost = trial.lost && mayExist(trial.lost, trial);
  return [lost, leftBehind(trial)].filter((words) => words !== undefined);
}

function leftBehind({ taskId, run, lost }: Trial): string | undefined {
  if (taskId === undefined) {
    return undefined;
  }
  const runs = run === undefined ? (lost === "run" ? "" : " No run was started.") : " One run of it was started.";
  return `Task "${taskId}", the copy, stays behind: delete it in the service's own interface.${runs}`;
}
