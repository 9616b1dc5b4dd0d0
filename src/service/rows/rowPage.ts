import { isUtf8 } from "node:buffer";
import { ContractBreach } from "../contract/contractBreach";
import { parseJson } from "../contract/json";
import { JsonScanner, openList, openObject } from "../contract/jsonScanner";
import { readResponse } from "../contract/responses";
import type { Row } from "../contract/types";

/**
 * The rows to read: all rows of a task (`GET /data/all`), one batch (`GET /data/lotno/all`), or the rows that are not
 * exported (`GET /data/notexported`).
 */
export interface RowSource {
  /** The task. */
  taskId: string;
  /** The batch whose rows are read: the `lotNo` of the start of the run. */
  lotNo?: string;
  /** Whether the rows are read that are not marked as exported. Not with `lotNo`. */
  notExported?: boolean;
}

/** One page of rows, kept as the bytes that the service sent. */
export interface RowPage {
  /** Rows in this page. */
  count: number;
  /** Length of the response. */
  bytes: number;
  /**
   * Rows that were requested: fewer than `pageSize` if the service has refused such a page. Set by
   * {@link ServiceClient.rows}.
   */
  size?: number;
  /** The service's `offset` in this response; absent in a read of rows that are not exported. */
  offset?: number;
  /** The offset of the next page, for resuming; 0 in a read of rows that are not exported. */
  nextOffset: number;
  /** The service's `total` in this response. */
  total: number;
  /** The service's `restTotal` in this response; absent in a read of rows that are not exported. */
  restTotal?: number;
  /** The service's `current` in this response; only in a read of rows that are not exported. */
  current?: number;
  /**
   * Set on the last page only, which can be empty: whether each row that the service counts in `total` was received,
   * once.
   */
  complete?: boolean;
  /**
   * Why the read is not complete, if more is known than the numbers. `moved`: rows arrived or were removed during the
   * read, and the others moved in a way that the read could not follow. `emptyPage`: a page was empty, although the
   * service reported more rows.
   */
  gap?: "moved" | "emptyPage";
  /**
   * Set if rows that are not exported were requested again because a response was lost. A service that returns each row
   * only once may have returned rows that were not received. Do not mark then, unless the service returns the same rows
   * until they are marked.
   */
  afterLoss?: boolean;
  /** Each row's JSON, exactly as sent except for line breaks between members, which are spaces. */
  texts(): string[];
  /** The same texts, one on each line. Ends with a line break unless empty. */
  ndjson(): Buffer;
  /** The parsed rows. An integer that a double cannot represent is a string of its digits. */
  objects(): Row[];
  /** The same page with its first rows only. */
  first(count: number): RowPage;
  /** The same page without its first rows. */
  after(count: number): RowPage;
}

type RowOperation = "getData" | "getBatchData" | "getNotExportedData";

/** The operation that reads a source, and the fields of its request that are the same for each page. */
export function rowRequest({ taskId, lotNo, notExported }: RowSource): {
  name: RowOperation;
  request: Record<string, string>;
} {
  if (lotNo !== undefined) return { name: "getBatchData", request: { taskId, lotno: lotNo } };
  return { name: notExported === true ? "getNotExportedData" : "getData", request: { taskId } };
}

/**
 * Reads a response without parsing its rows. Each row is checked to be a complete JSON object.
 * @param anyLost the response to an earlier attempt of the same call was lost
 * @throws ContractBreach
 */
export function readPage(name: RowOperation, body: Buffer, anyLost?: boolean): RowPage {
  // A character can be cut off, too.
  const { bounds, envelope, hasLongNumbers } = findRows(body);
  if (!isUtf8(body)) throw new ContractBreach("the response is not UTF-8.");
  const { data, ...numbers } = readResponse(name, envelope).data;
  // A duplicate member, or a name with escapes, hides rows from the scanner.
  if (data.length > 0) throw new ContractBreach("the response breaks the contract: data.data must come once.");
  const afterLoss = name === "getNotExportedData" && anyLost === true ? true : undefined;
  return pageOf(onLines(body), bounds, hasLongNumbers, { ...numbers, nextOffset: 0, afterLoss });
}

/**
 * A row fits on a line without line breaks. They stand between its parts only: a string has an escape in their place.
 */
function onLines(body: Buffer): Buffer {
  const hasBreaks = body.includes("\n") || body.includes("\r");
  return hasBreaks ? Buffer.from(body.toString("latin1").replace(/[\r\n]/g, " "), "latin1") : body;
}

/** A page without rows. */
export function emptyPage(numbers: PageNumbers): RowPage {
  return pageOf(Buffer.alloc(0), [], false, numbers);
}

type PageNumbers = Omit<RowPage, "count" | "bytes" | "texts" | "ndjson" | "objects" | "first" | "after">;

function pageOf(body: Buffer, bounds: readonly number[], hasLongNumbers: boolean, numbers: PageNumbers): RowPage {
  const rows = body.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
  const texts = (): string[] =>
    bounds.flatMap((from, index) => (index % 2 === 0 ? body.toString("utf8", from, bounds[index + 1]) : []));
  return {
    ...numbers,
    count: bounds.length / 2,
    bytes: body.length,
    texts,
    ndjson() {
      const lines = Buffer.alloc(rows.length + 1, "\n");
      let at = 0;
      for (let row = 0; row < bounds.length; row += 2) at += body.copy(lines, at, bounds[row], bounds[row + 1]) + 1;
      return lines.subarray(0, at);
    },
    // The rows are valid JSON. To look for long numbers again takes as long as to parse them.
    objects: () => (hasLongNumbers ? parseJson : JSON.parse)(`[${rows}]`) as Row[],
    first: (count) => pageOf(body, bounds.slice(0, 2 * count), hasLongNumbers, numbers),
    after: (count) => pageOf(body, bounds.slice(2 * count), hasLongNumbers, numbers),
  };
}

interface FoundRows {
  /** Begin and end (exclusive) of each row, one after the other. */
  bounds: number[];
  /** The response without its rows: `data.data` is an empty list. */
  envelope: Buffer;
  /** Whether the response has a number that a double may not represent. */
  hasLongNumbers: boolean;
}

/**
 * The rows of `{"data": {"data": [row, …], …}, …}`. If the response has another form, the check of the envelope says
 * so.
 */
function findRows(body: Buffer): FoundRows {
  const bounds: number[] = [];
  let envelope: Buffer | undefined;
  let hasLongNumbers = false;
  const scanner = new JsonScanner(body, () => {
    hasLongNumbers = true;
  });
  /** Goes through an object. `found` passes its member `data`, if that begins so. */
  const inData = (begin: number, found: () => void): void => {
    scanner.object((from, to) => {
      const isFound = envelope === undefined && body.subarray(from, to).equals(dataName) && scanner.next() === begin;
      if (isFound) found();
      else scanner.skipValue();
    });
  };
  const inList = (): void => {
    const begin = scanner.at;
    scanner.list(() => {
      // Of a response that ends here, the scanner says so.
      if ((scanner.next() ?? openObject) !== openObject) {
        const row = `row ${bounds.length / 2 + 1} of the page`;
        throw new ContractBreach(`the response breaks the contract: ${row} is not an object.`);
      }
      bounds.push(scanner.at);
      scanner.skipValue();
      bounds.push(scanner.at);
    });
    envelope = Buffer.concat([body.subarray(0, begin), Buffer.from("[]"), body.subarray(scanner.at)]);
  };
  if (scanner.next() === openObject) inData(openObject, () => inData(openList, inList));
  return { bounds, envelope: envelope ?? body, hasLongNumbers };
}

const dataName = Buffer.from('"data"');
