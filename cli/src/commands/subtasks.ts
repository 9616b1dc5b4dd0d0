import { Option } from "commander";
import { cloudRunArgs } from "../../../src/resources/run/cloudRunModel";
import { observeRun } from "../../../src/resources/run/observeRun";
import { adopted } from "../../../src/resources/run/runStart";
import { mostStopSeconds, stopRun } from "../../../src/resources/run/runStop";
import { terminalStatusOf } from "../../../src/resources/run/statuses";
import { countsOf, runningOf } from "../../../src/resources/run/subtaskList";
import type { CliCommand, Result } from "../command";
import { connectTo, describeTask } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { numberFrom, taskArgument, yesOption } from "../options";
import { table } from "../output/table";

export const status: CliCommand = {
  name: "status",
  summary: "count the subtasks of the latest run of a task by status",
  details: "--json has each of them.",
  connects: true,
  arguments: [taskArgument()],
  examples: [
    { line: "status shop-1", does: "counts the subtasks by status" },
    { line: "status shop-1 --json --stack production", does: "lists them, in the account of a Pulumi stack" },
  ],
  async run({ arguments: [given], options }, cli) {
    const { client, config, task } = await connectTo(String(given), options, cli);
    const { taskId } = task;
    const list = await client.allSubtasks(taskId, { signal: cli.interrupted });
    const { total, byStatus } = countsOf(list);
    const statuses = Object.entries(byStatus).map(([word, count]) => {
      const means = terminalStatusOf(word, config.settings.statuses) ?? "running";
      return { status: word, means, count };
    });
    const subtasks = list.map(({ subTaskId, status: word }) => ({ subTaskId, status: word }));
    return {
      json: { taskId, total, statuses, subtasks },
      text() {
        if (total === 0) {
          return `The service lists no subtasks of task "${taskId}".`;
        }
        const rows = statuses.map(({ status: word, means, count }) => [word, means, String(count)]);
        return table(["status", "means", "subtasks"], rows, cli.terminal);
      },
    };
  },
};

interface StopFlags extends ConnectionFlags {
  timeout: number;
  poll: number;
  yes?: boolean;
}

export const stop: CliCommand = {
  name: "stop",
  summary: "stop the running subtasks of the latest run of a task, and wait until they have stopped",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option("--timeout <seconds>", `how long to wait, ${mostStopSeconds} at most`)
      .argParser(numberFrom(0, "a number", mostStopSeconds))
      .default(mostStopSeconds),
    new Option("--poll <seconds>", "time between two reads")
      .argParser(numberFrom(0))
      .default(cloudRunArgs.pollSeconds.default),
    yesOption(),
  ],
  examples: [
    { line: "stop shop-1", does: "asks, then stops what is running of the task shop-1" },
    { line: "stop shop-1 --yes", does: "does so in a script" },
  ],
  async run({ arguments: [given], options }, cli) {
    const { timeout, poll, yes, ...flags } = options as unknown as StopFlags;
    const { context, stack, task } = await connectTo(String(given), flags, cli);
    const { taskId } = task;
    const wanted = { taskId, timeoutSeconds: timeout, pollSeconds: poll };
    // The user means the run whose subtasks the service lists, whatever its lotNo.
    const { state, list, shows } = await observeRun(adopted(wanted, ""), context, { atStart: true });
    const running = runningOf(list, context.settings.statuses).length;
    if (running === 0) {
      // A run can work although no subtask of it is listed.
      const what =
        shows === "nothing"
          ? `The service lists no subtasks of task "${taskId}", and a run can only be stopped by its subtasks. If one is running, stop it in the service's own interface.`
          : `The service lists no running subtask of task "${taskId}". Just after a start, the list can be that of the run before.`;
      return result(taskId, 0, what);
    }
    const question = `Stop ${running} running subtasks of ${describeTask(task, stack)}?`;
    await cli.confirm(question, yes, "Nothing was stopped.");
    // A resource that is deleted goes on with a warning where a run could not be stopped. Here, that is a failure.
    const warnings: string[] = [];
    await stopRun(state, { ...context, warn: (message) => void warnings.push(message) });
    if (warnings.length > 0) {
      throw new CliError(warnings.join(" "), "failed", { taskId });
    }
    return result(taskId, running, `${running} subtasks of task "${taskId}" have stopped or ended.`);
  },
};

function result(taskId: string, stopped: number, what: string): Result {
  return { json: { taskId, stopped }, text: () => what };
}
