import { counted } from "../../../resources/values";
import type { Row } from "../../../service/contract/types";
import { statusSays } from "../../../service/errors/failures";
import type { Answer, Probing } from "../question";
import { refusalIn, settingOf } from "../question";
import { replyOf } from "../requests";
import type { OnRun } from "./runQuestions";
import { onRun, rowsSettled } from "./runQuestions";

/** Seconds between two reads of a total. */
const betweenReads = 5;
/** Reads that a total must survive. */
const settledReads = 3;
const mostReads = 8;
/** Rows that are looked at. */
const manyRows = 100;

/** Reads the total until it stays the same. */
export async function lateRows(probing: Probing): Promise<Answer> {
  const { client, trial } = onRun(probing);
  const { run, taskId } = trial;
  for (let reads = 0; reads < mostReads && !isSettled(run.totals); reads += 1) {
    await trial.sleep(reads === 0 ? 0 : betweenReads * 1000);
    const { response, refusal } = await replyOf(client.getData({ taskId, offset: 0, size: 1 }));
    if (response === undefined) {
      return { is: "problem", found: `A refusal: ${refusalIn(refusal)}.`, limitation: "Rows cannot be read." };
    }
    run.totals.push(response.data.total);
  }
  const last = run.totals.at(-1) ?? 0;
  if (last === 0) {
    return { is: "unclear", found: "The run brought no rows. Choose a task whose runs bring some." };
  }
  const earlier = run.totals.filter((total) => total > 0 && total < last).length;
  const found = `Totals after the end, one after the other: ${run.totals.join(", ")}.`;
  if (earlier === 0 && isSettled(run.totals)) {
    return { found, behaviours: ["rowsArriveLate=0"] };
  }
  // An export right after the last subtask would miss rows, or refuse to mark them.
  return {
    is: "problem",
    found,
    remedy: "Rows arrive after the last subtask has ended.",
    argument: rowsSettled,
    behaviours: isSettled(run.totals) ? [`rowsArriveLate=${earlier}`] : [],
  };
}

function isSettled(totals: readonly number[]): boolean {
  const last = totals.slice(-settledReads);
  return last.length === settledReads && last.every((total) => total === last[0] && total > 0);
}

function most({ trial }: OnRun): number {
  return Math.min(manyRows, trial.pageMax ?? manyRows);
}

interface Page {
  rows: string[];
  total: number;
  restTotal: number;
  offset: number;
}

async function page({ client, trial }: OnRun, offset: number, size: number): Promise<Page | undefined> {
  const { response } = await replyOf(client.getData({ taskId: trial.taskId, offset, size }));
  return response && pageOf(response.data);
}

function pageOf({
  data,
  total,
  restTotal,
  offset,
}: {
  data: Row[];
  total: number;
  restTotal: number;
  offset: number;
}): Page {
  return { rows: data.map((row) => JSON.stringify(row)), total, restTotal, offset };
}

/** The offsets of responses, and the totals: two rows, then all, then one in the middle. */
export async function offsets(probing: Probing): Promise<Answer> {
  const on = onRun(probing);
  const { trial } = on;
  const first = await page(on, 0, 2);
  const whole = await page(on, 0, most(on));
  if (first === undefined || whole === undefined || whole.rows.length === 0) {
    return { is: "unclear", found: "The service shows no rows." };
  }
  trial.rows = whole.rows;
  const isCursor = first.offset !== 0 && first.offset !== first.rows.length;
  const middle = first.total > 2 ? await page(on, isCursor ? first.offset : 2, 1) : undefined;
  trial.nextOffset = middle && (isCursor ? middle.offset : 3);
  const offsetResponse = isCursor ? "cursor" : first.offset > 0 ? "next" : middle?.offset === 0 ? "zero" : "asked";
  const isWhole = whole.rows.length === whole.total;
  const arrived = whole.total - first.total;
  const ends =
    first.total > first.rows.length && first.restTotal < first.total
      ? ["restTotal"]
      : !isWhole
        ? []
        : ["next", "cursor"].includes(offsetResponse)
          ? [whole.offset === 0 ? "offsetStays" : "emptyPage"]
          : ["emptyPage", "offsetStays"];
  const behaviours = [
    ...(first.total > 2 || first.offset > 0 ? [`offsetResponse=${offsetResponse}`] : []),
    ...(first.total > 2 ? ends.map((value) => `endOfData=${value}`) : []),
    ...(first.total > 2 ? [`rowsWhileReading=${arrived}`] : []),
    ...(middle === undefined ? [] : [`emptyPageEvery=${middle.rows.length === 0 ? 1 : 0}`]),
  ];
  const grows = arrived > 0 ? ` ${counted(arrived, "row")} arrived after the first page.` : "";
  const kind = { cursor: "a cursor", next: "the next offset", zero: "always 0", asked: "the requested offset" }[
    offsetResponse
  ];
  const end = ends[0] === "restTotal" ? "restTotal counts down" : "restTotal does not count down";
  return { found: `A response has ${kind} as its offset, and ${end}. Total ${whole.total}.${grows}`, behaviours };
}

/** Whether a batch has all rows of its run. */
export async function batch(probing: Probing): Promise<Answer> {
  const { client, trial } = onRun(probing);
  const { lotNo } = trial.run;
  if (lotNo === undefined) {
    return { is: "unclear", found: "The run has no lotNo." };
  }
  const { response, refusal } = await replyOf(
    client.getBatchData({ taskId: trial.taskId, lotno: lotNo, offset: 0, size: most(onRun(probing)) }),
  );
  if (response === undefined) {
    const limitation = "DataExport with scope batch cannot read runs: use scope all or notExported.";
    return { is: "problem", found: `A refusal: ${refusalIn(refusal)}.`, limitation };
  }
  const { rows = [] } = trial;
  const { total } = response.data;
  const different = new Set(rows).size;
  const found = `The batch has ${counted(total, "row")}, the task ${rows.length}, of which ${different} are different.`;
  const behaviours =
    different === rows.length || rows.length >= manyRows
      ? []
      : total === rows.length
        ? ["batchRows=all"]
        : total === different
          ? ["batchRows=distinct"]
          : [];
  return { found, behaviours };
}

/** Two reads of the rows that are not exported, a mark, and a third one. All rows are the copy's. */
export async function marks(probing: Probing): Promise<Answer> {
  const { client, settings, trial } = onRun(probing);
  const { taskId, rows = [] } = trial;
  const read = async (size: number) => {
    const { response } = await replyOf(client.getNotExportedData({ taskId, size }));
    return response && { rows: response.data.data.map((row) => JSON.stringify(row)), total: response.data.total };
  };
  const one = await read(2);
  const two = await read(2);
  const marked = await replyOf(client.markExported({ taskId }));
  const left = await read(most(onRun(probing)));
  if (one === undefined || two === undefined || left === undefined || marked.refusal !== undefined) {
    const limitation = "DataExport with scope notExported or markExported cannot work.";
    return { is: "problem", found: "A read of the rows that are not exported, or the mark, is refused.", limitation };
  }
  if (rows.length === 0) {
    return { is: "unclear", found: "There are no rows." };
  }
  if (one.rows.length === 0) {
    const remedy =
      "Marks are shared with all that use this account. To export rows that others have marked, use scope all.";
    const counts = one.total > 0 ? ["notExportedCounts=allRows"] : [];
    const found = "No row of the new run is there to be exported: somebody else has marked them all.";
    return { is: "warning", found, remedy, behaviours: ["otherMarks=all", ...counts] };
  }
  const isOnce = JSON.stringify(one.rows) !== JSON.stringify(two.rows);
  const place = placeIn(rows, one.rows);
  const isHalf = place === undefined ? one.total < rows.length : place.skipped > 0;
  const others = isHalf ? Math.floor(rows.length / 2) : 0;
  const returned = isOnce ? one.rows.length + two.rows.length : one.rows.length;
  const isAllReturned = others + returned >= rows.length;
  const scope = left.rows.length > 0 ? "returned" : "task";
  const counts =
    left.total > left.rows.length && left.rows.length < most(onRun(probing))
      ? "allRows"
      : two.total < one.total
        ? "notReturned"
        : "usual";
  const behaviours = [
    ...(place === undefined ? [] : [`rowOrder=${place.isReversed ? "newestFirst" : "oldestFirst"}`]),
    `notExported=${isOnce ? "handedOutOnce" : "untilMarked"}`,
    `notExportedCounts=${counts}`,
    // Rows that are not marked come again, so they are counted again.
    ...(counts === "usual" && !isOnce ? ["notExportedCounts=notReturned"] : []),
    `otherMarks=${isHalf ? "half" : "none"}`,
    ...(isAllReturned ? [] : [`markScope=${scope}`]),
  ];
  const order =
    place === undefined
      ? "in an order that the rows do not show"
      : `in the ${place.isReversed ? "reverse" : "same"} order as all rows`;
  const found =
    `Rows that are not exported come ${order}, ${isOnce ? "each once" : "again until they are marked"}` +
    `${isAllReturned ? "" : `. A mark includes ${scope === "task" ? "all rows of the task" : "the rows that were returned"}`}` +
    `${isHalf ? ". Others mark rows too" : ""}.`;
  return isAllReturned || settings.markScope === scope
    ? { found, behaviours }
    : {
        ...{ is: "problem", found, behaviours },
        remedy: "An export with markExported needs webextract:markScope.",
        setting: settingOf("markScope", scope),
      };
}

/** Where the first rows that are not exported are among all rows: at the beginning or, if others mark the first half, after it. Undefined if equal rows hide it. */
function placeIn(
  rows: readonly string[],
  first: readonly string[],
): { isReversed: boolean; skipped: number } | undefined {
  const half = Math.floor(rows.length / 2);
  const places = [false, true].flatMap((isReversed) => {
    const ordered = isReversed ? rows.toReversed() : rows;
    return [...new Set([0, half])]
      .filter((skipped) => JSON.stringify(ordered.slice(skipped, skipped + first.length)) === JSON.stringify(first))
      .map((skipped) => ({ isReversed, skipped }));
  });
  const [only, ...others] = places;
  return others.length === 0 ? only : undefined;
}

const mostPages = 8;

/** Pages in the middle, until one is empty. */
export async function emptyPages(probing: Probing): Promise<Answer> {
  const on = onRun(probing);
  const { trial, requests } = on;
  const { rows = [], nextOffset } = trial;
  if (nextOffset === undefined || rows.length < 4) {
    return { is: "unclear", found: "There are too few rows." };
  }
  // A read that was sent again counts at the service, too.
  const isCounted = (): boolean =>
    requests.responses.every(({ status }) => status < 500 && !statusSays.tooMany(status));
  // The offsets question has read one such page.
  for (let pages = 2; pages <= mostPages; pages += 1) {
    if (requests.left <= 2) {
      return { is: "unclear", found: `No page in the middle was empty. Only ${pages - 1} were read.` };
    }
    const read = await page(on, nextOffset, 1);
    if (read !== undefined && read.rows.length === 0 && read.total > 3) {
      const found = `Page ${pages} in the middle was empty, although rows are left. The package reads on, or says that an export is not complete.`;
      return { found, behaviours: isCounted() ? [`emptyPageEvery=${pages}`] : [] };
    }
  }
  return { found: "No page in the middle was empty.", behaviours: isCounted() ? ["emptyPageEvery=0"] : [] };
}

export async function remove(probing: Probing): Promise<Answer> {
  const { client, trial } = onRun(probing);
  const { refusal } = await replyOf(client.removeData({ taskId: trial.taskId }));
  if (refusal !== undefined) {
    const limitation = "A destroy cannot remove the rows of a copy.";
    return { is: "problem", found: `A refusal: ${refusalIn(refusal)}.`, limitation };
  }
  const { total } = (await replyOf(client.getData({ taskId: trial.taskId, offset: 0, size: 1 }))).response?.data ?? {};
  return total === 0 || total === undefined
    ? { found: "No row is left." }
    : { is: "warning", found: `${counted(total, "row")} are left.`, remedy: "The rows may go later, or stay." };
}
