import type { ExportFormat } from "../../../resources/export/formats/formats";
import type { Database } from "../database";
import { csvRows } from "./csvRows";
import type { FoundText } from "./jsonRows";
import { jsonRows } from "./jsonRows";
import { parquetRows } from "./parquetRows";
import type { FoundRows } from "./side";
import { xlsxRows } from "./xlsxRows";

/** Reads rows as JSON, from text on its way or from a whole file. */
type RowReader =
  | { fromText(texts: AsyncIterable<string>, found: FoundText): AsyncIterable<string | Uint8Array> }
  | { fromFile(path: string, database: Database, found: FoundRows): AsyncIterable<string> };

/** How each format of an export is read. */
export const readers: Readonly<Record<ExportFormat, RowReader>> = {
  ndjson: { fromText: jsonRows },
  json: {
    fromText(texts, found) {
      found.format = "json";
      return jsonRows(texts, found);
    },
  },
  csv: {
    async *fromText(texts, found) {
      const { header } = found;
      yield* csvRows(texts, header);
      // A row has a name twice that the header has twice.
      found.fields = new Set(header).size === header.length ? header : undefined;
    },
  },
  parquet: { fromFile: parquetRows },
  xlsx: { fromFile: (path, _database, found) => xlsxRows(path, found) },
};
