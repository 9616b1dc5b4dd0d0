import { Option } from "commander";
import type { Cli } from "../cli";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { connectionOf } from "../connection/connection";
import { yesOption } from "../options";
import { confirmedToReplace, writeFiles } from "../output/writeFiles";
import { mostRequests } from "./asker";
import { probe } from "./probe";
import { markdownOf, reportOf } from "./report";

interface Flags extends ConnectionFlags {
  task?: string;
  out?: string;
  yes?: boolean;
  json?: boolean;
}

/** Seconds that one request may wait for its turn. */
const longestWait = 120;

export const probeCommand: CliCommand = {
  name: "probe",
  summary: "find out which settings fit the service, where its contract is silent",
  details:
    `The command sends at most ${mostRequests} requests, one after the other. All of them read. A few must be refused: reads of a task ` +
    "that does not exist, reads without a valid credential, and refreshes with an invented refresh token. " +
    "The report is Markdown for an issue. It has no host, ids, credentials or values of rows. " +
    "The exit code is 1 if the present settings do not fit the service.",
  connects: true,
  options: [
    new Option(
      "--task <taskId>",
      "read the actions, the subtasks and the first rows of this task too, by its id or, with --stack, its name",
    ),
    new Option("-o, --out <file>", "write the report to this file (default: standard output)"),
    yesOption(),
  ],
  examples: [
    { line: "probe", does: "shows what can be found out without a task" },
    { line: "probe --task shop-1 --out report.md", does: "asks about a task too, and writes the report to a file" },
    { line: "probe --task shop-1 --json", does: "lists the findings and the settings for a script" },
  ],
  async run({ options: given }, cli) {
    const { task, out, yes, json: _json, ...flags } = given as Flags;
    const { config, options } = await connectionOf(flags, cli.interrupted);
    const taskId = await idOf(task, flags, cli);
    const isReplaced = out !== undefined && (await confirmedToReplace(out, yes === true, cli));
    const result = await probe({
      client: cli.rawClient({
        ...options,
        deadlineSeconds: Math.min(options.deadlineSeconds ?? longestWait, longestWait),
      }),
      options,
      settings: config.settings,
      taskId,
      interrupted: cli.interrupted,
      progress: (message) => cli.terminal.progress(message),
    });
    const report = reportOf(result, taskId !== undefined);
    const markdown = markdownOf(report);
    if (out !== undefined) {
      await writeFiles(
        [{ path: out, content: markdown, present: isReplaced ? "other" : "nothing" }],
        process.cwd(),
        cli.interrupted,
      );
    }
    return {
      json: { ...report, out },
      text: () => (out === undefined ? markdown : `The report is in ${out}.`),
      hasProblems: report.problems > 0,
    };
  },
};

/** A name needs the state of a stack. Without one, no request is sent for this. */
async function idOf(task: string | undefined, flags: ConnectionFlags, cli: Cli): Promise<string | undefined> {
  return task === undefined || flags.stack === undefined ? task : (await cli.connectTo(task, flags)).task.taskId;
}
