import { Option } from "commander";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { namesIn, taskArgument } from "../options";
import { table } from "../table";
import type { AdoptedAction } from "./adoptedTask";
import { secretValue } from "./adoptedTask";
import { readTasks } from "./readTasks";
import { Secrets } from "./secrets";

interface Flags extends ConnectionFlags {
  types?: string[];
  json?: boolean;
}

export const actionsCommand: CliCommand = {
  name: "actions",
  summary: "show the actions of a task: ids, types, properties and loops",
  details: "These are the names that a program or a manifest needs. Values that look like secrets are not shown.",
  connects: true,
  arguments: [taskArgument()],
  options: [
    new Option(
      "--types <names>",
      "action types to read, with commas between them (default: webextract:actionTypes, otherwise all that the service shows without a type)",
    ).argParser(namesIn),
  ],
  examples: [
    { line: "actions shop-1", does: "shows the actions of a task" },
    {
      line: "actions shop-1 --types LoopAction --json",
      does: "writes those of one type as JSON, with all items of lists",
    },
  ],
  async run({ arguments: [given], options }, cli) {
    const { types, json: _json, ...flags } = options as Flags;
    const connection = await cli.connectTo(String(given), flags);
    const { taskId } = connection.task;
    const context = cli.context(connection);
    const { accessToken, refreshToken, apiKey } = connection.options;
    const secrets = new Secrets([accessToken, refreshToken, apiKey].filter((each) => each !== undefined));
    const { tasks } = await readTasks([{ taskId }], types ?? context.settings.actionTypes, secrets, context);
    const [task] = tasks;
    cli.checkInterrupted("Nothing was shown.");
    if (task === undefined) {
      throw new CliError(`The service does not know the task ${taskId}.`, "notFound", { taskIds: [taskId] });
    }
    return {
      json: { taskId, actions: task.all.map(jsonOf) },
      text() {
        const rows = task.all.map((action) => [
          action.actionId,
          action.actionType,
          [...action.properties].map(([name, value]) => `${name}=${shown(value)}`).join(" "),
          loopInWords(action),
        ]);
        const titles = ["action", "type", "properties", "loop"];
        return rows.length === 0
          ? `The service shows no action of task "${taskId}". Some services show actions only by their types: name them with --types.`
          : table(titles, rows, cli.terminal);
      },
    };
  },
};

const hidden = "[secret]";

function shown(value: unknown): string {
  return value === secretValue ? hidden : JSON.stringify(value);
}

function jsonOf({ actionId, actionType, title, properties, loop }: AdoptedAction): unknown {
  const values = [...properties].map(([name, value]) => [name, value === secretValue ? hidden : value]);
  return {
    actionId,
    actionType,
    title,
    properties: Object.fromEntries(values),
    loop: loop && { loopType: loop.loopType, items: loop.items === secretValue ? hidden : loop.items },
  };
}

function loopInWords({ loop }: AdoptedAction): string {
  if (loop === undefined) {
    return "";
  }
  const { loopType, items } = loop;
  return items === secretValue
    ? `${loopType}: ${hidden}`
    : `${loopType}: ${items.length} item${items.length === 1 ? "" : "s"}`;
}
