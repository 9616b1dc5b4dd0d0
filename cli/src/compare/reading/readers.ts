import type { ExportFormat } from "../../../../src/rows/formats/formats";
import { csvRows } from "./csvRows";
import { jsonRows } from "./jsonRows";
import { parquetRows } from "./parquetRows";
import type { FormatReader } from "./reading";
import { xlsxRows } from "./xlsxRows";

/** How the files of each format are read, also those of other programs. */
export const readers: Readonly<Record<ExportFormat, FormatReader>> = {
  ndjson: { fromText: jsonRows },
  json: {
    fromText(texts, found) {
      found.isList = true;
      return jsonRows(texts, found);
    },
  },
  csv: {
    async *fromText(texts, found, { name }) {
      const { header } = found;
      yield* csvRows(texts, header, /\.tsv(?:\.\w+)?$/i.test(name) ? "\t" : undefined);
      // A row has a name twice that the header has twice.
      found.fields = new Set(header).size === header.length ? header : undefined;
    },
  },
  parquet: { fromFile: parquetRows },
  xlsx: { fromFile: xlsxRows },
};
