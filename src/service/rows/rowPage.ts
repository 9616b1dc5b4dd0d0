import type { Row } from "../contract/types";

/** The rows to read: all rows of a task, one batch, or the rows that are not exported. */
export type RowSource = TaskRows | BatchRows | NotExportedRows;

/** All rows of a task: `GET /data/all`. */
export interface TaskRows {
  /** The task. */
  taskId: string;
  /** Not for this source. */
  lotNo?: undefined;
  /** Not for this source. */
  notExported?: undefined;
}

/** The rows of one batch: `GET /data/lotno/all`. */
export interface BatchRows {
  /** The task. */
  taskId: string;
  /** The batch: the `lotNo` of the start of the run. */
  lotNo: string;
  /** Not for this source. */
  notExported?: undefined;
}

/** The rows of a task that are not marked as exported: `GET /data/notexported`. */
export interface NotExportedRows {
  /** The task. */
  taskId: string;
  /** Not for this source. */
  lotNo?: undefined;
  /** Distinguishes this source from {@link TaskRows}. */
  notExported: true;
}

/** One page of rows, kept as the bytes that the service sent. */
export interface RowPage {
  /** Rows in this page. */
  count: number;
  /** The requested offset; 0 in a read of rows that are not exported. */
  offset: number;
  /** The offset of the next page, for resuming. */
  nextOffset: number;
  /** The service's `total` in this response. */
  total: number;
  /** The service's `restTotal` in this response; absent in a read of rows that are not exported. */
  restTotal?: number;
  /** The service's `current` in this response; only in a read of rows that are not exported. */
  current?: number;
  /** Set on the last page only, which can be empty: whether the number of received rows equals the service's `total`. */
  complete?: boolean;
  /**
   * Set if rows that are not exported were requested again because a response was lost. A service that returns each row only once may have
   * returned rows that were not received. Do not mark then, unless the service returns the same rows until they are marked.
   */
  afterLoss?: boolean;
  /** Each row's JSON exactly as sent. */
  texts(): string[];
  /** One row per line, each exactly as sent except for line breaks between members. Ends with a line break unless empty. */
  ndjson(): Buffer;
  /** The parsed rows. An integer that a double cannot represent is a string of its digits. */
  objects(): Row[];
}
