import { ResourceError } from "../../resource";
import { JsonRows, rowsOf } from "./jsonRows";

/** The columns: all fields of all rows, in the order of their first appearance. */
export class Columns {
  /** UTF-8 read as Latin-1. */
  readonly names = new Set<string>();

  /**
   * The columns of the first rows of a file, which are all in most files, and then those that no row may have, in the order of their names: the engine does
   * not keep that of a map.
   */
  static async of(path: string, others: readonly string[]): Promise<Columns> {
    const columns = new Columns();
    for await (const text of rowsOf(path)) {
      for (const rows = new JsonRows(text); rows.nextRow(); ) {
        while (rows.nextMember()) {
          columns.names.add(rows.name);
        }
      }
      break;
    }
    for (const name of [...others].sort()) {
      columns.names.add(Buffer.from(name, "utf8").toString("latin1"));
    }
    return columns;
  }

  /** If a later row has more fields than the first ones, the file is written again with their columns. */
  async writeWith(write: () => Promise<void>): Promise<void> {
    let before: number;
    do {
      before = this.names.size;
      await write();
    } while (this.names.size > before);
  }
}

/** @param name UTF-8 read as Latin-1 */
export function fieldIsTwice(line: number, name: string, format: string): ResourceError {
  const field = Buffer.from(name, "latin1").toString("utf8");
  return new ResourceError(
    `Row ${line} cannot be written as ${format}: it has the field "${field}" twice, with different values. No file was written. ` +
      `Use format "ndjson" or "json", which keep each row as it was sent.`,
  );
}
