import type { AdoptedAction } from "../../resources/adopt/adoptedTask";
import { secretValue } from "../../resources/adopt/adoptedTask";
import { Secrets } from "../../resources/adopt/secrets";
import { counted } from "../../resources/values";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { taskArgument, typesOption } from "../options";
import { table } from "../output/table";
import { readTasks } from "./readTasks";

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
  options: [typesOption()],
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
    const asked = types ?? context.settings.actionTypes;
    const { tasks } = await readTasks([{ taskId }], asked, Secrets.of(connection.options), context);
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
          [...action.properties].map(([name, value]) => `${name}=${unlessSecret(value, JSON.stringify)}`).join(" "),
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

function unlessSecret<Value, Shown>(value: Value | typeof secretValue, show: (value: Value) => Shown): Shown | string {
  return value === secretValue ? "[secret]" : show(value as Value);
}

const asItIs = <Value>(value: Value): Value => value;

function jsonOf({ actionId, actionType, title, properties, loop }: AdoptedAction): unknown {
  const values = [...properties].map(([name, value]) => [name, unlessSecret(value, asItIs)]);
  return {
    actionId,
    actionType,
    title,
    properties: Object.fromEntries(values),
    loop: loop && { loopType: loop.loopType, items: unlessSecret(loop.items, asItIs) },
  };
}

function loopInWords({ loop }: AdoptedAction): string {
  if (loop === undefined) {
    return "";
  }
  return `${loop.loopType}: ${unlessSecret(loop.items, ({ length }) => counted(length, "item"))}`;
}
