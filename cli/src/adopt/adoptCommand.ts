import { Argument, Option } from "commander";
import type { AdoptedTask } from "../../../src/resources/adopt/adoptedTask";
import { notImported, Secrets } from "../../../src/resources/adopt/secrets";
import type { Context } from "../../../src/resources/resource";
import { whyNotYours } from "../../../src/service/errors/errors";
import { shownId } from "../../../src/service/errors/foreignText";
import { counted, shellQuoted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import { connectToAll } from "../connection/connected";
import type { ConnectionFlags } from "../connection/connection";
import { CliError, usageError } from "../exitCodes";
import { inputText } from "../inputFile";
import { adviceOnTypes, typesOption, yesOption } from "../options";
import { writeFiles } from "../output/writeFiles";
import type { AdoptedFiles, Language } from "./adoptedFiles";
import { adoptedFiles, targetProblem } from "./adoptedFiles";
import { comment } from "./declaration";
import { readTasks, showsNoAction } from "./readTasks";
import type { WantedTask } from "./wantedTasks";
import { taskOfArgument, tasksOfFile } from "./wantedTasks";

interface Flags extends ConnectionFlags {
  idsFile?: string;
  out?: string;
  language?: Language;
  types?: string[];
  itemsDir?: string;
  importFile?: string;
  yes?: boolean;
}

export const adoptCommand: CliCommand = {
  name: "adopt",
  summary: "read tasks that exist, and write manifests or a program that declare them as they are",
  details:
    "The command writes nothing at the service. Neither does the first up, until you change the files. Run it in the folder of the Pulumi project. " +
    "What the service does not show, such as start URLs, is a comment. Values that look like secrets become variables.",
  connects: true,
  arguments: [
    new Argument(
      "[tasks...]",
      "ids of the tasks, or with --stack, their names in its state; each alone or as TASK=NAME. Without NAME, a task has its name in the state, the one that the service shows, or its id",
    ),
  ],
  options: [
    new Option(
      "--ids-file <file>",
      "more tasks: a file, or - for standard input, with id, or id,name, or id,name,group on each line, or a CSV with titles. A group is a folder in --out",
    ),
    new Option(
      "-o, --out <path>",
      "a file, or a folder with one file for each task (default: -, standard output, with all lists in it)",
    ),
    new Option(
      "--language <language>",
      "language of the files (default: by the name of the file, otherwise yaml)",
    ).choices(["yaml", "typescript"]),
    typesOption(),
    new Option(
      "--items-dir <folder>",
      "folder of the files with lists of more than 20 items (default: the folder items beside the declarations)",
    ),
    new Option(
      "--import-file <file>",
      "in place of declarations, write a file for `pulumi import --file`, with an ExtractionTask for each task",
    ),
    yesOption(),
  ],
  examples: [
    { line: "adopt shop-1", does: "shows the manifest of a task" },
    {
      line: "adopt shop-1 shop-2 --out tasks/dev --types NavigateAction,LoopAction",
      does: "writes a manifest for each task",
    },
    { line: "adopt --ids-file tasks.csv --out tasks", does: "writes a manifest for each task of a list" },
    { line: "adopt shop-1=books --out shop.ts", does: "writes a program in TypeScript" },
    {
      line: "adopt --ids-file tasks.csv --import-file tasks.json",
      does: "writes a file for pulumi import, which writes the program in YAML, Python or Go",
    },
  ],
  async run({ arguments: [given], options }, cli) {
    const { out, language, types = [], itemsDir, importFile, yes, idsFile, ...flags } = options as Flags;
    const target = { out, language, itemsDir, importFile, folder: process.cwd() };
    const problem = targetProblem(target);
    if (problem !== undefined) {
      throw usageError(problem);
    }
    const named = (given as string[]).map(taskOfArgument);
    const inFile = idsFile === undefined ? [] : tasksOfFile(await inputText(idsFile, cli), idsFile);
    if (named.length + inFile.length === 0) {
      throw usageError("Name at least one task, or give --ids-file.");
    }
    const ids = named.map(({ taskId }) => taskId);
    const { tasks: meant, profile, context } = await connectToAll(ids, flags, cli);
    if (importFile !== undefined && profile !== undefined) {
      throw new CliError(
        `pulumi import finds only tasks of the top-level credentials, and these are of profile "${profile}". Write declarations with --out. ${nothingWritten}`,
        "usage",
      );
    }
    // Called as the user says or as the stack does.
    const ofArguments = meant.map(({ taskId, name }, index) => ({ taskId, name: named[index]?.name ?? name }));
    const wanted = [...ofArguments, ...inFile].map((each): WantedTask => ({ ...each, profile }));
    requireOneName(wanted);
    const secrets = new Secrets(context.redact, importFile === undefined ? undefined : notImported);
    const { tasks, gone } = await readTasks(wanted, types, secrets, context);
    cli.checkInterrupted(nothingWritten);
    if (gone.length > 0) {
      const nameless = gone.some((each) => each.endsWith("=")) ? " In TASK=NAME, NAME must not be empty." : "";
      const message = `The service does not show ${counted(gone.length, "task")} to this account: ${gone.map(shownId).join(", ")}. For each, ${whyNotYours}.${nameless} ${nothingWritten}`;
      throw new CliError(message, "notFound", { taskIds: gone });
    }
    requireActions(tasks, types, context);
    const plan = adoptedFiles(tasks, target);
    const replaced = plan.files.filter(({ present }) => present === "other").map(({ path }) => path);
    if (replaced.length > 0) {
      await cli.confirm(`Replace ${described(replaced, "file")}?`, yes, "No file was written.");
    }
    await writeFiles(plan.files, target.folder, cli.interrupted);
    const next = importFile === undefined ? [] : importNext(importFile, types, context.settings.actionTypes);
    return {
      json: {
        tasks: plan.tasks,
        files: plan.files.map(({ path, present }) => ({
          path,
          written: present !== "same",
          replaced: present === "other",
        })),
        document: plan.document,
      },
      text: () => plan.document ?? [...linesOf(plan), ...next].join("\n"),
    };
  },
};

const nothingWritten = "Nothing was written.";

/** @throws CliError for a task that is given twice and has different names or groups */
function requireOneName(wanted: readonly WantedTask[]): void {
  const found = new Map<string, string>();
  for (const { taskId, name = taskId, group } of wanted) {
    const called = group === undefined ? `"${name}"` : `"${name}" in "${group}"`;
    const before = found.get(taskId) ?? called;
    if (before !== called) {
      throw new CliError(`Task "${taskId}" is given twice, as ${before} and as ${called}. ${nothingWritten}`, "usage");
    }
    found.set(taskId, called);
  }
}

/** The plugin reads the tasks again, with the types of its own configuration. */
function importNext(file: string, named: readonly string[], configured: readonly string[]): string[] {
  const types = named.join(",");
  return [
    "",
    "Next:",
    ...(named.length === 0 || types === configured.join(",")
      ? []
      : [`  pulumi config set webextract:actionTypes ${shellQuoted(types)}`]),
    `  pulumi import --file ${shellQuoted(file)}`,
  ];
}

/** Without an action, the files would declare nothing but ids: most often, the service needs other types. */
function requireActions(tasks: readonly AdoptedTask[], types: readonly string[], context: Context): void {
  if (tasks.every(({ shown }) => shown === 0)) {
    const taskIds = tasks.map(({ taskId }) => taskId);
    throw new CliError(
      `${showsNoAction(described(taskIds.map(shownId), "task"), types, context)} ${nothingWritten} ${adviceOnTypes}`,
      "failed",
      { taskIds },
    );
  }
}

function linesOf({ tasks, files }: AdoptedFiles): string[] {
  const written = files.filter(({ present }) => present !== "same").map(({ path }) => path);
  const same = files.filter(({ present }) => present === "same").map(({ path }) => path);
  const changed = tasks.flatMap(({ name, originalName, taskId }) =>
    originalName === undefined ? [] : [`${comment(`"${originalName}" of ${taskId}`)} is called ${name}`],
  );
  const byNote = new Map<string, string[]>();
  for (const { name, notes } of tasks) {
    for (const note of notes) {
      byNote.set(note, [...(byNote.get(note) ?? []), name]);
    }
  }
  return [
    ...(written.length === 0 ? [] : [`wrote ${described(written, "file")}`]),
    ...(same.length === 0 ? [] : [`up to date: ${described(same, "file")}`]),
    ...(tasks.length === 1 ? [] : [`${counted(tasks.length, "task")} in all.`]),
    ...(changed.length === 0
      ? []
      : [
          "",
          `Names that were changed, because names of files must be valid and differ: ${described(changed, "task")}`,
        ]),
    ...(byNote.size === 0 ? [] : ["", "Not declared, or to be checked:"]),
    ...[...byNote].map(([note, names]) => `  ${described(names, "task")}: ${comment(note)}`),
  ];
}

/** A name, or how many there are and the first of them. */
function described(names: readonly string[], what: string): string {
  const more = names.length > 3 ? ", …" : "";
  return names.length === 1 ? `${names[0]}` : `${counted(names.length, what)} (${names.slice(0, 3).join(", ")}${more})`;
}
