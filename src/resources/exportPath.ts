import { dirname, resolve } from "node:path";
import type { Problem } from "./args";
import { exists } from "./exportFile";

const placeholders = ["{lotNo}", "{time}", "{n}"];

/** Problems of a path that can be seen without a run. */
export function checkPath(path: unknown, has: { lotNo: boolean; ownFile: boolean }, problems: Problem[]): void {
  if (typeof path !== "string") {
    return;
  }
  const used: string[] = path.match(/\{[^}]*\}/g) ?? [];
  for (const each of used) {
    if (!placeholders.includes(each)) {
      problems.push({ path: "path", reason: `holds "${each}"; known are ${placeholders.join(", ")}` });
    }
  }
  if (used.includes("{lotNo}") && !has.lotNo) {
    problems.push({ path: "path", reason: 'holds "{lotNo}", which goes with scope "batch" only' });
  }
  if (has.ownFile && !used.some((each) => placeholders.includes(each))) {
    const reason = `must hold ${placeholders.join(", ").replace(/, ([^,]*)$/, " or $1")} with markExported: rows that are marked must never be overwritten`;
    problems.push({ path: "path", reason });
  }
}

/** The folder that all exports to this path have in common, whatever is filled in. */
export function fixedFolder(path: string): string {
  const [beginning = ""] = path.split("{");
  return dirname(`${beginning}file`);
}

/** The path with everything filled in, relative as it was given. */
export async function fillIn(path: string, lotNo: string | undefined, folder: string): Promise<string> {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  const filled = path.replaceAll("{lotNo}", lotNo ?? "").replaceAll("{time}", time);
  if (!filled.includes("{n}")) {
    return filled;
  }
  for (let number = 1; ; number++) {
    const candidate = filled.replaceAll("{n}", String(number));
    if (!(await exists(resolve(folder, candidate)))) {
      return candidate;
    }
  }
}
