import { createReadStream } from "node:fs";
import { JsonScanner, openObject } from "../../service/contract/jsonScanner";

/** The cells of a row by its columns. None for a missing field and null. */
export type Cells = readonly (string | undefined)[];

/** The rows of a file of one row a line, with a column for each field of any row. Read in constant memory. */
export class RowTable {
  private constructor(
    private readonly path: string,
    /** The fields in the order of their first appearance. */
    readonly names: readonly string[],
    readonly rowCount: number,
    /** Those of the names that no row has. */
    readonly absent: readonly string[],
  ) {}

  /**
   * @param others columns that no row may have. They come last, in the order of their names: the engine does not keep
   * that of a map
   */
  static async of(path: string, others: readonly string[]): Promise<RowTable> {
    const names = new Set<string>();
    let rowCount = 0;
    for await (const lines of linesOf(path)) {
      const scanner = new JsonScanner(lines);
      for (; scanner.next() === openObject; rowCount++) {
        scanner.object((from, to) => {
          names.add(contentOf(scanner.text(from, to)) ?? "");
          scanner.skipValue();
        });
      }
    }
    const absent = others.filter((name) => !names.has(name)).sort();
    for (const name of absent) {
      names.add(name);
    }
    // A table without a column has no rows for most readers.
    return new RowTable(path, names.size === 0 && rowCount > 0 ? [""] : [...names], rowCount, absent);
  }

  /** All rows, some at a time. If a row has a field twice, the last one counts, as for any reader of JSON. */
  async *parts(): AsyncGenerator<Iterable<Cells>> {
    const columns = new Map(this.names.map((name, column) => [name, column]));
    for await (const lines of linesOf(this.path)) {
      yield rowsIn(lines, columns);
    }
  }
}

function* rowsIn(lines: Buffer, columns: ReadonlyMap<string, number>): Generator<Cells> {
  const scanner = new JsonScanner(lines);
  while (scanner.next() === openObject) {
    const cells = new Array<string | undefined>(columns.size);
    scanner.object((from, to) => {
      const name = contentOf(scanner.text(from, to)) ?? "";
      cells[columns.get(name) as number] = contentOf(scanner.value());
    });
    yield cells;
  }
}

/** The lines of a file, some at a time. */
export async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: 128 * 1024 })) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf("\n") + 1;
    if (end > 0) {
      yield bytes.subarray(0, end);
    }
    rest = bytes.subarray(end);
  }
}

/** A cell: the content of a string, or the JSON of any other value; undefined for null. */
export function contentOf(json: string): string | undefined {
  if (json.startsWith('"')) {
    return json.includes("\\") ? JSON.parse(json) : json.slice(1, -1);
  }
  return json === "null" ? undefined : json;
}
