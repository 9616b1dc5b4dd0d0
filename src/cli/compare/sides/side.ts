import type { CompressionName } from "../../../resources/export/formats/compression";
import type { ExportFormat } from "../../../resources/export/formats/formats";
import { knownEndings, writtenAs } from "../../../resources/export/formats/formats";
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
 * A file by its ending or by `s3://`, otherwise a task and a lotNo with a colon between them.
 * @throws CliError
 */
export function sideOf(given: string): Side {
  const written = writtenAs(given);
  if (written !== undefined) {
    return { kind: "file", name: given, ...written };
  }
  if (given.startsWith("s3://")) {
    throw new CliError(`"${given}" has no known ending. Known are ${endings}. No rows were read.`, "usage");
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
