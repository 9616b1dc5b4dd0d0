import { Argument, Option } from "commander";
import type { Cli } from "../cli";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import { CliError } from "../exitCodes";
import { namesIn, yesOption } from "../options";
import type { AdoptedFiles, Language, PlannedFile } from "./adoptedFiles";
import { adoptedFiles, targetProblem } from "./adoptedFiles";
import type { AdoptedTask } from "./adoptedTask";
import { readTasks } from "./readTasks";
import { Secrets } from "./secrets";
import { writeFiles } from "./writeFiles";

interface Flags extends ConnectionFlags {
  out?: string;
  language?: Language;
  types?: string[];
  itemsDir?: string;
  yes?: boolean;
  json?: boolean;
}

export const adoptCommand: CliCommand = {
  name: "adopt",
  summary: "read tasks that exist, and write manifests or a program that declare them as they are",
  details:
    "The command writes nothing at the service. Neither does the first up, until you change the files. Run the command in the folder of the Pulumi project: " +
    "the paths in the files are relative to it. What the service does not show, such as start URLs, is a comment. Values that look like secrets become variables. " +
    "The command asks before it replaces a file.",
  connects: true,
  arguments: [new Argument("<taskIds...>", "ids of the tasks")],
  options: [
    new Option(
      "-o, --out <path>",
      "a file, or a folder with one file for each task (default: standard output, with all lists in it)",
    ),
    new Option(
      "--language <language>",
      "language of the files (default: by the name of the file, otherwise yaml)",
    ).choices(["yaml", "typescript"]),
    new Option(
      "--types <names>",
      "action types to read, with commas between them (default: webextract:actionTypes, otherwise all that the service shows without a type)",
    ).argParser(namesIn),
    new Option(
      "--items-dir <folder>",
      "folder of the files with lists of more than 20 items (default: the folder items beside the declarations)",
    ),
    yesOption(),
  ],
  examples: [
    { line: "adopt shop-1", does: "shows the manifest of a task" },
    {
      line: "adopt shop-1 shop-2 --out tasks/dev --types NavigateAction,LoopAction",
      does: "writes a manifest for each task",
    },
    { line: "adopt shop-1 --out shop.ts", does: "writes a program in TypeScript" },
  ],
  async run({ arguments: [given], options }, cli) {
    const { out, language, types, itemsDir, yes, json: _json, ...flags } = options as Flags;
    const target = { out, language, itemsDir, folder: process.cwd() };
    const problem = targetProblem(target);
    if (problem !== undefined) {
      throw new CliError(`${problem} No request was sent.`, "usage");
    }
    const connection = await cli.connect(flags);
    const { accessToken, refreshToken, apiKey } = connection.options;
    const credentials = [accessToken, refreshToken, apiKey].filter((each) => each !== undefined);
    const context = cli.context(connection);
    const asked = types ?? context.settings.actionTypes;
    const { tasks, gone } = await readTasks(given as string[], asked, new Secrets(credentials), context);
    cli.checkInterrupted(nothingWritten);
    if (gone.length > 0) {
      const message = `The service does not know ${gone.length === 1 ? "the task" : "the tasks"} ${gone.join(", ")}. ${nothingWritten}`;
      throw new CliError(message, "notFound", { taskIds: gone });
    }
    const plan = adoptedFiles(tasks, target);
    await confirmReplaced(plan.files, yes === true, cli);
    const written = await writeFiles(plan.files, target.folder, cli.interrupted);
    return { json: jsonOf(plan, tasks, written), text: () => textOf(plan, tasks, written) };
  },
};

const nothingWritten = "Nothing was written.";

async function confirmReplaced(files: readonly PlannedFile[], yes: boolean, cli: Cli): Promise<void> {
  const replaced = files.filter(({ present }) => present === "other").map(({ path }) => path);
  if (replaced.length === 0) {
    return;
  }
  const question = `Replace ${replaced.length === 1 ? "the file" : `${replaced.length} files:`} ${replaced.join(", ")}?`;
  if (!(await cli.terminal.confirm(question, { yes, signal: cli.interrupted }))) {
    throw new CliError("No file was written.");
  }
}

function jsonOf(
  { tasks, files, document }: AdoptedFiles,
  read: readonly AdoptedTask[],
  written: readonly string[],
): unknown {
  return {
    tasks: tasks.map((task, index) => ({
      ...task,
      actions: read[index]?.actions.map(({ actionId }) => actionId) ?? [],
      notes: notesOf(read[index]),
    })),
    files: files.map(({ path, present }) => ({ path, written: written.includes(path), replaced: present === "other" })),
    document,
  };
}

function textOf(
  { tasks, files, document }: AdoptedFiles,
  read: readonly AdoptedTask[],
  written: readonly string[],
): string {
  if (document !== undefined) {
    return document;
  }
  const lines = files.map(({ path }) => (written.includes(path) ? `wrote ${path}` : `${path} is up to date`));
  const notes = tasks.flatMap(({ name }, index) => notesOf(read[index]).map((note) => `  ${name}: ${note}`));
  return [...lines, ...(notes.length === 0 ? [] : ["", "Not declared, or to be checked:", ...notes])].join("\n");
}

function notesOf(task: AdoptedTask | undefined): string[] {
  const ofActions = task?.actions.flatMap(({ actionId, notes }) =>
    notes.map((note) => `action "${actionId}": ${note}`),
  );
  return [...(task?.notes ?? []), ...(ofActions ?? [])];
}
