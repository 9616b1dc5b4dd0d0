import { basename, dirname } from "node:path";
import type { Project, Source } from "./project";
import { codeOf, under } from "./project";
import { budgets } from "./walls";

/** `scripts/bundle.ts` puts the worker that it starts beside the bundle. */
const startsWorker = "emulator/src/extraction/reading/pagePool.ts";

/** Refuses `__dirname` in the folders of the emulator: a build makes one file of all modules, so it is another folder there. */
export function bundledModulesHaveNoFolder(project: Project): string[] {
  return under(project, "emulator/src")
    .filter((source) => source.path.split("/").length > 3 && source.path !== startsWorker)
    .filter((source) => /\b__(?:dirname|filename)\b/.test(codeOf(source)))
    .map(({ path }) => `${path} uses __dirname or __filename: take packageFolder of emulator/src/contract.ts`);
}

const mostFiles = 14;

/** Folders with program code. */
const foldersOfCode = ["src", "cli/src", "plugin/src", "emulator/src", "emulator/page", "scripts", "bench"];

/** Refuses a folder with too many source files side by side: subfolders show which files belong together. */
export function foldersStaySmall(project: Project): string[] {
  const counts = new Map<string, number>();
  for (const { path } of foldersOfCode.flatMap((folder) => under(project, folder))) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder} has ${count} source files; the limit is ${mostFiles}: add a subfolder`);
}

/** Refuses a part with more lines than its budget. */
export function partsKeepTheirBudgets(project: Project): string[] {
  return budgets.flatMap(({ part, folders, lines: most }) => {
    const sources = folders.flatMap((folder) => under(project, folder));
    const lines = sources.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    return lines > most
      ? [`${part} has ${lines} lines; its budget in scripts/rules/walls.ts is ${most}: take away what a change adds`]
      : [];
  });
}

/** Refuses the name of a file that says nothing about its content. */
export function namesSaySomething({ sources }: Project): string[] {
  return sources
    .filter(({ path }) => /^(?:utils?|helpers?|common|misc|shared)\./i.test(basename(path)))
    .map(({ path }) => `${path}: name the file after its content`);
}

/** Refuses marks for work that is left for later. */
export function nothingIsLeftForLater({ sources }: Project): string[] {
  return findLines(sources, /\b(?:TO[D]O|FIX[M]E)\b/, "leaves work for later");
}

function findLines(sources: readonly Source[], pattern: RegExp, complaint: string): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${complaint}: ${line.trim()}`] : [])),
  );
}
