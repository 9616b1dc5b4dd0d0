import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Content } from "../../store/objectStore";
import { withoutOptions } from "../../store/storeAddress";
import type { CompressionName } from "./compression";
import { compressionEndings, compressionNames, compressions } from "./compression";
import { csv } from "./csv";
import type { Format, FormatArgs } from "./format";
import { json } from "./json";
import { ndjson } from "./ndjson";
import { parquet } from "./parquet";
import { xlsx } from "./xlsx";

/**
 * How rows are written: `ndjson` one row on each line, `json` one array, `csv` a header line and a line for each row,
 * `parquet` columns with types, `xlsx` a sheet for Excel.
 */
export type ExportFormat = "ndjson" | "json" | "csv" | "parquet" | "xlsx";

/** All formats by their names. A new one is a file of its own and an entry here. */
export const formats: Readonly<Record<ExportFormat, Format>> = { ndjson, json, csv, parquet, xlsx };

export const formatNames = Object.keys(formats) as ExportFormat[];

/** How the names of files of rows end. */
export const knownEndings = {
  formats: formatNames.flatMap((name) => endingsOf(formats[name])),
  compressions: compressionEndings,
};

/** What the name of a file of rows says of its content. */
export function writtenAs(file: string): { format: ExportFormat; compression: CompressionName } | undefined {
  const name = withoutOptions(file).toLowerCase();
  const endingOf = (each: CompressionName): string => compressions[each].extension ?? "";
  const compression = compressionNames.find((each) => endingOf(each) !== "" && name.endsWith(endingOf(each))) ?? "none";
  const whole = name.slice(0, name.length - endingOf(compression).length);
  const format = formatNames.find((each) => endingsOf(formats[each]).some((ending) => whole.endsWith(ending)));
  return format && { format, compression };
}

/** The format that the name of a file says, if its rows are written in another one. */
export function misleadingFormat(file: string, format: ExportFormat): ExportFormat | undefined {
  const said = writtenAs(file)?.format;
  return said === format ? undefined : said;
}

function endingsOf({ extension, otherExtensions = [] }: Format): string[] {
  return [extension, ...otherExtensions];
}

/** The arguments of an export that say how its file is written. */
export type WrittenAs = FormatArgs & { format?: ExportFormat };

/** Whether the file contains the rows as they come, one on each line. */
export function isAsRead({ format = "ndjson", compression = "none" }: WrittenAs): boolean {
  return format === "ndjson" && compression === "none";
}

/**
 * Writes a file of one row a line again in the format and the compression of an export, in constant memory, and syncs
 * it to the disk.
 * @param options where optional packages are, and the mode of the new file
 */
export async function writeFormat(
  args: WrittenAs,
  from: string,
  to: string,
  { folder, mode }: { folder: string; mode?: number },
): Promise<Content> {
  const format = formats[args.format ?? "ndjson"];
  const around = compressions[format.compressesItself === undefined ? (args.compression ?? "none") : "none"];
  const compressed = await around.stream?.(folder);
  const hash = createHash("sha256");
  let bytes = 0;
  async function* digest(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  await rm(to, { force: true });
  const file = await open(to, "wx", mode);
  const output = file.createWriteStream({ flush: true });
  const pieces = format.pieces(from, args, folder);
  await (compressed === undefined ? pipeline(pieces, digest, output) : pipeline(pieces, compressed, digest, output));
  return { bytes, sha256: hash.digest("hex") };
}
