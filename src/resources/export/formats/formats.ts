import { csv } from "./csv";
import type { Format } from "./format";
import { json } from "./json";
import { ndjson } from "./ndjson";
import { parquet } from "./parquet";

/**
 * How rows are written: `ndjson` one row on each line, `json` one array, `csv` a header line and a line for each row, `parquet` columns with
 * types.
 */
export type ExportFormat = "ndjson" | "json" | "csv" | "parquet";

/** All formats by their names. A new one is a file of its own and an entry here. */
export const formats: Readonly<Record<ExportFormat, Format>> = { ndjson, json, csv, parquet };

/** How the names of files end whose format and compression are clear. */
export const knownEnding = /\.(ndjson|json|csv|parquet)(?:\.(gz|zst))?$/;

export const formatNames = Object.keys(formats) as ExportFormat[];
