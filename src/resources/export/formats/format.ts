import type { CompressionName } from "./compression";

/** What becomes of CSV cells that a spreadsheet would run as formulas. */
export type CsvFormulas = "keep" | "escape";

/** The type of a Parquet column. */
export type ColumnType = "string" | "int64" | "double" | "boolean" | "date" | "timestamp";

/** The arguments of an export that its format needs. */
export interface FormatArgs {
  compression?: CompressionName;
  columns?: Readonly<Record<string, ColumnType>>;
  csvFormulas?: CsvFormulas;
  checks?: { fields?: Readonly<Record<string, unknown>> };
}

/** A format of rows in a file. `formats.ts` lists them all. */
export interface Format {
  readonly contentType: string;
  /** How the names of its files usually end. */
  readonly extension: string;
  /** Arguments that no other format has. */
  readonly ownArguments?: readonly ("columns" | "csvFormulas")[];
  /** It compresses its own parts, so the file is not compressed as a whole. */
  readonly compressesItself?: boolean;
  /** A package that users install themselves. */
  readonly package?: string;
  /**
   * The pieces of the file, in constant memory.
   * @param from a file with one row on each line
   * @param folder where optional packages are
   */
  pieces(from: string, args: FormatArgs, folder: string): AsyncIterable<Buffer>;
}
