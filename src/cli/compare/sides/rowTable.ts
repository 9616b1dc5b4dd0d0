import type { DuckDBAppender, DuckDBDataChunk } from "@duckdb/node-api";
import { utf8 } from "../../../resources/export/formats/jsonRows";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";

/** DuckDB's own size of a chunk. */
const mostRows = 2048;
const mostCells = 1_000_000;
const mostCharacters = 16 * 1024 * 1024;

/** A table with so many columns takes DuckDB minutes. */
const mostFields = 10_000;

/**
 * A table of text in the database, one column for each field. Its columns are called c0, c1 and so on: names of fields that differ only in case would be one
 * column, and no name of a field becomes part of a statement. A missing value, null and an empty string are null.
 */
export class RowTable {
  /** The fields in the order of their first appearance. */
  readonly names: string[] = [];
  /** The same as UTF-8 read as Latin-1. */
  readonly latinNames: string[] = [];
  rows = 0;
  private readonly indexes = new Map<string, number>();
  private readonly cells: (string | null)[][] = [];
  private pending = 0;
  private characters = 0;
  /** Columns that the database has. */
  private made = 0;
  private appender: DuckDBAppender | undefined;

  constructor(
    readonly id: "base" | "head",
    private readonly database: Database,
  ) {}

  /** Whether the rows must be flushed before more are added. */
  get isFull(): boolean {
    const { pending } = this;
    return pending === mostRows || pending * this.cells.length > mostCells || this.characters > mostCharacters;
  }

  /** The column of a field, which is added if it is new. */
  columnOf(latinName: string): number {
    const known = this.indexes.get(latinName);
    if (known !== undefined) {
      return known;
    }
    const index = this.names.length;
    if (index === mostFields) {
      throw new CliError(`The rows have more than ${mostFields} fields. So many cannot be compared.`);
    }
    this.indexes.set(latinName, index);
    this.latinNames.push(latinName);
    this.names.push(utf8(latinName));
    this.cells.push([]);
    return index;
  }

  /** Adds a value to the present row. Returns false if the row has another one for the same field. */
  put(column: number, latinValue: string): boolean {
    const cells = this.cells[column] as (string | null)[];
    const value = latinValue === "" ? null : utf8(latinValue);
    if (cells.length > this.pending) {
      return cells[this.pending] === value;
    }
    fill(cells, this.pending);
    cells.push(value);
    this.characters += latinValue.length;
    return true;
  }

  endRow(): void {
    this.pending++;
    this.rows++;
  }

  /** Hands the added rows over to the database. */
  async flush(): Promise<void> {
    const { pending, cells } = this;
    this.database.checkInterrupted();
    // Rows before the first field have no value.
    if (pending > 0 && cells.length > 0) {
      await this.makeColumns();
      this.appender ??= await this.database.appender(this.id);
      const chunk = this.chunkOf(pending);
      this.appender.appendDataChunk(chunk);
    }
    for (const each of cells) {
      each.length = 0;
    }
    this.pending = 0;
    this.characters = 0;
  }

  /** To be called after the last row. */
  async end(): Promise<void> {
    await this.flush();
    await this.makeColumns();
    this.closeAppender();
    if (this.names.length === 0) {
      // A table needs a column.
      await this.database.run(`CREATE TABLE ${this.id} (c0 VARCHAR)`);
    }
  }

  /** Takes over a table that the database has made. */
  adopt(names: readonly string[], rows: number): void {
    this.names.push(...names);
    this.made = names.length;
    this.rows = rows;
  }

  private chunkOf(rows: number): DuckDBDataChunk {
    const chunk = this.database.chunk(this.cells.length, rows);
    for (const [column, values] of this.cells.entries()) {
      fill(values, rows);
      chunk.setColumnValues(column, values);
    }
    return chunk;
  }

  private async makeColumns(): Promise<void> {
    const { made, names, id } = this;
    if (made === names.length) {
      return;
    }
    this.closeAppender();
    if (made === 0) {
      await this.database.run(`CREATE TABLE ${id} (${names.map((_name, index) => `c${index} VARCHAR`).join(", ")})`);
    } else {
      for (let index = made; index < names.length; index++) {
        await this.database.run(`ALTER TABLE ${id} ADD COLUMN c${index} VARCHAR`);
      }
    }
    this.made = names.length;
  }

  private closeAppender(): void {
    this.appender?.closeSync();
    this.appender = undefined;
  }
}

function fill(cells: (string | null)[], length: number): void {
  while (cells.length < length) {
    cells.push(null);
  }
}
