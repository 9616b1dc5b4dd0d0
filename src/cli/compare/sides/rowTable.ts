import { utf8 } from "../../../resources/export/formats/jsonRows";
import { CliError } from "../../exitCodes";
import type { Database } from "../database";
import { longestRow, requireRowLength } from "./records";

/** The values of a row by the columns of their fields: UTF-8 read as Latin-1. */
export type Cells = string[];

/** Each row has a place for each field, also where the field has no value. */
const mostFields = 5_000;

/** The fields of all sides in the order of their first appearance. A field has the same column in each side. */
export class Fields {
  readonly names: string[] = [];
  /** The same as UTF-8 read as Latin-1. */
  readonly latinNames: string[] = [];
  private readonly columns = new Map<string, number>();

  /** A row without any value. */
  emptyRow(): Cells {
    return new Array(this.names.length).fill("");
  }

  /** The column of a field, which is added if it is new. */
  columnOf(latinName: string): number {
    const known = this.columns.get(latinName);
    if (known !== undefined) {
      return known;
    }
    const column = this.names.length;
    if (column === mostFields) {
      throw new CliError(`The rows have more than ${mostFields} fields. So many cannot be compared.`);
    }
    this.columns.set(latinName, column);
    this.latinNames.push(latinName);
    this.names.push(utf8(latinName));
    return column;
  }
}

/**
 * The rows of a side in the database: each is a list of text with the value of column n at index n + 1. No name of a field becomes part of a statement. A
 * missing value and null are empty strings, because DuckDB would read a long text again for each null behind it. A list can end before the last column.
 */
export class RowTable {
  rows = 0;
  /** By column: whether the side has the field. */
  readonly isFound: boolean[] = [];

  constructor(
    readonly side: "base" | "head",
    readonly fields: Fields,
    private readonly database: Database,
  ) {}

  get names(): string[] {
    return this.fields.names.filter((_name, column) => this.isFound[column] === true);
  }

  /** Reads the rows through a file of lists: its reader is the fastest way into the database. */
  async load(rows: AsyncIterable<readonly Cells[]>, name: string): Promise<void> {
    const select = `SELECT cells FROM read_json(?, format = 'newline_delimited', records = 'false', columns = {cells: 'VARCHAR[]'}, maximum_object_size = ${longestRow})`;
    await this.database.withFile(this.lists(rows, name), (file) => this.create(select, file));
  }

  /** @param select reads the column `cells` from the file */
  async create(select: string, file: string): Promise<void> {
    await this.database.rows(`CREATE TABLE ${this.side} AS ${select}`, [file]);
    const [[rows] = []] = await this.database.rows(`SELECT count(*) FROM ${this.side}`);
    this.rows = Number(rows);
  }

  private async *lists(rows: AsyncIterable<readonly Cells[]>, name: string): AsyncGenerator<Uint8Array> {
    for await (const some of rows) {
      let text = "";
      for (const cells of some) {
        const list = `${JSON.stringify(cells)}\n`;
        requireRowLength(list.length, name);
        text += list;
      }
      yield Buffer.from(text, "latin1");
    }
  }
}
