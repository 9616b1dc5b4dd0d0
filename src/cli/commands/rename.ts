import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Argument } from "commander";
import type { DeclaredTask, Manifests } from "../../manifest/readManifests";
import { didYouMean } from "../../resources/likelyName";
import { writeFiles } from "../adopt/writeFiles";
import type { CliCommand } from "../command";
import { CliError } from "../exitCodes";
import { manifestReader, manifestsAt } from "../manifests";

const nothingChanged = "Nothing was changed.";

export const rename: CliCommand = {
  name: "rename",
  summary: "give a task of a manifest another name, without making it a new task",
  details:
    "The command changes the name, the name of the file if the task has that, and rerunOn of other tasks. It notes the earlier name in was, so that the next up keeps the task, " +
    "its run and its exports. All else in the files stays as it is written.",
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
    const manifests = await manifestsAt(paths as string[], cli);
    const task = taskToRename(manifests, String(old), name);
    const { CannotRename, renameTask } = renamer();
    let files: ReturnType<typeof renameTask>;
    try {
      files = renameTask(manifests, task, name);
    } catch (error) {
      throw error instanceof CannotRename ? new CliError(`${error.message} ${nothingChanged}`) : error;
    }
    const folder = process.cwd();
    const moved = files.find(({ newName }) => newName !== undefined);
    if (moved !== undefined && /[/\\]|^\./.test(name)) {
      throw new CliError(`"${name}" cannot be the name of a file, which the task has. ${nothingChanged}`, "usage");
    }
    // The new file first: it must not replace another one, and then nothing else has changed yet.
    const planned = [...files].sort((one) => (one === moved ? -1 : 1));
    await writeFiles(
      planned.map(({ name: path, newName, text }) => ({
        path: newName ?? path,
        content: text,
        present: newName === undefined ? "other" : "nothing",
      })),
      folder,
      cli.interrupted,
    );
    if (moved !== undefined) {
      await rm(resolve(folder, moved.name));
    }
    const changed = planned.map(({ name: path, newName }) => ({ path: newName ?? path, was: newName && path }));
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
function taskToRename({ tasks, problems }: Manifests, old: string, name: string): DeclaredTask {
  if (problems.length > 0) {
    throw new CliError(`${problems.map(manifestReader().describeProblem).join("\n")}\n${nothingChanged}`);
  }
  const names = tasks.map((each) => each.name);
  const task = tasks.find((each) => each.name === old);
  if (task === undefined) {
    const likely = didYouMean(old, names);
    throw new CliError(
      `The manifests declare no task "${old}"${likely === "" ? "." : likely} ${nothingChanged}`,
      "usage",
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they can be in no name
  if (name === old || name.trim() === "" || /[\u0000-\u001f\u007f]/.test(name) || name.startsWith("urn:pulumi:")) {
    throw new CliError(`"${name}" cannot be the new name of the task. ${nothingChanged}`, "usage");
  }
  const taken = names.includes(name) || tasks.some((each) => each !== task && each.was.includes(name));
  if (taken) {
    throw new CliError(`"${name}" is the name or an earlier name of another task. ${nothingChanged}`, "usage");
  }
  return task;
}

function renamer(): typeof import("../../manifest/renameTask") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the parser with every command
  return require("../../manifest/renameTask");
}
