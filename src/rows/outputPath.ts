import { dirname, extname } from "node:path";
import { withoutOptions } from "../store/storeAddress";
import { fileIdentity } from "./destinations/fileIdentity";
import { compressionEnding } from "./formats/compression";
import type { ExportFormat } from "./formats/formats";
import { formats } from "./formats/formats";

export const placeholders = ["{lotNo}", "{time}", "{n}"];
/** Those in a part of `pipe`. */
export const commandPlaceholders = ["{lotNo}", "{file}"];

/** Whether each export to this path writes a file with a name of its own. */
export function countsUp(path: string): boolean {
  return /\{(n|time)\}/.test(path);
}

/** The path with `{lotNo}` replaced. */
export function withLotNo(path: string, lotNo: unknown): string {
  return path.replaceAll("{lotNo}", () => (typeof lotNo === "string" ? lotNo : ""));
}

/**
 * The names that a path allows, relative to the program's folder, in the order in which they are tried. `{n}` counts
 * up. Without `{n}`, a number behind `{time}` counts up. Without both there is one name.
 */
export function* namesFor(path: string, lotNo: string | undefined): Generator<string, undefined> {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  const known = withLotNo(path, lotNo);
  if (!countsUp(path)) {
    yield known;
    return undefined;
  }
  const hasNumber = known.includes("{n}");
  for (let number = 1; ; number++) {
    const moment = hasNumber || number === 1 ? time : `${time}-${number}`;
    yield known.replaceAll("{time}", () => moment).replaceAll("{n}", () => String(number));
  }
}

/**
 * The nth name for rows that did not pass their checks: `rows.rejected.csv` for `rows.csv`, then `rows.rejected-2.csv`
 * and so on. The ending of a compression stays the last one: `rows.rejected.csv.gz`. Rows for Parquet and XLSX are
 * NDJSON: `rows.rejected.ndjson`.
 */
export function rejectedName(name: string, nth: number, format: ExportFormat | undefined): string {
  const path = withoutOptions(name);
  const compressed = path.slice(path.length - (compressionEnding(path)?.length ?? 0));
  const ending = `${extname(path.slice(0, path.length - compressed.length))}${compressed}`;
  const beginning = path.slice(0, path.length - ending.length);
  return `${beginning}.rejected${nth === 1 ? "" : `-${nth}`}${formats[format ?? "ndjson"].compressesItself === undefined ? ending : formats.ndjson.extension}${name.slice(path.length)}`;
}

/** The folder that contains all exports to this path. */
export function fixedFolder(path: string): string {
  const [beginning = ""] = path.split("{");
  return dirname(`${beginning}file`);
}

/** The one name that a path allows; undefined if it allows several, or is not known yet. */
export function onlyName(path: unknown, lotNo: unknown): string | undefined {
  if (typeof path !== "string" || countsUp(path)) {
    return undefined;
  }
  return path.includes("{lotNo}") && typeof lotNo !== "string" ? undefined : withLotNo(path, lotNo);
}

/**
 * What the file of an export is before its run has a lotNo: `run` stands for it. Undefined if each export to the path
 * writes a file of its own, or if it is not known.
 */
export function fileBefore(folder: string, path: unknown, run: unknown): { file: string; run?: unknown } | undefined {
  if (typeof path !== "string" || path === "" || countsUp(path)) {
    return undefined;
  }
  return { file: fileIdentity(folder, path), ...(path.includes("{lotNo}") && { run }) };
}

/** The source of a regular expression that matches each name that a part of a path allows, in any case. */
export function patternOf(part: string): string {
  const fixed = part.split(/\{(?:lotNo|time|n)\}/i).map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return fixed.join("[\\w.-]+");
}
