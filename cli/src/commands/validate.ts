import { existsSync, statSync } from "node:fs";
import { Argument } from "commander";
import { manifestReader } from "../../../src/manifest/component";
import type { Manifests } from "../../../src/manifest/readManifests";
import { counted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import { manifestsAt } from "../manifests";

export const validate: CliCommand = {
  name: "validate",
  summary: "check manifests, without Pulumi and without network",
  details:
    "The command shows all problems and warnings of the files and of the lists that they name, relative to the current folder. Any variable is accepted.",
  connects: false,
  arguments: [
    new Argument("<paths...>", "files, which belong together, globs and folders, each of which is a manifest"),
  ],
  examples: [
    { line: "validate tasks", does: "checks all manifests of a folder" },
    { line: "validate tasks/dev tasks/prod --json", does: "lists the problems for a script" },
  ],
  async run({ arguments: [given] }, cli) {
    const { describeProblem } = manifestReader();
    const found: Manifests[] = [];
    for (const paths of manifestsIn(given as string[])) {
      found.push(await manifestsAt(paths, cli));
    }
    const count = found.reduce((sum, { tasks }) => sum + tasks.length, 0);
    const each = (...kinds: ("problems" | "warnings" | "doubts")[]) =>
      new Map(
        kinds
          .flatMap((kind) => found.flatMap((manifests) => manifests[kind]))
          .map((one) => [describeProblem(one), one]),
      );
    const [problems, warnings] = [each("problems"), each("warnings", "doubts")];
    const said = [...problems.keys(), ...[...warnings.keys()].map((warning) => `warning: ${warning}`)];
    const counts = [
      problems.size === 0 ? `${counted(count, "task")}, no problem` : counted(problems.size, "problem"),
      ...(warnings.size === 0 ? [] : [counted(warnings.size, "warning")]),
    ];
    return {
      json: { tasks: count, problems: [...problems.values()], warnings: [...warnings.values()] },
      text: () => `${said.map((each) => `${each}\n`).join("")}${said.length === 0 ? "" : "\n"}${counts.join(", ")}.`,
      hasProblems: problems.size > 0,
    };
  },
};

/**
 * Each folder is a manifest of its own, because the manifests of two stacks may have tasks of the same names. Files
 * belong together: a shell makes them of a pattern.
 */
function manifestsIn(paths: readonly string[]): string[][] {
  const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
  const files = paths.filter(isFile);
  const others = paths.filter((path) => !isFile(path)).map((path) => [path]);
  return files.length === 0 ? others : [files, ...others];
}
