import { dirname, extname, resolve, sep } from "node:path";
import { oneLine } from "../../service/errors/foreignText";
import type { Problem } from "../args";
import { packagesFolder } from "../optionalPackage";
import type { CheckContext } from "../resource";
import { holdsUnknown } from "../values";
import { exists, fileInPlaceOf, isFolder } from "./destinations/diskFile";
import { isRemote, remoteSetupProblem } from "./destinations/remotePath";
import { remotePathProblem } from "./destinations/s3/s3Path";
import { compressions } from "./formats/compression";
import { formats } from "./formats/formats";
import type { DataExportArgs, ExportFormat } from "./model";
import { mayComeOnce } from "./model";

const placeholders = ["{lotNo}", "{time}", "{n}"];

/** Whether each export to this path writes a file with a name of its own. */
export function countsUp(path: string): boolean {
  return /\{(n|time)\}/.test(path);
}

/** The path with `{lotNo}` replaced. */
export function withLotNo(path: string, lotNo: unknown): string {
  return path.replaceAll("{lotNo}", () => (typeof lotNo === "string" ? lotNo : ""));
}

/**
 * The names that a path allows, relative to the program's folder, in the order in which they are tried. `{n}` counts up. Without `{n}`, a number
 * behind `{time}` counts up. Without both there is one name.
 */
export function* namesFor(path: string, lotNo: string | undefined): Generator<string> {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  const known = withLotNo(path, lotNo);
  if (!countsUp(path)) {
    yield known;
    return;
  }
  const hasNumber = known.includes("{n}");
  for (let number = 1; ; number++) {
    const moment = hasNumber || number === 1 ? time : `${time}-${number}`;
    yield known.replaceAll("{time}", () => moment).replaceAll("{n}", () => String(number));
  }
}

/**
 * The nth name for rows that did not pass their checks: `rows.rejected.csv` for `rows.csv`, then `rows.rejected-2.csv` and so on. The ending of a
 * compression stays the last one: `rows.rejected.csv.gz`. Rows for Parquet are NDJSON: `rows.rejected.ndjson`.
 */
export function rejectedName(name: string, nth: number, format: ExportFormat | undefined): string {
  const endings = Object.values(compressions).flatMap(({ extension }) => extension ?? []);
  const compressed = endings.find((each) => name.endsWith(each)) ?? "";
  const ending = `${extname(name.slice(0, name.length - compressed.length))}${compressed}`;
  const beginning = name.slice(0, name.length - ending.length);
  return `${beginning}.rejected${nth === 1 ? "" : `-${nth}`}${formats[format ?? "ndjson"].compressesItself === true ? formats.ndjson.extension : ending}`;
}

/** The folder that contains all exports to this path. */
export function fixedFolder(path: string): string {
  const [beginning = ""] = path.split("{");
  return dirname(`${beginning}file`);
}

/** The source of a regular expression that matches each name that a part of a path allows. */
export function patternOf(part: string): string {
  const fixed = part.split(/\{(?:lotNo|time|n)\}/).map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return fixed.join("[\\w.-]+");
}

/** The service chooses the lotNo. It must not choose the folder of a file, or what a command reads as a path. */
export function checkLotNo({ path, pipe, lotNo }: DataExportArgs, problems: Problem[]): void {
  const parts: unknown[] = [path, ...(Array.isArray(pipe) ? pipe : [])];
  const isUsed = parts.some((each) => typeof each === "string" && each.includes("{lotNo}"));
  const isName = typeof lotNo !== "string" || (/^[\w.-]+$/.test(lotNo) && lotNo !== "." && lotNo !== "..");
  if (isUsed && !isName) {
    const reason = `is ${JSON.stringify(oneLine(lotNo))}, which cannot replace {lotNo}: only letters of ASCII, digits, "_", "-" and "." are allowed, and neither "." nor ".."`;
    problems.push({ path: "lotNo", reason });
  }
}

/** Problems of the path that can be seen without the disk. */
export function checkPlaceholders({ path, lotNo, markExported }: DataExportArgs, problems: Problem[]): void {
  if (typeof path !== "string") {
    return;
  }
  const remote = remotePathProblem(path);
  if (remote !== undefined) {
    problems.push({ path: "path", reason: remote });
  }
  const used: string[] = path.match(/\{[^{}]*\}/g) ?? [];
  for (const each of used) {
    if (!placeholders.includes(each)) {
      problems.push({ path: "path", reason: `contains "${each}"; known placeholders are ${placeholders.join(", ")}` });
    }
  }
  if (used.includes("{lotNo}") && lotNo === undefined) {
    problems.push({ path: "path", reason: 'contains "{lotNo}", which needs scope "batch"' });
  }
  if (markExported === true && !used.some((each) => placeholders.includes(each))) {
    problems.push({
      path: "path",
      reason: "must contain {lotNo}, {time} or {n} with markExported: a file of marked rows is never overwritten",
    });
  }
}

/** Programs tell by its name how a file is compressed, and refuse or misread one with another name. */
export function checkEnding({ path, format, compression = "none" }: DataExportArgs, problems: Problem[]): void {
  if (holdsUnknown([path, format, compression]) || typeof path !== "string") {
    return;
  }
  const ofFormat = Object.hasOwn(formats, format ?? "ndjson") ? formats[format ?? "ndjson"] : formats.ndjson;
  for (const [name, { extension: ending }] of Object.entries(compressions)) {
    if (ending === undefined) {
      continue;
    }
    const isNamed = path.endsWith(ending);
    if (ofFormat.compressesItself === true) {
      if (isNamed) {
        const reason = `ends in "${ending}", but format "${format}" is compressed inside the file: use a name such as "rows${ofFormat.extension}"`;
        problems.push({ path: "path", reason });
      }
    } else if (name === compression && !isNamed) {
      problems.push({ path: "path", reason: `must end in "${ending}" with compression "${name}"` });
    } else if (name !== compression && isNamed) {
      const reason = `ends in "${ending}", which needs compression "${name}"; got compression "${compression}"`;
      problems.push({ path: "path", reason });
    }
  }
}

/** Problems of the path that depend on the disk. An up would find them only after the runs that it starts. */
export async function checkPlace(
  args: DataExportArgs,
  { previous, folder, settings, problems }: CheckContext,
): Promise<void> {
  const { path, lotNo, taskId } = args;
  if (typeof path !== "string" || path === "" || remotePathProblem(path) !== undefined) {
    return;
  }
  // A preview makes no request to a store.
  const reason = isRemote(path)
    ? remoteSetupProblem(packagesFolder({ folder, settings }))
    : await placeProblem(path, folder);
  if (reason !== undefined) {
    problems.push({ path: "path", reason });
  }
  if (reason !== undefined || isRemote(path)) {
    return;
  }
  const name = onlyName(path, lotNo);
  const isOwn = previous !== undefined && onlyName(previous.path, previous.lotNo) === name;
  // An existing file can contain these rows, if the export that wrote it was killed. It cannot contain rows of a run or a task that does
  // not exist yet.
  const cannotContainRows = holdsUnknown([taskId, lotNo]) || mayComeOnce(args, settings);
  if (name !== undefined && !isOwn && cannotContainRows && (await exists(resolve(folder, name)))) {
    problems.push({
      path: "path",
      reason: `names a file that exists, "${resolve(folder, name)}", and that this export did not write: add {n} or {time} to the path, move the file away, or use another path`,
    });
  }
}

async function placeProblem(path: string, folder: string): Promise<string | undefined> {
  const example = 'name a file in it, such as "rows/all.ndjson"';
  if (path.endsWith("/") || path.endsWith(sep)) {
    return `ends like a folder: ${example}`;
  }
  const file = await fileInPlaceOf(resolve(folder, fixedFolder(path)));
  if (file !== undefined) {
    return `leads through "${file}", which is not a folder: use another path`;
  }
  const isFolderItself = !path.includes("{") && (await isFolder(resolve(folder, path)));
  return isFolderItself ? `names an existing folder, "${resolve(folder, path)}": ${example}` : undefined;
}

/** The one name that a path allows; undefined if it allows several, or is not known yet. */
function onlyName(path: unknown, lotNo: unknown): string | undefined {
  if (typeof path !== "string" || countsUp(path)) {
    return undefined;
  }
  return path.includes("{lotNo}") && typeof lotNo !== "string" ? undefined : withLotNo(path, lotNo);
}
