import type { AdoptedAction } from "../../../src/resources/adopt/adoptedTask";
import { secretValue } from "../../../src/resources/adopt/adoptedTask";
import { Secrets } from "../../../src/resources/adopt/secrets";
import { whyNotYours } from "../../../src/service/errors/errors";
import { shownId } from "../../../src/service/errors/foreignText";
import { counted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import { connectTo } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { adviceOnTypes, taskArgument, typesOption } from "../options";
import { table } from "../output/table";
import { readTasks, showsNoAction } from "./readTasks";

interface Flags extends ConnectionFlags {
  types?: string[];
}

export const actionsCommand: CliCommand = {
  name: "actions",
  summary: "show the actions of a task: ids, names, types, properties and loops",
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
    const { types = [], ...flags } = options as Flags;
    const { context, task: named } = await connectTo(String(given), flags, cli);
    const { taskId } = named;
    const { tasks } = await readTasks([{ taskId }], types, new Secrets(context.redact), context);
    const [task] = tasks;
    cli.checkInterrupted("Nothing was shown.");
    if (task === undefined) {
      const message = `The service shows no task ${shownId(taskId)} to this account: ${whyNotYours}.`;
      throw new CliError(message, "notFound", { taskIds: [taskId] });
    }
    return {
      json: { taskId, actions: task.all.map(jsonOf) },
      text() {
        const titles = ["action", "name", "type", "properties", "loop"];
        return task.all.length === 0
          ? `${showsNoAction(shownId(taskId), types, context)} ${adviceOnTypes}`
          : table(titles, task.all.map(rowOf), cli.terminal);
      },
    };
  },
};

const secret = "[secret]";

function jsonOf({ actionId, actionType, title, properties, loop }: AdoptedAction) {
  const values = [...properties].map(([name, value]) => [name, value === secretValue ? secret : value]);
  return {
    ...{ actionId, actionType, title, properties: Object.fromEntries(values) as Record<string, unknown> },
    loop: loop && { loopType: loop.loopType, items: loop.items === secretValue ? secret : loop.items },
  };
}

function rowOf(action: AdoptedAction): string[] {
  const { actionId, actionType, title = "", properties, loop } = jsonOf(action);
  const values = Object.entries(properties).map(
    ([name, value]) => `${name}=${value === secret ? secret : JSON.stringify(value)}`,
  );
  const items = loop === undefined || loop.items === secret ? secret : counted(loop.items.length, "item");
  return [actionId, title, actionType, values.join(" "), loop === undefined ? "" : `${loop.loopType}: ${items}`];
}
