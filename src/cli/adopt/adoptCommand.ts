import { dirname } from "node:path";
import { Argument, Option } from "commander";
import type { AdoptedTask } from "../../resources/adopt/adoptedTask";
import { notImported, Secrets } from "../../resources/adopt/secrets";
import { counted, shellQuoted } from "../../resources/values";
import type { Cli } from "../cli";
import type { CliCommand } from "../command";
import type { ConnectionFlags } from "../connection/connection";
import type { NamedTask } from "../connection/namedTask";
import { CliError } from "../exitCodes";
import { inputFile } from "../inputFile";
import { typesOption, yesOption } from "../options";
import type { PlannedFile } from "../output/writeFiles";
import { writeFiles } from "../output/writeFiles";
import type { AdoptedFiles, Language } from "./adoptedFiles";
import { adoptedFiles, targetProblem } from "./adoptedFiles";
import { comment } from "./declaration";
import { readTasks } from "./readTasks";
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
  json?: boolean;
}

export const adoptCommand: CliCommand = {
  name: "adopt",
  summary: "read tasks that exist, and write manifests or a program that declare them as they are",
  details:
    "The command writes nothing at the service. Neither does the first up, until you change the files. Run the command in the folder of the Pulumi project: " +
    "the paths in the files are relative to it. What the service does not show, such as start URLs, is a comment. Values that look like secrets become variables.",
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
      "more tasks: a file with id, or id,name, or id,name,group on each line. A CSV with a line of titles is read by them. A group is a folder in --out",
    ),
    new Option(
      "-o, --out <path>",
      "a file, or a folder with one file for each task (default: standard output, with all lists in it)",
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
    const { out, language, types, itemsDir, importFile, yes, idsFile, json: _json, ...flags } = options as Flags;
    const target = { out, language, itemsDir, importFile, folder: process.cwd() };
    const problem = targetProblem(target);
    if (problem !== undefined) {
      throw new CliError(`${problem} No request was sent.`, "usage");
    }
    const { arguments: named, inFile } = await wantedTasks(given as string[], idsFile, cli);
    const {
      tasks: meant,
      profile,
      ...connection
    } = await cli.connectToAll(
      named.map(({ taskId }) => taskId),
      flags,
    );
    if (importFile !== undefined && profile !== undefined) {
      throw new CliError(
        `An import has no profile: it finds only tasks of the top-level credentials, and these are of profile "${profile}". ` +
          `Write declarations with --out. ${nothingWritten}`,
        "usage",
      );
    }
    const all = [...named.map((each, index) => withName(each, meant[index])), ...inFile];
    const wanted = all.map((each) => ({ ...each, profile }));
    requireOneName(wanted, nothingWritten);
    const context = cli.context(connection);
    const asked = types ?? context.settings.actionTypes;
    const secrets = Secrets.of(connection.options, importFile === undefined ? undefined : notImported);
    const { tasks, gone } = await readTasks(wanted, asked, secrets, context);
    cli.checkInterrupted(nothingWritten);
    if (gone.length > 0) {
      const message = `The service does not know ${gone.length === 1 ? "the task" : "the tasks"} ${gone.join(", ")}. ${nothingWritten}`;
      throw new CliError(message, "notFound", { taskIds: gone });
    }
    requireActions(tasks, asked);
    const plan = adoptedFiles(tasks, target);
    await confirmReplaced(plan.files, yes === true, cli);
    const written = new Set(await writeFiles(plan.files, target.folder, cli.interrupted));
    const next = importFile === undefined ? [] : importNext(importFile, asked, context.settings.actionTypes);
    return {
      json: jsonOf(plan, tasks, written),
      text: () => [textOf(plan, tasks, written), ...next].join("\n"),
    };
  },
};

const nothingWritten = "Nothing was written.";

const noRequest = "No request was sent.";

/** @throws CliError if a task is named twice, in two ways, or none is named */
async function wantedTasks(
  given: readonly string[],
  idsFile: string | undefined,
  cli: Cli,
): Promise<{ arguments: WantedTask[]; inFile: WantedTask[] }> {
  const inFile =
    idsFile === undefined
      ? []
      : tasksOfFile(await cli.terminal.readInput(cli.interrupted, inputFile(idsFile, cli.terminal)), idsFile);
  const named = given.map(taskOfArgument);
  if (named.length === 0 && inFile.length === 0) {
    throw new CliError(`Name at least one task, or give --ids-file. ${noRequest}`, "usage");
  }
  requireOneName([...named, ...inFile], noRequest);
  return { arguments: named, inFile };
}

/** @throws CliError */
function requireOneName(wanted: readonly WantedTask[], end: string): void {
  const names = new Map(wanted.map(({ taskId, name }) => [taskId, name]));
  const twice = wanted.find(({ taskId, name }) => names.get(taskId) !== name);
  if (twice !== undefined) {
    throw new CliError(`The task "${twice.taskId}" has two names. ${end}`, "usage");
  }
}

/** The task that an argument means, called as the user says or as the stack does. */
function withName({ taskId, name }: WantedTask, meant?: NamedTask): WantedTask {
  return { taskId: meant?.taskId ?? taskId, name: name ?? meant?.name };
}

/** The plugin reads the tasks again, with the types of its own configuration. */
function importNext(file: string, asked: readonly string[], configured: readonly string[]): string[] {
  const types = asked.join(",");
  return [
    "",
    "Next:",
    ...(types === configured.join(",") ? [] : [`  pulumi config set webextract:actionTypes ${shellQuoted(types)}`]),
    `  pulumi import --file ${shellQuoted(file)}`,
  ];
}

/** Without an action, the files would declare nothing but ids: most often, the service needs other types. */
function requireActions(tasks: readonly AdoptedTask[], types: readonly string[]): void {
  if (tasks.some(({ shown }) => shown > 0)) {
    return;
  }
  const what = tasks.length === 1 ? `of task "${tasks[0]?.taskId}"` : `of the ${counted(tasks.length, "task")}`;
  const asked = types.length === 0 ? "without their types" : `of the types ${types.join(", ")}`;
  throw new CliError(
    `The service shows no action ${what} ${asked}. ${nothingWritten} Name the types of their actions with --types, with commas between them: ` +
      "the service's own editor shows the type of each step, and an export of a task contains them as actionType. " +
      "A task without actions needs no file from this command: declare it with from: { adoptTaskId: … }.",
    "failed",
    { taskIds: tasks.map(({ taskId }) => taskId) },
  );
}

async function confirmReplaced(files: readonly PlannedFile[], yes: boolean, cli: Cli): Promise<void> {
  const replaced = files.filter(({ present }) => present === "other").map(({ path }) => path);
  if (replaced.length === 0) {
    return;
  }
  const few = `${replaced.length === 1 ? "the file" : `${counted(replaced.length, "file")}:`} ${replaced.join(", ")}`;
  const question = `Replace ${replaced.length <= mostFiles ? few : describeNames(replaced, "file")}?`;
  if (!(await cli.terminal.confirm(question, { yes, signal: cli.interrupted }))) {
    throw new CliError("No file was written.");
  }
}

function jsonOf(
  { tasks, files, document }: AdoptedFiles,
  read: readonly AdoptedTask[],
  written: ReadonlySet<string>,
): unknown {
  return {
    tasks: tasks.map((task, index) => ({
      ...task,
      actions: read[index]?.actions.map(({ actionId }) => actionId) ?? [],
      notes: notesOf(read[index]),
    })),
    files: files.map(({ path, present }) => ({ path, written: written.has(path), replaced: present === "other" })),
    document,
  };
}

function textOf(
  { tasks, files, document }: AdoptedFiles,
  read: readonly AdoptedTask[],
  written: ReadonlySet<string>,
): string {
  if (document !== undefined) {
    return document;
  }
  const byNote = new Map<string, string[]>();
  for (const [index, { name }] of tasks.entries()) {
    for (const note of notesOf(read[index])) {
      byNote.set(note, [...(byNote.get(note) ?? []), name]);
    }
  }
  const notes = [...byNote].map(([note, names]) => `  ${describeNames(names, "task")}: ${comment(note)}`);
  const lines = [...describeFiles(files, written), ...describeTasks(tasks)];
  return [...lines, ...(notes.length === 0 ? [] : ["", "Not declared, or to be checked:", ...notes])].join("\n");
}

/** More files than these are a count. */
const mostFiles = 10;

function describeFiles(files: readonly PlannedFile[], written: ReadonlySet<string>): string[] {
  if (files.length <= mostFiles) {
    return files.map(({ path }) => (written.has(path) ? `wrote ${path}` : `${path} is up to date`));
  }
  const folders = new Map<string, { all: number; written: number }>();
  for (const { path } of files) {
    const count = folders.get(dirname(path)) ?? { all: 0, written: 0 };
    folders.set(dirname(path), { all: count.all + 1, written: count.written + (written.has(path) ? 1 : 0) });
  }
  const sorted = [...folders].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([folder, count]) => {
    const rest = count.all - count.written;
    return `wrote ${counted(count.written, "file")} to ${folder}${rest === 0 ? "" : `; ${rest} are up to date`}`;
  });
}

/** More changed names than these are a count. The files have them all. */
const mostChanged = 50;

/** How many tasks the files declare, and which of them have another name than the one that was wanted. */
function describeTasks(tasks: AdoptedFiles["tasks"]): string[] {
  const changed = tasks.filter(({ originalName }) => originalName !== undefined);
  const lines = changed
    .slice(0, mostChanged)
    .map(({ name, originalName = "", taskId }) => `  ${comment(`"${originalName}" of ${taskId}`)} is called ${name}`);
  const more = changed.length - lines.length;
  return [
    ...(tasks.length === 1 ? [] : [`${counted(tasks.length, "task")} in all.`]),
    ...(changed.length === 0 ? [] : ["", "Names that were changed, because names of files must be valid and differ:"]),
    ...lines,
    ...(more === 0 ? [] : [`  and ${more} more, which the first lines of their files name`]),
  ];
}

/** The first names, and how many there are. */
function describeNames(names: readonly string[], what: string): string {
  const [first = ""] = names;
  return names.length === 1
    ? first
    : `${counted(names.length, what)} (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""})`;
}

function notesOf(task: AdoptedTask | undefined): string[] {
  const ofActions = task?.actions.flatMap(({ actionId, notes }) =>
    notes.map((note) => `action "${actionId}": ${note}`),
  );
  return [...(task?.notes ?? []), ...(ofActions ?? [])];
}
