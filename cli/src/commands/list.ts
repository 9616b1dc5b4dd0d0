import { Argument, Option } from "commander";
import { isPlainMap } from "../../../src/values/plain";
import type { CliCommand, Result } from "../command";
import type { CommandContext } from "../commandContext";
import { requireStack } from "../connection/pulumi";
import { stackTasks } from "../connection/stackTasks";
import { CliError } from "../exitCodes";
import { validManifestsAt } from "../manifests";
import { table } from "../output/table";

export const list: CliCommand = {
  name: "list",
  summary: "show the tasks that the state of a stack or a folder of manifests knows",
  details:
    "Each task of the stack has its id, its last run, and the rows and the file of its last export, as of the last up.",
  connects: false,
  arguments: [new Argument("[paths...]", "manifests: files, globs and folders (default: the state of the stack)")],
  options: [new Option("--stack <name>", "a Pulumi stack (default: the selected one)")],
  examples: [
    { line: "list --stack dev", does: "shows the tasks of a stack" },
    { line: "list tasks", does: "shows the tasks that a folder of manifests declares" },
  ],
  async run({ arguments: [given], options }, cli) {
    const paths = given as string[];
    if (paths.length > 0) {
      if (options.stack !== undefined) {
        throw new CliError("Give either --stack or paths of manifests.", "usage");
      }
      return ofManifests(paths, cli);
    }
    const otherwise = "Name one with --stack, or give files or folders with manifests.";
    return ofStack(await requireStack(options.stack as string | undefined, cli, otherwise), cli);
  },
};

async function ofStack(stack: string, cli: CommandContext): Promise<Result> {
  const tasks = await stackTasks(stack, cli.interrupted);
  return {
    json: { stack, tasks },
    text() {
      if (tasks.length === 0) {
        return `Stack "${stack}" has no task.`;
      }
      const rows = tasks.map(({ name, taskId, run, exports }) => {
        const last = exports.at(-1);
        const ofRun = run === undefined ? "" : `${run.lotNo} ${run.status}`;
        return [name ?? "", taskId, ofRun, last === undefined ? "" : String(last.rows), last?.file ?? ""];
      });
      return table(["name", "id", "last run", "rows", "file"], rows, cli.terminal);
    },
  };
}

async function ofManifests(paths: readonly string[], cli: CommandContext): Promise<Result> {
  const { tasks } = await validManifestsAt(paths, cli);
  const found = tasks.map(({ name, args, at }) => {
    const { adoptTaskId } = isPlainMap(args.from) ? args.from : {};
    // A variable has no value here.
    return { name, taskId: typeof adoptTaskId === "string" ? adoptTaskId : undefined, file: at.file.name };
  });
  return {
    json: { tasks: found },
    text: () =>
      table(
        ["name", "adopted id", "manifest"],
        found.map(({ name, taskId, file }) => [name, taskId ?? "", file]),
        cli.terminal,
      ),
  };
}
