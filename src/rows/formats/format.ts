import type { CompressionName } from "./compression";

/** Who reads a CSV file. */
export interface CsvArgs {
  /**
   * `programs`: RFC 4180 with line feeds, and each cell as the service sent it. `spreadsheets`: a byte order mark,
   * lines that end in CR LF, and an apostrophe before each cell that a spreadsheet would run as a formula.
   */
  for: "programs" | "spreadsheets";
  /**
   * The character between two cells: a comma, a semicolon or a tab. Excel expects a semicolon where numbers have a
   * decimal comma.
   * @default ","
   */
  delimiter?: "," | ";" | "\t";
}

/** The type of a column of Parquet or XLSX. */
export type ColumnType = "string" | "int64" | "double" | "boolean" | "date" | "timestamp";

/** The arguments of an export that its format needs. */
export interface FormatArgs {
  compression?: CompressionName;
  columns?: Readonly<Record<string, ColumnType>>;
  csv?: CsvArgs;
  checks?: { fields?: Readonly<Record<string, unknown>> };
}

/** A format of rows in a file. `formats.ts` lists them all. */
export interface Format {
  readonly contentType: string;
  /** How the names of its files usually end. */
  readonly extension: string;
  /** How they can end too. */
  readonly otherExtensions?: readonly string[];
  /** Arguments that not all formats have. */
  readonly ownArguments?: readonly ("columns" | "csv")[];
  /** How it can compress its own parts, with `none` for the usual way. The file is then not compressed as a whole. */
  readonly compressesItself?: readonly CompressionName[];
  /** It can refuse rows: before the first mark, all of them are written. */
  readonly hasLimits?: boolean;
  /** A package that users install themselves. */
  readonly package?: string;
  /**
   * The pieces of the file, in constant memory.
   * @param from a file with one row on each line
   * @param folder where optional packages are
   */
  pieces(from: string, args: FormatArgs, folder: string): AsyncIterable<Buffer>;
}
