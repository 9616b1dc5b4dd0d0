import type { DuckDBAppender } from "@duckdb/node-api";
import { utf8 } from "../../../resources/export/formats/jsonRows";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";

/** DuckDB's own size of a chunk. */
const mostRows = 2048;
const mostCells = 1_000_000;
const mostCharacters = 16 * 1024 * 1024;

/** Each column of a table that is filled takes memory of DuckDB: 10,000 are more than its limit. */
const mostFields = 5_000;

/** DuckDB binds all columns of a table in each statement, and writes all of them anew for a further one. */
export const columnsOfTable = 64;

/** The table of a column. */
export function tableOf(id: "base" | "head", column: number): string {
  return `${id}_${Math.floor(column / columnsOfTable)}`;
}

/**
 * The rows of a side in the database, as text: one column for each field, 64 of them in each table. A row has the same rowid in each. The columns are called c0, c1 and
 * so on: names of fields that differ only in case would be one column, and no name of a field becomes part of a statement. A missing value, null and an empty
 * string are null.
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
  /** Rows that the database has. */
  private stored = 0;
  /** Columns that the database has. */
  private made = 0;
  private readonly appenders = new Map<string, DuckDBAppender>();

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
      for (let begin = 0; begin < cells.length; begin += columnsOfTable) {
        await this.append(tableOf(this.id, begin), cells.slice(begin, begin + columnsOfTable));
      }
      this.stored += pending;
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
    for (const appender of this.appenders.values()) {
      this.database.appending(() => appender.closeSync());
    }
    if (this.names.length === 0) {
      // A table needs a column.
      await this.database.run(`CREATE TABLE ${tableOf(this.id, 0)} (c0 VARCHAR)`);
    }
  }

  /** Takes over tables that the database has made. */
  adopt(names: readonly string[], rows: number): void {
    this.names.push(...names);
    this.rows = rows;
  }

  /** Removes the rows from the database. */
  async drop(): Promise<void> {
    for (let begin = 0; begin === 0 || begin < this.names.length; begin += columnsOfTable) {
      await this.database.run(`DROP TABLE ${tableOf(this.id, begin)}`);
    }
  }

  private async append(table: string, cells: readonly (string | null)[][]): Promise<void> {
    const chunk = this.database.chunk(cells.length, this.pending);
    for (const [column, values] of cells.entries()) {
      fill(values, this.pending);
      chunk.setColumnValues(column, values);
    }
    const appender = this.appenders.get(table) ?? (await this.database.appender(table));
    this.appenders.set(table, appender);
    this.database.appending(() => appender.appendDataChunk(chunk));
  }

  private async makeColumns(): Promise<void> {
    for (; this.made < this.names.length; this.made++) {
      const table = tableOf(this.id, this.made);
      if (this.made % columnsOfTable !== 0) {
        this.database.appending(() => this.appenders.get(table)?.closeSync());
        this.appenders.delete(table);
        await this.database.run(`ALTER TABLE ${table} ADD COLUMN c${this.made} VARCHAR`);
        continue;
      }
      const last = Math.min(this.made + columnsOfTable, this.names.length) - 1;
      const columns = Array.from({ length: last - this.made + 1 }, (_each, index) => `c${this.made + index}`);
      await this.database.run(`CREATE TABLE ${table} (${columns.map((each) => `${each} VARCHAR`).join(", ")})`);
      await this.database.run(`INSERT INTO ${table} (${columns[0]}) SELECT NULL FROM range(${this.stored})`);
      this.made = last;
    }
  }
}

function fill(cells: (string | null)[], length: number): void {
  while (cells.length < length) {
    cells.push(null);
  }
}
