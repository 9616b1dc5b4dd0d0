import type { Row } from "../contract/types";

/** Where rows are read from: a task, one batch of it, or what it has not exported yet. */
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
  /** The batch, as its start answered it. */
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
  /** Tells it from {@link TaskRows}. */
  notExported: true;
}

/** One page of rows, kept as the bytes that the service sent. */
export interface RowPage {
  /** Rows in this page. */
  count: number;
  /** Offset that was asked for; 0 where the read has none. */
  offset: number;
  /** Where reading goes on: an offset to resume from. */
  nextOffset: number;
  /** The service's `total` in this answer. */
  total: number;
  /** The service's `restTotal` in this answer; absent where the read is of what is not exported. */
  restTotal?: number;
  /** The service's `current` in this answer; only where the read is of what is not exported. */
  current?: number;
  /** Set on the last page only (which may hold no rows): whether the rows received are as many as the service says there are. */
  complete?: boolean;
  /**
   * Set where rows of what is not exported were asked for again because an answer was lost. A service that hands out each row only once may
   * then have handed out rows that never came: do not mark, unless the service gives the same rows until they are marked.
   */
  afterLoss?: boolean;
  /** Each row's JSON exactly as sent. */
  texts(): string[];
  /** The rows one a line, each exactly as sent but for line breaks between its members. Ends with a line break unless empty. */
  ndjson(): Buffer;
  /** The rows parsed. An integer that a double cannot hold comes as its digits, as text. */
  objects(): Row[];
}
