import { Readable } from "node:stream";
import type { SchemaElement } from "hyparquet";
import type * as Library from "hyparquet-writer";
import { importOptional, isInstalled, toInstall } from "../../optionalPackage";
import { ResourceError } from "../../resource";
import { RowsRefused } from "../checks/checkedRows";
import { RowCount } from "../checks/rowCount";
import { Columns, fieldIsTwice } from "./columns";
import type { ColumnValue } from "./columnTypes";
import { convertTo } from "./columnTypes";
import type { CompressionName } from "./compression";
import { compressions } from "./compression";
import type { ColumnType, Format } from "./format";
import { JsonRows, rowsOf, utf8 } from "./jsonRows";

/** The writer is JavaScript without native code, and small. DuckDB, which could write the format too, has 70 MB for each platform. */
const packageName = "hyparquet-writer";

const isMissing = `"parquet" needs the package ${packageName}: ${toInstall(packageName)}`;

/** Columns with types. */
export const parquet: Format = {
  contentType: "application/vnd.apache.parquet",
  extension: ".parquet",
  ownArguments: ["columns"],
  compressesItself: true,
  problem: (folder) => (isInstalled(packageName, folder) ? undefined : isMissing),
  async write(from, write, { args, ...options }) {
    const types = args.columns ?? {};
    const columns = await Columns.of(from, Object.keys(types));
    await columns.writeWith(() => write(Readable.from(parquetOf(from, { ...options, types, columns }))));
  },
};

/** A row group is complete when its rows have so many bytes of JSON. It is in memory until then. */
const mostBytes = 2 * 1024 * 1024;

const codecs = { none: "UNCOMPRESSED", gzip: "GZIP", zstd: "ZSTD", snappy: "SNAPPY" } as const;

interface ParquetOptions {
  columns: Columns;
  types?: Readonly<Record<string, ColumnType>>;
  compression: CompressionName;
  /** Where optional packages are. */
  folder: string;
}

/**
 * A file of one row a line as Parquet, in constant memory. Fields without a column are added to the columns; then what was made is useless, and the
 * rest of the file is only searched for more of them.
 * @throws RowsRefused if values do not fit their types
 */
async function* parquetOf(path: string, options: ParquetOptions): AsyncGenerator<Buffer> {
  const { columns, types = {}, compression, folder } = options;
  const library = (await importOptional(packageName, folder)) as typeof Library | undefined;
  if (library === undefined) {
    throw new ResourceError(`The format ${isMissing}. No file was written. Then run the same command again.`);
  }
  const names = [...columns.names];
  const table = names.map((name) => new Column(name, types));
  const bytes = new library.ByteWriter();
  const codec = codecs[compression];
  const compressor = await compressions[compression].atOnce?.(folder);
  const writer = new library.ParquetWriter({
    writer: bytes,
    schema: [{ name: "root", num_children: table.length }, ...table.map(({ element }) => element)],
    codec,
    compressors: compressor === undefined ? {} : { [codec]: compressor },
    createdBy: "pulumi-webextract",
  });
  let line = 0;
  let begin = 0;
  let size = 0;
  const writeGroup = (): Buffer => {
    const columnData = table.map((column) => ({ name: column.element.name, data: column.take() }));
    void writer.write({ columnData, rowGroupSize: line - begin });
    begin = line;
    size = 0;
    const piece = Buffer.copyBytesFrom(bytes.getBytes());
    bytes.index = 0;
    return piece;
  };
  for await (const text of rowsOf(path)) {
    for (const rows = new JsonRows(text); rows.nextRow(); ) {
      line++;
      let expected = 0;
      while (rows.nextMember()) {
        const at = rows.isNamed(names[expected]) ? expected : names.indexOf(rows.name);
        if (at < 0) {
          columns.names.add(rows.name);
        }
        table[at]?.add(rows, line, line - 1 - begin);
        expected = at + 1;
      }
    }
    size += text.length;
    const isUseless = columns.names.size > names.length || table.some(({ misfits }) => misfits.count > 0);
    if (isUseless) {
      for (const column of table) column.take();
      begin = line;
    } else if (size >= mostBytes) {
      for (const column of table) column.fill(line - begin);
      yield writeGroup();
    }
  }
  if (columns.names.size > names.length) {
    return;
  }
  requireFit(table);
  if (line > begin) {
    for (const column of table) column.fill(line - begin);
    yield writeGroup();
  }
  void writer.finish();
  yield Buffer.copyBytesFrom(bytes.getBytes());
}

function requireFit(table: readonly Column[]): void {
  const failed = table.flatMap(({ element: { name }, type, misfits, count }) =>
    misfits.count === 0
      ? []
      : [{ check: name, reason: `${misfits.count} of ${count} values do not fit "${type}" (${misfits.describe()})` }],
  );
  if (failed.length > 0) {
    throw new RowsRefused(failed, "columns");
  }
}

/** The values of a column in the present row group. */
class Column {
  readonly element: SchemaElement;
  readonly type: ColumnType;
  readonly misfits = new RowCount();
  /** Number of values. */
  count = 0;
  private values: (ColumnValue | null)[] = [];
  private lastLine = 0;
  private lastText = "";

  /** @param latin UTF-8 read as Latin-1 */
  constructor(
    private readonly latin: string,
    types: Readonly<Record<string, ColumnType>>,
  ) {
    const name = utf8(latin);
    this.type = Object.hasOwn(types, name) ? (types[name] ?? "string") : "string";
    this.element = { name, repetition_type: "OPTIONAL", ...elements[this.type] };
  }

  /** @param index the place of the row in the row group */
  add(rows: JsonRows, line: number, index: number): void {
    const text = rows.isNull ? undefined : rows.value;
    if (this.lastLine === line && this.lastText !== (text ?? "")) {
      throw fieldIsTwice(line, this.latin, "Parquet");
    }
    this.lastLine = line;
    this.lastText = text ?? "";
    if (text !== undefined) {
      this.fill(index);
      this.values[index] = this.converted(text, line);
    }
  }

  /** Adds nulls up to a number of values. */
  fill(length: number): void {
    while (this.values.length < length) {
      this.values.push(null);
    }
  }

  take(): (ColumnValue | null)[] {
    const { values } = this;
    this.values = [];
    return values;
  }

  private converted(text: string, line: number): ColumnValue | null {
    if (this.type === "string") {
      return utf8(text);
    }
    // A field without a value is an empty string in many rows.
    if (!/\S/.test(text)) {
      return null;
    }
    this.count++;
    const value = convertTo[this.type](text);
    if (value === undefined) {
      this.misfits.note(line);
    }
    return value ?? null;
  }
}

const elements: Record<ColumnType, Omit<SchemaElement, "name">> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
};
