import { statSync } from "node:fs";
import { extname } from "node:path";
import type { CompressionName } from "../../../../src/rows/formats/compression";
import type { ExportFormat } from "../../../../src/rows/formats/formats";
import { knownEndings, writtenAs } from "../../../../src/rows/formats/formats";
import { isStoreAddress } from "../../../../src/store/storeAddress";
import type { Connected } from "../../connection/connected";
import { CliError } from "../../exitCodes";

/** One of the two things that are compared. */
export type Side = FileSide | BatchSide;

interface Connecting {
  /** Default: what the options of the command name. */
  readonly connected?: Connected;
}

export interface FileSide extends Connecting {
  readonly kind: "file";
  /** As the user has named it. */
  readonly name: string;
  readonly format: ExportFormat;
  readonly compression?: CompressionName;
}

export interface BatchSide extends Connecting {
  readonly kind: "batch";
  readonly name: string;
  readonly taskId: string;
  /** `latest` is the lotNo in the state of a stack. */
  readonly lotNo: string;
}

const endings = `${knownEndings.formats.join(", ")}, each also with ${knownEndings.compressions.join(" or ")}`;

/** The lotNo that stands for the one in the state of a stack. */
export const latest = "latest";

/**
 * A file by its ending, by the scheme of a store, or because it exists; undefined if it can be a task.
 * @throws CliError for a file whose ending names no format
 */
export function fileSide(given: string): FileSide | undefined {
  const written = writtenAs(given);
  if (written !== undefined) {
    return { kind: "file", name: given, ...written };
  }
  if (isStoreAddress(given)) {
    throw new CliError(`"${given}" has no known ending. Known are ${endings}. No rows were read.`, "usage");
  }
  if (isOtherFile(given)) {
    throw new CliError(
      `"${given}" is a file, and its ending names no format of rows. Known are ${endings}. Give the file of the rows such a name. No rows were read.`,
      "usage",
    );
  }
  return undefined;
}

/** @throws CliError for a sheet of what has no sheets */
export function requireWorkbook(sheet: string | undefined, sides: readonly Side[]): void {
  if (sheet !== undefined && !sides.some((side) => side.kind === "file" && side.format === "xlsx")) {
    throw new CliError("--sheet is for .xlsx files, and none is named. Leave it out. No rows were read.", "usage");
  }
}

/** Whether neither the service nor the configuration is needed to read it. */
export function isLocalFile(given: string): boolean {
  return !isStoreAddress(given) && (writtenAs(given) !== undefined || isOtherFile(given));
}

/** Whether it exists, and its name has an ending or a folder, which ids and names of tasks do not have as a rule. */
function isOtherFile(given: string): boolean {
  const isUsual = extname(given) === "" && !/[\\/]/.test(given);
  return !isUsual && statSync(given, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * A file, otherwise a task and a lotNo with a colon between them.
 * @throws CliError
 */
export function sideOf(given: string): Side {
  const file = fileSide(given);
  if (file !== undefined) {
    return file;
  }
  const colon = given.lastIndexOf(":");
  const [taskId, lotNo] = [given.slice(0, Math.max(colon, 0)), given.slice(colon + 1)];
  if (taskId.trim() === "" || lotNo.trim() === "") {
    throw new CliError(
      `"${given}" is neither a file nor a batch. Name a file that ends in ${endings}, or a batch as TASK:LOTNO or TASK:latest. No rows were read.`,
      "usage",
    );
  }
  return { kind: "batch", name: given, taskId, lotNo };
}
