import type { CheckedRows } from "../../rows/checkedRows";
import type { CompressionName } from "../../rows/formats/compression";
import type { ColumnType, CsvArgs } from "../../rows/formats/format";
import type { ExportFormat } from "../../rows/formats/formats";
import type { RowSource } from "../../service/rows/rowPage";
import type { Form } from "../args";
import type { PendingState, ProfileArgs, ServiceTraits } from "../resource";
import type { RowChecks } from "./checks/rowChecks";

export type { ColumnType, CompressionName, CsvArgs, ExportFormat };

/**
 * Rows in a file.
 *
 * | step | call |
 * |---|---|
 * | create | for a batch `GET /cloudextraction/task/subtasks`; then `GET /data/lotno/all`, `/data/all` or `/data/notexported`, page by page into a file; then `POST /data/markexported` with `markExported`, and of `all` a look at one row of `/data/notexported` |
 * | read | none; with `verifyFile` it looks at the file, or requests what the store says of the object |
 * | update | exports again, unless only `checks`, `pipeTimeoutSeconds`, `onDelete`, `verifyFile` or `profile` changed |
 * | delete | none; the file stays or is removed (`onDelete`) |
 *
 * If subtasks are running when the rows of a batch are read, `complete` is false. Then each `up` exports the batch
 * again, and its preview says why, until no subtask is running, or the file has `maxRows` rows.
 */
export interface DataExportArgs extends ProfileArgs {
  /** The task whose rows are read. Pass the `id` of a TaskCopy. A change exports again. */
  taskId: string;
  /**
   * `batch`: the rows of one run, named by `lotNo`. `all`: all rows of the task. `notExported`: the rows that are not
   * marked as exported. A change exports again.
   */
  scope: "batch" | "all" | "notExported";
  /**
   * The run whose rows are read. Pass the `id` of a CloudRun with `waitFor: "finished"`; a warning tells you if the run
   * does not wait for its end. Required with `scope: "batch"`, refused with any other. A change exports again.
   */
  lotNo?: string;
  /**
   * The file, relative to the program's folder, or an object such as `s3://bucket/rows/{lotNo}.ndjson`, also with
   * `gs://` or `azblob://`. `{lotNo}` is replaced by the run, `{time}` by the time in UTC, and `{n}` by the next free
   * number. An existing file that this export did not write is never overwritten. A change exports again, and the old
   * file stays. The state stores the path in plain text: no secrets.
   */
  path: string;
  /**
   * `ndjson`: one row on each line, byte for byte as the service sent it. `json`: the same rows in one array. `csv`: a
   * header line, then a line for each row. `parquet`: a column for each field, which needs the package
   * `hyparquet-writer`. `xlsx`: a sheet for Excel. A change exports again.
   * @default "ndjson"
   */
  format?: ExportFormat;
  /**
   * Who reads the CSV file. Needs `format: "csv"`. A change exports again.
   * @default for programs, with commas
   */
  csv?: CsvArgs;
  /**
   * The types of columns, by the names of fields. A value that does not fit its type makes the export fail before
   * anything is marked. Needs `format: "parquet"` or `"xlsx"`. A change exports again.
   * @default all columns are strings
   */
  columns?: Record<string, ColumnType>;
  /**
   * Compresses the finished file, whose `path` must end in `.gz` or `.zst`. Parquet is compressed inside the file: its
   * path ends in neither, and only Parquet has `snappy`. XLSX has no choice. A change exports again.
   * @default "none"
   */
  compression?: CompressionName;
  /**
   * The maximum number of rows. A change exports again.
   * @default all rows
   */
  maxRows?: number;
  /**
   * Marks the rows as exported after they are safely in the file. Each such export writes a new file, so `path` must
   * contain `{lotNo}`, `{time}` or `{n}`. A change exports again.
   * @default false
   */
  markExported?: boolean;
  /**
   * A command that gets the file on its stdin before rows are marked, such as
   * `["psql", "-c", "COPY books FROM STDIN"]`. No shell runs it. `{lotNo}` in a part is replaced by the run, and
   * `{file}` by the output `file`. Another exit code than 0 makes the export fail. The command can get the same rows
   * more than once. The state stores it in plain text: no secrets. A change exports again.
   * @default the rows are only in the file
   */
  pipe?: string[];
  /**
   * Seconds after which the command of `pipe` and the processes that it has started are ended, and the export fails. A
   * change makes no call.
   * @default 3600
   */
  pipeTimeoutSeconds?: number;
  /**
   * What the rows must be like. If they do not pass, the export fails: the rows go into `NAME.rejected.EXT`, nothing is
   * marked, the last file and its state stay, and the next up exports again. A change makes no call.
   * @default nothing is checked
   */
  checks?: RowChecks;
  /** Any values, but no resources: name a property, such as `run.id`. A change exports again. */
  triggers?: unknown;
  /**
   * Whether a refresh checks the file. A missing file is then exported again. Not for a file that can be on another
   * machine.
   * @default false
   */
  verifyFile?: boolean;
  /**
   * What a delete does with the file. `removeFile` removes it unless it has changed, or a mark of its rows has an
   * unknown outcome. Files of rejected rows stay. A change makes no call.
   * @default "retain"
   */
  onDelete?: "retain" | "removeFile";
}

/** The arguments of an export of one run. */
export type BatchForm = Form<DataExportArgs, "lotNo"> & { scope: "batch" };
/** The arguments of an export of a whole task. */
export type TaskForm = Form<DataExportArgs, never, "lotNo"> & { scope: "all" | "notExported" };

export interface DataExportState extends DataExportArgs, PendingState {
  /** Number of rows in the file. */
  rowCount: number;
  /** The `path`, with all placeholders replaced. */
  file: string;
  /** Length of the file. */
  bytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** ETag of the object; in Google Cloud Storage its generation. Absent for a file on the disk. */
  etag?: string;
  /**
   * Whether the file has as many rows as the service reports. Of a batch: and no subtask was running just before the
   * read, if the service allows the account to list them.
   */
  complete: boolean;
  /** Whether the rows were marked as exported. */
  marked: boolean;
  /**
   * What `checks` have found, without values: the number of `rows`; `failed`, the checks that did not pass, such as
   * `fields.price.type`; for each of `fields` the share `filled`, and the numbers `empty`, `wrongType` and `repeated`;
   * `invalid`, the rows that `schema` does not allow; `lastPassed`, the rows of the last export that passed. Absent if
   * the export had no checks.
   */
  checked?: CheckedRows;
}

/** What an export adds to its arguments. */
export function outputsOf(state: DataExportState): Outputs {
  const { rowCount, file, bytes, sha256, etag, complete, marked, checked } = state;
  return { rowCount, file, bytes, sha256, etag, complete, marked, checked };
}

type Outputs = Omit<DataExportState, keyof DataExportArgs | "pending">;

/** An export whose file is complete and has no name yet. */
export interface CompleteExport {
  path: string;
  outputs: Omit<Outputs, "file" | "etag"> & PendingState;
}

/** What `pending` of a DataExport contains. The state stores these strings, so they never change. */
export const pendingSteps = {
  /** The mark was not sent, or the service did not accept it. None of the rows is marked by this export. */
  mark: "mark",
  /** All rows, or some of them, may be marked. */
  unknownMark: "mark with an unknown outcome",
  /** The rows are marked, and so may be rows that arrived at that moment, which no file contains. */
  rowsMissed: "rows that came with the mark",
  /** Subtasks were running when the rows of a batch were read. */
  run: "run at work",
  /** The command of `pipe` did not succeed. */
  pipe: "pipe",
};

/** Seconds. */
export const defaultPipeTimeout = 3600;

/** Rows in one response if `webextract:pageSize` is not set. */
export const defaultPageSize = 1000;

/** Number of rows in the last export that passed its checks. */
export function rowsThatPassed(state: DataExportState): number | undefined {
  const { checked, pending = [], rowCount } = state;
  const lastPassed = checked?.lastPassed;
  if (isPart(state) || (checked !== undefined && checked.failed.length > 0)) {
    return lastPassed;
  }
  // The same rows are exported again, and their run might not have been over. They are still better than nothing to
  // compare with.
  return pending.includes(pendingSteps.pipe) ? (lastPassed ?? rowCount) : rowCount;
}

/** The filled shares of checked fields in the file of the last export, if it passed its checks. */
export function sharesThatPassed(state: DataExportState): Readonly<Record<string, number>> {
  const { fields = {}, failed = [] } = state.checked ?? {};
  return failed.length > 0 || isPart(state)
    ? {}
    : Object.fromEntries(Object.entries(fields).map(([name, { filled }]) => [name, filled]));
}

/** Whether more rows belong to the export than those in its file. They are too few to compare with. */
function isPart({ pending = [], complete, rowCount, maxRows = Number.POSITIVE_INFINITY }: DataExportState): boolean {
  const hasStopped = pending.includes(pendingSteps.unknownMark) && !complete && rowCount < maxRows;
  return hasStopped || pending.includes(pendingSteps.run);
}

/** Where the client reads the rows from. */
export function rowSource({ taskId, scope, lotNo }: DataExportArgs): RowSource {
  if (scope === "batch") {
    return { taskId, lotNo: lotNo ?? "" };
  }
  return scope === "all" ? { taskId } : { taskId, notExported: true };
}

/**
 * Whether each page is marked before the next one is read: a service that marks the rows that it returned returns more
 * of them only after the mark. If one response has all rows of the export, they are marked at its end.
 */
export function marksPages({ markExported, maxRows }: DataExportArgs, settings: ServiceTraits): boolean {
  const { markScope, pageSize = defaultPageSize } = settings;
  return markExported === true && markScope === "returned" && !(maxRows !== undefined && maxRows <= pageSize);
}
