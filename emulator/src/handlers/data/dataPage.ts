import type { Behaviour } from "../../behaviour";
import { Refusal } from "../../errors";
import type { HandlerResult, Service } from "../../service";
import { countRowRead, readRows } from "../../store/runRows";
import type { StoredRun } from "../../store/store";
import { allowedSize } from "../pageSize";
import { cutToBytes } from "./responseBytes";

/** The difference between an opaque cursor and its row number. */
const cursorLead = 924;

/** The response of the two reads by offset. */
export function dataPage(
  of: "task" | "batch",
  runs: readonly StoredRun[],
  asked: { offset: number; size: number },
  { store, behaviour, countPage }: Pick<Service, "store" | "behaviour" | "countPage">,
): HandlerResult {
  const size = allowedSize(asked.size, behaviour.dataPageMax, behaviour);
  const { total, read } = of === "batch" && behaviour.batchRows === "distinct" ? distinctRows(runs) : allRows(runs);
  const offset = rowOfOffset(asked.offset, total, behaviour);
  const isEmpty = offset > 0 && offset < total && isNth(countPage(), behaviour.emptyPageEvery);
  const texts = isEmpty ? [] : cutToBytes(inOrder(offset, size, total, read, behaviour), asked.size, behaviour);
  const next = offset + texts.length;
  countRowRead(store, runs);
  if (of === "task" && texts.length > 1 && next < total) addRows(behaviour.rowsWhileReading, runs, store);

  const restTotal = behaviour.endOfData === "restTotal" ? Math.max(total - next, 0) : total;
  const returned = returnedOffset(asked.offset, next, total, behaviour);
  return {
    dataText: `{"data":[${texts.join(",")}],"total":${total},"restTotal":${restTotal},"offset":${returned}}`,
  };
}

interface ReadableRows {
  total: number;
  /** Oldest first. */
  read: (from: number, size: number) => string[];
}

function allRows(runs: readonly StoredRun[]): ReadableRows {
  return { total: readRows(runs, 0, 0).total, read: (from, size) => readRows(runs, from, size).texts };
}

function distinctRows(runs: readonly StoredRun[]): ReadableRows {
  const { total, read } = allRows(runs);
  const texts = [...new Set(read(0, total))];
  return { total: texts.length, read: (from, size) => texts.slice(from, from + size) };
}

function inOrder(
  offset: number,
  size: number,
  total: number,
  read: ReadableRows["read"],
  { rowOrder }: Behaviour,
): string[] {
  if (rowOrder === "oldestFirst") return read(offset, size);
  const end = Math.max(total - offset, 0);
  const from = Math.max(end - size, 0);
  return read(from, end - from).reverse();
}

function isNth(count: number, n: number): boolean {
  return n > 0 && count % n === 0;
}

/** Rows that arrive between two requests, each with its number, in the latest batch. */
function addRows(count: number, runs: readonly StoredRun[], store: Service["store"]): void {
  const run = runs.at(-1);
  if (run === undefined || count === 0) return;
  const first = run.rows.length + 1;
  run.rows.append(Array.from({ length: count }, (_, index) => `{"arrivedAs":"row ${first + index}"}`));
  store.runChanged(run);
}

function rowOfOffset(asked: number, total: number, behaviour: Behaviour): number {
  // A client that counts rows requests the total as its last offset. Both readings of it are past the end: an empty page.
  if (behaviour.offsetResponse !== "cursor" || asked === 0) return asked;
  if (asked > cursorLead) return asked - cursorLead;
  if (asked >= total) return total;
  throw new Refusal("InvalidParameter", "offset is not one of an earlier response");
}

function returnedOffset(asked: number, next: number, total: number, behaviour: Behaviour): number {
  if (behaviour.offsetResponse === "zero") return 0;
  if (behaviour.offsetResponse === "asked") return asked;
  if (behaviour.endOfData === "offsetStays" && next >= total) return asked;
  return behaviour.offsetResponse === "next" || next === 0 ? next : next + cursorLead;
}
