import { statSync } from "node:fs";
import { Argument } from "commander";
import { anyVariables } from "../../manifest/variables";
import type { CliCommand } from "../command";

export const validate: CliCommand = {
  name: "validate",
  summary: "check manifests, without Pulumi and without network",
  details:
    "The command shows all problems of all files. The values of variables are not known here, so any name is accepted. The exit code is 1 if there are problems.",
  connects: false,
  arguments: [
    new Argument("<paths...>", "files, which belong together, globs and folders, each of which is a manifest"),
  ],
  examples: [
    { line: "validate tasks", does: "checks all manifests of a folder" },
    { line: "validate tasks/dev tasks/prod --json", does: "lists the problems for a script" },
  ],
  async run({ arguments: [given] }) {
    const { readManifests, inWords } = manifestReader();
    const found = manifestsIn(given as string[]).map((paths) =>
      readManifests({ paths, folder: process.cwd(), variables: anyVariables }),
    );
    const problems = [
      ...new Map(found.flatMap((each) => each.problems).map((each) => [inWords(each), each])).entries(),
    ];
    const count = found.reduce((sum, { tasks }) => sum + tasks.length, 0);
    return {
      json: { tasks: count, problems: problems.map(([, problem]) => problem) },
      text: () =>
        problems.length === 0
          ? `${count} ${count === 1 ? "task" : "tasks"}, no problem.`
          : `${problems.map(([words]) => words).join("\n")}\n\n${problems.length} ${problems.length === 1 ? "problem" : "problems"}.`,
      hasProblems: problems.length > 0,
    };
  },
};

/**
 * Each folder is a manifest of its own, because the manifests of two stacks may have tasks of the same names. Files belong together: a shell makes them of
 * a pattern.
 */
function manifestsIn(paths: readonly string[]): string[][] {
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const files = paths.filter(isFile);
  const others = paths.filter((path) => !isFile(path)).map((path) => [path]);
  return files.length === 0 ? others : [files, ...others];
}

function manifestReader(): typeof import("../../manifest/readManifests") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the parser with every command
  return require("../../manifest/readManifests");
}
