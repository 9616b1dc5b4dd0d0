/** What a reader finds in a file beside its rows. */
export interface FoundRows {
  /** Fields that the file has even if no row has them, as those of a CSV. */
  readonly header: string[];
  /** What people must know about the rows. */
  readonly notes: string[];
  /** The names that lead to a list of objects in the first object, if the file begins with one. */
  inside?: readonly string[];
  /** Whether the rows are one list of JSON. Otherwise each is on a line of its own. */
  isList: boolean;
  /** All fields that rows can have. Undefined if they are not known, or if a row may have to be refused. */
  fields?: readonly string[];
}

/** Reads rows as JSON whose values are text: from text on its way, or from a whole file. */
export type FormatReader =
  | { fromText(texts: AsyncIterable<string>, found: FoundRows, options: ReadingOptions): Rows }
  | { fromFile(path: string, found: FoundRows, options: ReadingOptions & { database: RowDatabase }): Rows };

/** Pieces that end between two rows. */
export type Rows = AsyncIterable<string | Uint8Array>;

export interface ReadingOptions {
  /** Of the file. */
  readonly name: string;
  /** Of a workbook. Default: the first one that is visible. */
  readonly sheet?: string;
}

/** DuckDB, which reads Parquet. */
export interface RowDatabase {
  rows(sql: string, values?: readonly string[]): Promise<unknown[][]>;
  /** The first column of a result, some rows at a time. */
  texts(sql: string, values: readonly string[]): AsyncIterable<string[]>;
}

/** A row that is longer is refused: DuckDB has a buffer of twice this size for each thread. */
export const longestRow = 32 * 1024 * 1024;

/** In a table of more columns, most cells are empty. */
export const mostColumns = 200;

/** The content of a file is no rows. The message shows no value. */
export class Damaged extends Error {}
