import { Option } from "commander";
import { countsOf, terminalStatusOf } from "../../resources/run/subtaskList";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { taskArgument } from "../options";
import { table } from "../output/table";

interface Flags extends ConnectionFlags {
  subtasks?: boolean;
}

export const status: CliCommand = {
  name: "status",
  summary: "count the subtasks of the latest run of a task by status",
  details: "The service lists the subtasks of a task without a lotNo: they are those of the latest run.",
  connects: true,
  arguments: [taskArgument()],
  options: [new Option("--subtasks", "list every subtask")],
  examples: [
    { line: "status shop-1", does: "counts the subtasks by status" },
    { line: "status shop-1 --subtasks --stack production", does: "lists them, in the account of a Pulumi stack" },
  ],
  async run({ arguments: [given], options }, cli) {
    const flags = options as Flags;
    const { client, config, task } = await cli.connectTo(String(given), flags);
    const { taskId } = task;
    const list = await client.allSubtasks(taskId, { signal: cli.interrupted });
    const { total, byStatus } = countsOf(list);
    const statuses = Object.entries(byStatus).map(([word, count]) => {
      const means = terminalStatusOf(word, config.settings.statuses) ?? "running";
      return { status: word, means, count };
    });
    const subtasks = list.map(({ subTaskId, status: word }) => ({ subTaskId, status: word }));
    return {
      json: { taskId, total, statuses, ...(flags.subtasks === true ? { subtasks } : {}) },
      text() {
        if (total === 0) {
          return `The service lists no subtasks of task "${taskId}".`;
        }
        const rows = statuses.map(({ status: word, means, count }) => [word, means, String(count)]);
        const counts = table(["status", "means", "subtasks"], rows, cli.terminal);
        const each = subtasks.map(({ subTaskId, status: word }) => [subTaskId, word]);
        return flags.subtasks === true ? `${counts}\n\n${table(["subtask", "status"], each, cli.terminal)}` : counts;
      },
    };
  },
};
