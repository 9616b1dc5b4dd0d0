import type { Behaviour } from "../../behaviour";
import { Refusal } from "../../errors";
import type { HandlerResult, Service } from "../../service";
import { countRowRead, readRows } from "../../store/runRows";
import type { StoredRun } from "../../store/store";
import { allowedSize } from "../pageSize";
import { cutToBytes } from "./answerBytes";

/** The difference between an opaque cursor and its row number. */
const cursorLead = 924;

/** The response of the two reads by offset. */
export function dataPage(
  runs: readonly StoredRun[],
  asked: { offset: number; size: number },
  { store, behaviour }: Pick<Service, "store" | "behaviour">,
): HandlerResult {
  const size = allowedSize(asked.size, behaviour.dataPageMax, behaviour);
  const { total } = readRows(runs, 0, 0);
  const offset = rowOfOffset(asked.offset, total, behaviour);
  const texts = cutToBytes(readRows(runs, offset, size).texts, asked.size, behaviour);
  countRowRead(store, runs);

  const next = offset + texts.length;
  const restTotal = behaviour.endOfData === "restTotal" ? Math.max(total - next, 0) : total;
  const returned = returnedOffset(asked.offset, next, total, behaviour);
  return {
    dataText: `{"data":[${texts.join(",")}],"total":${total},"restTotal":${restTotal},"offset":${returned}}`,
  };
}

function rowOfOffset(asked: number, total: number, behaviour: Behaviour): number {
  // A client that counts rows requests the total as its last offset. Both readings of it are past the end: an empty page.
  if (behaviour.offsetAnswer !== "cursor" || asked === 0) return asked;
  if (asked > cursorLead) return asked - cursorLead;
  if (asked >= total) return total;
  throw new Refusal("InvalidParameter", "offset is not one of an earlier response");
}

function returnedOffset(asked: number, next: number, total: number, behaviour: Behaviour): number {
  if (behaviour.offsetAnswer === "zero") return 0;
  if (behaviour.offsetAnswer === "asked") return asked;
  if (behaviour.endOfData === "offsetStays" && next >= total) return asked;
  return behaviour.offsetAnswer === "next" || next === 0 ? next : next + cursorLead;
}
