import type * as Library from "hyparquet-writer";
import { loadOptional } from "../../optionalPackage";
import { RowCount, RowsRefused } from "../checks/checkedRows";
import type { ColumnValue } from "./columnTypes";
import { columnKinds } from "./columnTypes";
import { compressions } from "./compression";
import type { ColumnType, Format } from "./format";
import { RowTable } from "./rowTable";

/** The writer is JavaScript without native code, and small. DuckDB, which could write the format too, has 70 MB for each platform. */
const packageName = "hyparquet-writer";

/** A row group is complete when its cells have so many characters. It is in memory until then. Larger groups take more memory and longer to write. */
const longestGroup = 512 * 1024;

/** Columns with types. A value that does not fit its type refuses the rows. */
export const parquet: Format = {
  contentType: "application/vnd.apache.parquet",
  extension: ".parquet",
  ownArguments: ["columns"],
  compressesItself: true,
  package: packageName,

  async *pieces(from, { columns: types = {}, compression = "none" }, folder) {
    const library = loadOptional(packageName, folder) as typeof Library;
    const table = await RowTable.of(from, Object.keys(types));
    const columns = table.names.map((name) => new Column(name, Object.hasOwn(types, name) ? types[name] : undefined));
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
    let line = 0;
    let length = 0;
    const writeGroup = (): Buffer => {
      void writer.write({ columnData: columns.map((column) => column.take()), rowGroupSize: line });
      length = 0;
      return written();
    };
    for await (const rows of table.parts()) {
      for (const cells of rows) {
        line++;
        for (const [index, column] of columns.entries()) {
          const text = cells[index];
          column.add(text, line);
          length += 8 + (text?.length ?? 0);
        }
        if (length >= longestGroup) {
          yield writeGroup();
        }
      }
    }
    requireFit(columns);
    if (length > 0) {
      yield writeGroup();
    }
    void writer.finish();
    yield written();
  },
};

const codecs = { none: "UNCOMPRESSED", gzip: "GZIP", zstd: "ZSTD", snappy: "SNAPPY" } as const;

/** The values of a column in the present row group. */
class Column {
  readonly misfits = new RowCount();
  /** Number of values. */
  count = 0;
  private data: (ColumnValue | null)[] = [];

  constructor(
    readonly name: string,
    readonly type: ColumnType = "string",
  ) {}

  get element() {
    return { name: this.name, repetition_type: "OPTIONAL" as const, ...columnKinds[this.type].element };
  }

  /** In a column with a type, a blank text is no value: in many rows, a field without a value is an empty string. */
  add(text: string | undefined, line: number): void {
    if (text === undefined || (this.type !== "string" && !/\S/.test(text))) {
      this.data.push(null);
      return;
    }
    this.count++;
    const value = columnKinds[this.type].convert(text);
    if (value === undefined) {
      this.misfits.note(line);
    }
    this.data.push(value ?? null);
  }

  /** Strings have no statistics: the first and the last string of the alphabet help few queries, and take a sixth of the time to write. */
  take(): { name: string; data: (ColumnValue | null)[]; statistics: boolean } {
    const { name, data, type } = this;
    this.data = [];
    return { name, data, statistics: type !== "string" };
  }
}

/** @throws RowsRefused if values do not fit their types */
function requireFit(columns: readonly Column[]): void {
  const failed = columns.flatMap(({ name, type, misfits, count }) =>
    misfits.count === 0
      ? []
      : [{ check: name, reason: `${misfits.count} of ${count} values do not fit "${type}" (${misfits.describe()})` }],
  );
  if (failed.length > 0) {
    throw new RowsRefused(failed, "columns");
  }
}
