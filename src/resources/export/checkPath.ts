import { resolve } from "node:path";
import { oneLine } from "../../service/errors/foreignText";
import type { Problem } from "../args";
import type { CheckContext } from "../resource";
import { holdsUnknown } from "../values";
import { existsHere, pathProblem } from "./destinations/destinationOf";
import { remotePathProblem } from "./destinations/s3/s3Path";
import { compressions } from "./formats/compression";
import { formats } from "./formats/formats";
import type { DataExportArgs } from "./model";
import { countsUp, placeholders, withLotNo } from "./outputPath";

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

/** Problems of the path that depend on this machine. An up would find them only after the runs that it starts. */
export async function checkPlace({ path, lotNo, taskId }: DataExportArgs, context: CheckContext): Promise<void> {
  if (typeof path !== "string" || path === "" || remotePathProblem(path) !== undefined) {
    return;
  }
  const { previous, folder, problems } = context;
  const reason = await pathProblem(path, context);
  if (reason !== undefined) {
    problems.push({ path: "path", reason });
    return;
  }
  const name = onlyName(path, lotNo);
  const isOwn = previous !== undefined && onlyName(previous.path, previous.lotNo) === name;
  // An existing file can contain these rows, if the export that wrote it was killed. It cannot contain rows of a run or a task that does
  // not exist yet.
  if (name !== undefined && !isOwn && holdsUnknown([taskId, lotNo]) && (await existsHere(name, folder))) {
    problems.push({
      path: "path",
      reason: `names a file that exists, "${resolve(folder, name)}", and that this export did not write: add {n} or {time} to the path, move the file away, or use another path`,
    });
  }
}

/** The one name that a path allows; undefined if it allows several, or is not known yet. */
function onlyName(path: unknown, lotNo: unknown): string | undefined {
  if (typeof path !== "string" || countsUp(path)) {
    return undefined;
  }
  return path.includes("{lotNo}") && typeof lotNo !== "string" ? undefined : withLotNo(path, lotNo);
}
