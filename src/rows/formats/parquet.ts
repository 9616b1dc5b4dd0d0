import type * as Library from "hyparquet-writer";
import { loadOptional } from "../../store/optionalPackage";
import { entryOf } from "../../values/plain";
import type { ColumnValue } from "./columnTypes";
import { columnKinds, requireNames, TypedColumn } from "./columnTypes";
import { compressionNames, compressions } from "./compression";
import type { ColumnType, Format } from "./format";
import { RowTable } from "./rowTable";

/**
 * The writer is JavaScript without native code, and small. DuckDB, which could write the format too, has 70 MB for each
 * platform.
 */
const packageName = "hyparquet-writer";

/**
 * A row group is complete when its values have so many characters, and so many for each column: a group describes all
 * columns, also those without a value. It is in memory until then. Larger groups take more memory and longer to write.
 */
const charactersOfGroup = 512 * 1024;
const charactersOfColumn = 2 * 1024;
/** What a value and a row take beside their characters. A null takes nothing until the group is written. */
const charactersBeside = 8;
const mostRowsOfGroup = 20_000;

/** Columns with types. A value that does not fit its type refuses the rows. */
export const parquet: Format = {
  contentType: "application/vnd.apache.parquet",
  extension: ".parquet",
  ownArguments: ["columns"],
  compressesItself: compressionNames,
  package: packageName,

  async *pieces(from, { columns: types = {}, compression = "none" }, folder) {
    const library = loadOptional(packageName, folder) as typeof Library;
    const table = await RowTable.of(from, Object.keys(types));
    requireNames(types, table);
    const columns = table.names.map((name) => new Column(name, entryOf(types, name) ?? "string"));
    const bytes = new library.ByteWriter();
    const codec = codecs[compression];
    const compressor = await compressions[compression].atOnce?.(folder);
    const writer = new library.ParquetWriter({
      writer: bytes,
      schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ element }) => element)],
      codec,
      compressors: compressor === undefined ? {} : { [codec]: compressor },
      createdBy: "pulumi-webextract",
    });
    const written = (): Buffer => {
      const piece = Buffer.copyBytesFrom(bytes.getBytes());
      bytes.index = 0;
      return piece;
    };
    const complete = Math.max(charactersOfGroup, charactersOfColumn * columns.length);
    let line = 0;
    let linesBefore = 0;
    let length = 0;
    const writeGroup = (): Buffer => {
      const rowGroupSize = line - linesBefore;
      void writer.write({ columnData: columns.map((column) => column.take(rowGroupSize)), rowGroupSize });
      linesBefore = line;
      length = 0;
      return written();
    };
    for await (const rows of table.parts()) {
      for (const cells of rows) {
        line++;
        length += charactersBeside;
        for (const [index, text] of cells.entries()) {
          if (text !== undefined) {
            columns[index]?.add(text, line, line - linesBefore - 1);
            length += charactersBeside + text.length;
          }
        }
        if (length >= complete || line - linesBefore === mostRowsOfGroup) {
          yield writeGroup();
        }
      }
    }
    TypedColumn.requireFit(columns);
    if (length > 0) {
      yield writeGroup();
    }
    void writer.finish();
    yield written();
  },
};

const codecs = { none: "UNCOMPRESSED", gzip: "GZIP", zstd: "ZSTD", snappy: "SNAPPY" } as const;

/** The values of a column in the present row group. */
class Column extends TypedColumn<ColumnValue> {
  private values: ColumnValue[] = [];
  /** Their rows in the group. */
  private places: number[] = [];

  constructor(name: string, type: ColumnType) {
    super(name, type, columnKinds[type].convert);
  }

  get element() {
    return { name: this.name, repetition_type: "OPTIONAL" as const, ...columnKinds[this.type].element };
  }

  add(text: string, line: number, place: number): void {
    const value = this.valueOf(text, line);
    if (value !== undefined) {
      this.values.push(value);
      this.places.push(place);
    }
  }

  /**
   * The nulls of a column are in memory while the writer has it: it takes one after the other. Strings have no
   * statistics: the first and the last string of the alphabet help few queries, and take a sixth of the time to write.
   */
  take(rows: number): { name: string; data: (ColumnValue | null)[]; statistics: boolean } {
    const { name, type, values, places } = this;
    this.values = [];
    this.places = [];
    return {
      name,
      get data() {
        const data = new Array<ColumnValue | null>(rows).fill(null);
        for (const [index, place] of places.entries()) {
          data[place] = values[index] as ColumnValue;
        }
        return data;
      },
      statistics: type !== "string",
    };
  }
}
