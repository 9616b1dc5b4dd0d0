import { existsSync, readFileSync } from "node:fs";
import { rename as move } from "node:fs/promises";
import { resolve } from "node:path";
import { Argument } from "commander";
import { manifestReader } from "../../../src/manifest/component";
import type { DeclaredTask, Manifests } from "../../../src/manifest/readManifests";
import { lock } from "../../../src/system/fileLock";
import { isUrn } from "../../../src/values/urn";
import { didYouMean } from "../../../src/values/words";
import type { CliCommand } from "../command";
import type { CommandContext } from "../commandContext";
import type { Exit } from "../exitCodes";
import { CliError } from "../exitCodes";
import { manifestsAt, validManifestsAt } from "../manifests";
import type { PlannedFile } from "../output/writeFiles";
import { digestOf, writeFiles } from "../output/writeFiles";
import type { RenamedFile } from "./renameTask";
import { CannotRename, renameTask } from "./renameTask";

const nothingChanged = "Nothing was changed.";

export const rename: CliCommand = {
  name: "rename",
  summary: "give a task of a manifest another name, without making it a new task",
  details:
    "The command changes the name, the name of the file, and rerunOn of other tasks. It notes the earlier name in was, so that the next up keeps the task, " +
    "its run and its exports.",
  connects: false,
  arguments: [
    new Argument("<old>", "the present name of the task"),
    new Argument("<new>", "its new name"),
    new Argument("[paths...]", "the manifests: files, globs and folders").default(["tasks"], "the folder tasks"),
  ],
  examples: [
    { line: "rename shop-1 books", does: "renames a task of the folder tasks" },
    { line: "rename shop-1 books tasks.yaml", does: "renames a task of a file" },
  ],
  async run({ arguments: [old, given, paths] }, cli) {
    const name = String(given);
    const manifests = await validManifestsAt(paths as string[], cli, nothingChanged);
    const task = taskToRename(manifests, String(old), name);
    const files = renamed(manifests, task, name);
    await requireValid(paths as string[], files, cli);
    cli.checkInterrupted(nothingChanged);
    const unlock = await lockOf(task.at.file.name);
    try {
      await writeAll(files, cli.interrupted);
    } finally {
      await unlock();
    }
    const changed = files.map(({ before, after }) => ({
      path: after.name,
      was: after.name === before.name ? undefined : before.name,
    }));
    return {
      json: { name, was: [...task.was.filter((each) => each !== name), task.name], files: changed },
      text: () =>
        [
          `The task "${task.name}" is called "${name}" now.`,
          ...changed.map(({ path, was }) =>
            was === undefined ? `changed ${path}` : `changed ${was}, which is ${path} now`,
          ),
          'The next "pulumi preview" must show no new task. After the up of each stack, was can be removed.',
        ].join("\n"),
    };
  },
};

/** @throws CliError */
function taskToRename({ tasks }: Manifests, old: string, name: string): DeclaredTask {
  const task = tasks.find((each) => each.name === old);
  if (task === undefined) {
    const names = tasks.map((each) => each.name);
    throw refusal(`The manifests declare no task "${old}"${didYouMean(old, names) || "."}`);
  }
  if (name === old || name.trim() === "" || /\p{Cc}/u.test(name) || isUrn(name)) {
    throw refusal(`"${name}" cannot be the new name of the task.`);
  }
  if (tasks.some((each) => each !== task && [each.name, ...each.was].includes(name))) {
    throw refusal(`"${name}" is the name or an earlier name of another task.`);
  }
  return task;
}

/** @throws CliError */
function renamed(manifests: Manifests, task: DeclaredTask, name: string): RenamedFile[] {
  let files: RenamedFile[];
  try {
    files = renameTask(manifests, task, name);
  } catch (error) {
    throw error instanceof CannotRename ? refusal(error.message, "failed") : error;
  }
  const { before, after } = files.find((each) => each.before.name !== each.after.name) ?? {};
  if (after !== undefined && (/[/\\]|^\./.test(name) || Buffer.byteLength(name) > longestFileName)) {
    throw refusal(`"${name}" cannot be the name of a file, which the task has.`);
  }
  // A file system without letter case finds the file itself.
  if (after !== undefined && existsSync(after.name) && after.name.toLowerCase() !== before?.name.toLowerCase()) {
    throw refusal(`"${after.name}" exists already, and the task has the name of its file.`);
  }
  return files;
}

function refusal(why: string, exit: Exit = "usage"): CliError {
  return new CliError(`${why} ${nothingChanged}`, exit);
}

const longestFileName = 200;

/** A name can stand where the change means something else, such as in a value that two tasks share. */
async function requireValid(
  paths: readonly string[],
  files: readonly RenamedFile[],
  cli: CommandContext,
): Promise<void> {
  const changed = new Map(files.map(({ before, after }) => [before.name, after]));
  const [problem] = (await manifestsAt(paths, cli, changed)).problems;
  if (problem !== undefined) {
    const words = manifestReader().describeProblem(problem);
    throw new CliError(
      `After the change, the manifests would not be valid. ${nothingChanged} Change them by hand:\n${words}`,
    );
  }
}

/** A rename of the same task at the same time is refused. */
async function lockOf(file: string): Promise<() => Promise<void>> {
  // The file can get another name until the lock is given back.
  return await lock(resolve(file), { realpath: false }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ELOCKED" ? "another rename is changing it" : (error.code ?? error.message);
    throw refusal(`"${file}" cannot be locked: ${why}.`, "failed");
  });
}

/**
 * The file of the task comes last. A file keeps its byte order mark. What another program, such as a second rename, has
 * written stays.
 */
async function writeAll(files: readonly RenamedFile[], interrupted: AbortSignal): Promise<void> {
  const planned = files.toReversed().map(({ before, after }): PlannedFile => {
    const present = existsSync(before.name) ? readFileSync(before.name, "utf8") : "";
    const mark = present.startsWith("\uFEFF") ? "\uFEFF" : "";
    if (present !== mark + before.text) {
      throw refusal(`"${before.name}" was changed by another program in the meantime.`, "failed");
    }
    return { path: before.name, content: mark + after.text, present: "other", digest: digestOf(before.name) };
  });
  await writeFiles(planned, process.cwd(), interrupted);
  for (const { before, after } of files.filter(({ before, after }) => before.name !== after.name)) {
    await move(before.name, after.name);
  }
}
