import { Option } from "commander";
import type { CloudRunArgs } from "../../../src/resources/run/cloudRunModel";
import { cloudRunArgs } from "../../../src/resources/run/cloudRunModel";
import type { RunAtStart } from "../../../src/resources/run/runStart";
import { adopted, startRun } from "../../../src/resources/run/runStart";
import { waitForRun } from "../../../src/resources/run/runWait";
import { describeCounts } from "../../../src/resources/run/subtaskList";
import type { RequestJournal } from "../../../src/resources/task/requestJournal";
import { timeOf } from "../../../src/resources/task/requestJournal";
import { isServiceError, withoutHint } from "../../../src/service/errors/errors";
import { partsOfUrn } from "../../../src/values/urn";
import { lostStart, waitCommand } from "../advice";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import { connectTo, describeTask } from "../connection/connected";
import type { Connection, ConnectionFlags } from "../connection/connection";
import { serviceOf } from "../connection/connection";
import { journalsOf, lostStartIn, nameOfEntry } from "../connection/journalAt";
import { CliError, usageError } from "../exitCodes";
import { numberFrom, taskArgument, yesOption } from "../options";
import { asStarted } from "../terminal";

interface Flags extends ConnectionFlags {
  lotNo?: string;
  wait: boolean;
  timeout: number;
  poll: number;
  finishedWhen: "subtasks" | "rowsSettled";
  settle: number;
  failOn: "failed" | "never";
  yes?: boolean;
}

const { timeoutSeconds, pollSeconds, finishedWhen, settleSeconds, failOn } = cloudRunArgs;

export const run: CliCommand = {
  name: "run",
  summary: "start a run of a task in the cloud and wait for its end",
  details: "A run may cost money, so the command asks before it starts one. Ctrl-C ends the wait, not the run.",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option("--lot-no <lotNo>", "wait for this run, the latest one of the task, instead of a new one"),
    new Option("--no-wait", "end when the run has started").conflicts([
      ...["lotNo", "timeout", "poll", "finishedWhen", "settle", "failOn"],
    ]),
    new Option("--timeout <seconds>", "how long to wait").argParser(numberFrom(0)).default(timeoutSeconds.default),
    new Option("--poll <seconds>", "time between two reads").argParser(numberFrom(0)).default(pollSeconds.default),
    new Option(
      "--finished-when <sign>",
      "when the run counts as finished: all subtasks have ended, or in addition the number of rows stays the same",
    )
      .choices(["subtasks", "rowsSettled"])
      .default(finishedWhen.default),
    new Option("--settle <seconds>", "how long the number of rows must stay the same with rowsSettled")
      .argParser(numberFrom(0))
      .default(settleSeconds.default),
    new Option("--fail-on <status>", "whether failed subtasks are a failure of the command")
      .choices(["failed", "never"])
      .default(failOn.default),
    yesOption(),
  ],
  examples: [
    { line: "run shop-1", does: "asks, starts a run of the task shop-1, and waits for its end" },
    { line: "run shop-1 --yes --no-wait --json", does: "starts a run in a script, and prints its lotNo" },
    { line: "run shop-1 --lot-no 639308323497897245", does: "waits for a run that was started before" },
  ],
  async run({ arguments: [given], options }, cli) {
    const { lotNo, wait, timeout, poll, settle, yes, ...flags } = options as unknown as Flags;
    if (settle !== settleSeconds.default && flags.finishedWhen !== "rowsSettled") {
      throw usageError("--settle needs --finished-when rowsSettled.");
    }
    const connection = await connectTo(String(given), flags, cli);
    const { context, stack, task } = connection;
    const { taskId } = task;
    const { emptyLabel } = connection.config;
    if (emptyLabel !== undefined && lotNo === undefined) {
      throw usageError(emptyLabel);
    }
    const args: CloudRunArgs = {
      ...{ taskId, timeoutSeconds: timeout, pollSeconds: poll, settleSeconds: settle },
      ...{ finishedWhen: flags.finishedWhen, failOn: flags.failOn },
    };
    let started: RunAtStart;
    if (lotNo === undefined) {
      const question = `Start a run of ${describeTask(task, stack)} at ${serviceOf(connection)}? It may cost money.`;
      await requireNoLostStart(taskId, connection, cli, stack ?? flags.stack);
      await cli.confirm(question, yes, "No run was started.");
      const journal = notingStart(lostStart(taskId, stack), cli);
      started = await startRun(args, { ...context, journal });
      cli.terminal.say(`Run ${started.state.lotNo} of task "${taskId}" has started.`);
      cli.startWords = undefined;
    } else {
      started = { state: adopted({ ...args, adoptLotNo: lotNo }, lotNo), atStart: false };
    }
    const state = wait ? await waitForRun(started.state, context, started) : started.state;
    const run = { taskId, lotNo: state.lotNo };
    return {
      json: { ...run, status: state.status, subtasks: state.subtasks },
      text: () =>
        wait
          ? `Run ${run.lotNo} of task "${taskId}": ${state.status} (${describeCounts(state.subtasks)})`
          : asStarted(
              `Run ${run.lotNo} of task "${taskId}" was not waited for. "${waitCommand(run, stack)}" waits for it.`,
            ),
    };
  },
};

/** What a program has started, and nobody knows whether it runs, is a run of this task too. */
async function requireNoLostStart(taskId: string, connection: Connection, cli: CommandContext, stack?: string) {
  const { config } = connection;
  const isOfService = (origin: string): boolean => config.isPresent(origin, serviceOf(connection));
  const lost = await lostStartIn(journalsOf(config, cli), taskId, isOfService, stack);
  if (lost === undefined) return;
  const { name } = partsOfUrn(lost.urn);
  throw new CliError(
    `CloudRun "${name}" may have started a run of task "${taskId}" at ${timeOf(lost.time)}. No run was started. ` +
      `Look for it at the service, then run "webextract journal resolve ${nameOfEntry(lost)}".`,
    "outcomeUnknown",
  );
}

/**
 * In place of the journal of a program: a lost response, and a forced end during the start, say that a run may have
 * started.
 */
function notingStart(mayHaveStarted: string, cli: CommandContext): RequestJournal {
  return {
    isKept: false,
    earlier: async () => undefined,
    done: async () => undefined,
    async once(_request, send) {
      cli.startWords = mayHaveStarted;
      try {
        return await send();
      } catch (error) {
        cli.startWords = undefined;
        throw isServiceError(error) && error.outcome !== "notExecuted"
          ? new CliError(`${withoutHint(error)} ${mayHaveStarted}`, "outcomeUnknown", error.toJSON())
          : error;
      }
    },
  };
}
