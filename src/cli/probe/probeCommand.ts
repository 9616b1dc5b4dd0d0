import { Option } from "commander";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { connectionOf } from "../connection/connection";
import { markdownOf, probe } from "./probe";

interface Flags extends ConnectionFlags {
  task?: string;
}

const noReport = "There is no report.";

/** There are at most 20 calls, so these repeats keep the probe within 60 requests. */
const mostRepeats = 2;

/** Seconds that one request may wait for its turn. */
const longestWait = 120;

export const probeCommand: CliCommand = {
  name: "probe",
  summary: "find out which settings fit the service, where its contract is silent",
  details:
    "The command sends at most 60 requests, one after the other. All of them read. A few must be refused: reads of a task " +
    "that does not exist, and refreshes with an invented refresh token. " +
    "The report is Markdown for an issue. It has no host, ids, credentials or values of rows. " +
    "The exit code is 1 if the present settings do not fit the service.",
  connects: true,
  options: [
    new Option(
      "--task <taskId>",
      "read the actions, the subtasks and the first rows of this task too, by its id or, with --stack, its name",
    ),
  ],
  examples: [
    { line: "probe", does: "shows what can be found out without a task" },
    { line: "probe --task shop-1 > report.md", does: "asks about a task too, and writes the report to a file" },
    { line: "probe --task shop-1 --json", does: "lists the findings and the settings for a script" },
  ],
  async run({ options: given }, cli) {
    const { task, ...flags } = given as Flags;
    const { config, options } = await connectionOf(flags, cli.interrupted);
    // A name needs the state of a stack. Without one, no request is sent for this.
    const isName = task !== undefined && flags.stack !== undefined;
    const taskId = isName ? (await cli.connectTo(task, flags)).task.taskId : task;
    const limits = {
      maxRetries: Math.min(options.maxRetries ?? mostRepeats, mostRepeats),
      deadlineSeconds: Math.min(options.deadlineSeconds ?? longestWait, longestWait),
    };
    const clientWith = (changes: Partial<typeof options>) => cli.client({ ...options, ...limits, ...changes });
    const probing = { client: clientWith({}), clientWith, options, settings: config.settings, taskId };
    const report = await probe(probing, () => cli.checkInterrupted(noReport));
    cli.checkInterrupted(noReport);
    return { json: report, text: () => markdownOf(report), hasProblems: report.problems > 0 };
  },
};
