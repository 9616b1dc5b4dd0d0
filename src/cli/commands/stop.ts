import { Option } from "commander";
import type { CloudRunState } from "../../resources/run/cloudRunModel";
import { cloudRunArgs } from "../../resources/run/cloudRunModel";
import { observeRun } from "../../resources/run/observeRun";
import { adopted } from "../../resources/run/runStart";
import { stopRun } from "../../resources/run/runStop";
import { runningOf } from "../../resources/run/subtaskList";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { describeTask } from "../connection/namedTask";
import { CliError } from "../exitCodes";
import { numberFrom, taskArgument, yesOption } from "../options";

interface Flags extends ConnectionFlags {
  timeout: number;
  poll: number;
  yes?: boolean;
}

const mostSeconds = 300;

export const stop: CliCommand = {
  name: "stop",
  summary: "stop the running subtasks of the latest run of a task, and wait until they have stopped",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option("--timeout <seconds>", `how long to wait, ${mostSeconds} at most`)
      .argParser(numberFrom(0))
      .default(mostSeconds),
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
    const { timeout, poll, yes, ...flags } = options as unknown as Flags;
    const connection = await cli.connectTo(String(given), flags);
    const { taskId } = connection.task;
    const context = cli.context(connection);
    const wanted = { taskId, timeoutSeconds: timeout, pollSeconds: poll };
    // The user means the run whose subtasks the service lists, whatever its lotNo.
    const { state, list } = await observeRun(adopted(wanted, ""), context, { atStart: true });
    const running = runningOf(list, context.settings.statuses).length;
    if (running === 0) {
      return result(taskId, 0, `No subtask of task "${taskId}" is running.`);
    }
    const question = `Stop ${running} running subtasks of ${describeTask(connection.task, connection.stack)}?`;
    await cli.confirm(question, yes, "Nothing was stopped.");
    const warnings = await stopAndCollect(state, context);
    if (warnings.length > 0) {
      throw new CliError(warnings.join(" "), "failed", { taskId });
    }
    return result(taskId, running, `${running} subtasks of task "${taskId}" have stopped or ended.`);
  },
};

/** A resource that is deleted goes on with a warning where a run could not be stopped. Here, that is a failure. */
async function stopAndCollect(run: CloudRunState, context: Parameters<typeof stopRun>[1]): Promise<string[]> {
  const warnings: string[] = [];
  await stopRun(run, { ...context, warn: (message) => void warnings.push(message) });
  return warnings;
}

function result(taskId: string, stopped: number, what: string) {
  return { json: { taskId, stopped }, text: () => what };
}
