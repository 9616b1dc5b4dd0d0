import { dirname, resolve, sep } from "node:path";
import type { Problem } from "../args";
import { exists, inTheWayOf, isFolder } from "./exportPlace";

const placeholders = ["{lotNo}", "{time}", "{n}"];

/** Problems of a path that can be seen without a run. */
export function checkPath(path: unknown, has: { lotNo: boolean; ownFile: boolean }, problems: Problem[]): void {
  if (typeof path !== "string") {
    return;
  }
  const used = [...path.matchAll(/\{[^}]*\}?/g)].map(([each]) => each).filter((each) => each.endsWith("}"));
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

/** Problems of a path that the disk shows: at an up, they would come after the runs before it. */
export async function checkPlace(path: unknown, folder: string, problems: Problem[]): Promise<void> {
  if (typeof path !== "string" || path === "") {
    return;
  }
  const example = 'give the file in it, for example "rows/all.ndjson"';
  if (path.endsWith("/") || path.endsWith(sep)) {
    problems.push({ path: "path", reason: `ends like a folder: ${example}` });
    return;
  }
  const file = await inTheWayOf(resolve(folder, fixedFolder(path)));
  if (file !== undefined) {
    problems.push({ path: "path", reason: `leads through "${file}", which is no folder: give another path` });
  } else if (!path.includes("{") && (await isFolder(resolve(folder, path)))) {
    problems.push({ path: "path", reason: `names a folder that is there, "${resolve(folder, path)}": ${example}` });
  }
}

/** The problem of a file that stands where the export's own would have to be. */
export async function checkNotTaken(path: string, problems: Problem[]): Promise<void> {
  if ((await exists(path)) && !(await isFolder(path))) {
    const reason = `names a file that exists already, "${path}", and that this export did not write: put {n} or {time} into path, move the file away, or give another path`;
    problems.push({ path: "path", reason });
  }
}

/** Whether each export to this path gets a name of its own. */
export function countsUp(path: string): boolean {
  return /\{(n|time)\}/.test(path);
}

/** The one name that a path allows; undefined where it allows several, or where it is not known yet. */
export function onlyName(path: unknown, lotNo: unknown): string | undefined {
  if (typeof path !== "string" || countsUp(path)) {
    return undefined;
  }
  return path.includes("{lotNo}") && typeof lotNo !== "string" ? undefined : withLotNo(path, lotNo);
}

/** The path with its `{lotNo}` filled in. */
export function withLotNo(path: string, lotNo: unknown): string {
  return path.replaceAll("{lotNo}", typeof lotNo === "string" ? lotNo : "");
}

/**
 * The names that a path allows, in the order in which they are tried, relative as the path was given: `{n}` counts up, and without one a number
 * behind `{time}` does. There is one name where neither is in it.
 */
export function* namesFor(path: string, lotNo: string | undefined): Generator<string> {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  const known = withLotNo(path, lotNo);
  const hasNumber = known.includes("{n}");
  if (!countsUp(path)) {
    yield known;
    return;
  }
  for (let number = 1; ; number++) {
    const moment = hasNumber || number === 1 ? time : `${time}-${number}`;
    yield known.replaceAll("{time}", moment).replaceAll("{n}", String(number));
  }
}
