import type { DataPage, Row } from "../../../../src/service/contract/types";
import { counted } from "../../../../src/values/words";
import type { Answer, OnRun } from "../question";
import { readRows, refused, settingOf } from "../question";
import { replyOf } from "../requests";
import type { ShownRows } from "./notExported";
import { fittingValues } from "./notExported";
import { rowsSettled } from "./runQuestions";

/** Seconds between two reads of a total. */
const betweenReads = 5;
/** Reads that a total must survive. */
const settledReads = 3;
const mostReads = 8;
/** Rows that are looked at. */
const manyRows = 100;

const noRows: Answer = { is: "unclear", found: "Not asked: the run brought no rows." };

/** Reads the total until it stays the same. */
export async function lateRows({ client, requests, trial, taskId }: OnRun): Promise<Answer> {
  const { run } = trial;
  for (let reads = 0; reads < mostReads && !isSettled(run.totals); reads += 1) {
    await trial.sleep(reads === 0 ? 0 : betweenReads * 1000);
    const { response, refusal } = await replyOf(readRows(client, taskId));
    if (response === undefined) {
      return refused(refusal, "Rows cannot be read.");
    }
    run.totals.push(response.data.total);
  }
  const last = run.totals.at(-1) ?? 0;
  if (last === 0) {
    const found = "The run brought no rows, as that of a task without pages. So the questions about rows stay open.";
    return { is: "unclear", found: `${found} To ask them, probe a task whose runs bring rows.` };
  }
  const earlier = run.totals.filter((total) => total < last).length;
  const isExact = requests.isExactSince(run.begun);
  const found = `Totals, one after the other: ${run.totals.join(", ")}.`;
  if (earlier === 0 && isSettled(run.totals)) {
    return { found, behaviours: isExact ? ["rowsArriveLate=0"] : [] };
  }
  if (!run.hasEnded && run.looks.some(({ ids }) => ids.length > 0)) {
    return { is: "unclear", found: `${found} The run had not ended.` };
  }
  // An export right after the last subtask would miss rows, or refuse to mark them.
  return {
    is: "problem",
    found,
    remedy: "Rows arrive after the last subtask has ended.",
    argument: rowsSettled,
    // Without a list of subtasks, the run may not have ended at the first reads.
    behaviours: isSettled(run.totals) && isExact && run.hasEnded ? [`rowsArriveLate=${earlier}`] : [],
  };
}

function isSettled(totals: readonly number[]): boolean {
  const last = totals.slice(-settledReads);
  return last.length === settledReads && last.every((total) => total === last[0] && total > 0);
}

function most({ trial }: OnRun): number {
  return Math.min(manyRows, trial.pageMax ?? manyRows);
}

type Page = DataPage & { rows: string[] };

async function page({ client, taskId }: OnRun, offset: number, size: number): Promise<Page | undefined> {
  const { response } = await replyOf(client.getData({ taskId, offset, size }));
  return response && withRows(response.data);
}

/** With the rows as JSON. */
function withRows<Data extends { data: Row[] }>(data: Data): Data & { rows: string[] } {
  return { ...data, rows: data.data.map((row) => JSON.stringify(row)) };
}

/** The offsets of responses, and the totals: two rows, then all, then one in the middle. */
export async function offsets(on: OnRun): Promise<Answer> {
  const { trial, requests } = on;
  const first = await page(on, 0, 2);
  const whole = await page(on, 0, most(on));
  if (first === undefined || whole === undefined) return { is: "unclear", found: "The service refuses a page." };
  if (whole.rows.length === 0) return noRows;
  trial.rows = { count: whole.total, first: whole.rows };
  if (first.rows.length === 0 || first.rows.length >= first.total) {
    return { is: "unclear", found: `Total ${whole.total}. A page in the middle needs more rows.` };
  }
  const isCursor = first.offset !== 0 && first.offset !== first.rows.length;
  const next = isCursor ? first.offset : first.rows.length;
  const middle = await page(on, next, 1);
  trial.middle = middle && { next: isCursor ? middle.offset : next + 1, isEmpty: middle.rows.length === 0 };
  const answers = isCursor ? ["cursor"] : first.offset > 0 ? ["next"] : askedOrZero(middle, next);
  const ends = endsOf(first, whole, answers);
  const arrived = whole.total - first.total;
  // Rows that arrive without a read look the same.
  const isSteady = isSettled(trial.run.totals) && trial.run.totals.at(-1) === first.total;
  const behaviours = [
    ...answers.map((value) => `offsetResponse=${value}`),
    ...ends.map((value) => `endOfData=${value}`),
    ...(isSteady && requests.isExactSince(trial.run.begun) ? [`rowsWhileReading=${arrived}`] : []),
  ];
  const grows = arrived > 0 ? ` ${counted(arrived, "row")} arrived after the first page.` : "";
  const [answer = "asked"] = answers;
  const end = ends[0] === "restTotal" ? "restTotal counts down" : "restTotal does not count down";
  return {
    found: `A response has ${kinds[answer]} as its offset, and ${end}. Total ${whole.total}.${grows}`,
    behaviours,
  };
}

const kinds: Readonly<Record<string, string>> = {
  cursor: "a cursor",
  next: "the next offset",
  zero: "always 0",
  asked: "the requested offset",
};

function askedOrZero(middle: Page | undefined, asked: number): string[] {
  return ["asked", "zero"].filter((value) => middle === undefined || middle.offset === (value === "zero" ? 0 : asked));
}

/** @param first a page that is not the last one */
function endsOf(first: Page, whole: Page, [answer = ""]: readonly string[]): string[] {
  if (first.restTotal < first.total) {
    return ["restTotal"];
  }
  const shows = whole.rows.length === whole.total && ["next", "cursor"].includes(answer);
  return ["emptyPage", "offsetStays"].filter((value) => !shows || (value === "offsetStays") === (whole.offset === 0));
}

/** Whether a batch has all rows of its run. */
export async function batch(on: OnRun): Promise<Answer> {
  const { client, trial, taskId } = on;
  const { lotNo: lotno } = trial.run;
  if (lotno === undefined) {
    return { is: "unclear", found: "The run has no lotNo." };
  }
  const { response, refusal } = await replyOf(client.getBatchData({ taskId, lotno, offset: 0, size: most(on) }));
  if (response === undefined) {
    return refused(refusal, "DataExport with scope batch cannot read runs: use scope all or notExported.");
  }
  const { first = [], count = 0 } = trial.rows ?? {};
  const { total } = response.data;
  if (total + count === 0) return noRows;
  const different = new Set(first).size;
  const found = `The batch has ${counted(total, "row")}, the task ${count}, of which ${different} are different.`;
  const isShown = first.length === count && different < count;
  const behaviours = [
    ...(isShown && total === count ? ["batchRows=all"] : []),
    ...(isShown && total === different ? ["batchRows=distinct"] : []),
  ];
  return { found, behaviours };
}

/** Two reads of the rows that are not exported, a mark, and a third one. All rows are the copy's. */
export async function marks(on: OnRun): Promise<Answer> {
  const { client, requests, settings, taskId } = on;
  const { rows } = on.trial;
  const read = async (size: number): Promise<ShownRows | undefined> => {
    const { response } = await replyOf(client.getNotExportedData({ taskId, size }));
    return response && withRows(response.data);
  };
  const { now } = requests;
  const sizes = [2, 2, most(on)];
  const [one, two] = [await read(2), await read(2)];
  const marked = await replyOf(client.markExported({ taskId }));
  const left = await read(most(on));
  if (one === undefined || two === undefined || left === undefined || marked.refusal !== undefined) {
    const limitation = "DataExport with scope notExported or markExported cannot work.";
    return { is: "problem", found: "A read of the rows that are not exported, or the mark, is refused.", limitation };
  }
  if (rows === undefined) return noRows;
  const values = requests.isExactSince(now) ? fittingValues(rows, sizes, [one, two, left]) : {};
  const behaviours = Object.entries(values).flatMap(([name, own]) => own.map((value) => `${name}=${value}`));
  if (one.rows.length === 0) {
    const remedy =
      "Marks are shared with all that use this account. To export rows that others have marked, use scope all.";
    const found = "No row of the new run is there to be exported: somebody else has marked them all.";
    return { is: "warning", found, remedy, behaviours };
  }
  const known = Object.entries(values).filter(([, own]) => own.length === 1);
  const sentences = known.flatMap(([name, [value]]) => meanings[`${name}=${value}`] ?? []);
  if (sentences.length === 0) {
    return { is: "unclear", found: "The reads do not show how rows are marked.", behaviours };
  }
  const found = sentences.join(" ");
  const [scope] = values.markScope ?? [];
  return scope === undefined || settings.markScope === scope
    ? { found, behaviours }
    : {
        ...{ is: "problem", found, behaviours },
        remedy: "An export with markExported needs webextract:markScope.",
        setting: settingOf("markScope", scope),
      };
}

/** What the one value of a behaviour that fits says of rows that are not exported. */
const meanings: Readonly<Record<string, string>> = {
  "rowOrder=oldestFirst": "Rows that are not exported come in the same order as all rows.",
  "rowOrder=newestFirst": "Rows that are not exported come in the reverse order of all rows.",
  "notExported=untilMarked": "A row comes again until it is marked.",
  "notExported=handedOutOnce": "Each row comes once.",
  "otherMarks=half": "Others mark rows too.",
  "markScope=task": "A mark includes all rows of the task.",
  "markScope=returned": "A mark includes the rows that were returned.",
};

const mostPages = 8;

/** Pages in the middle, until one is empty. */
export async function emptyPages(on: OnRun): Promise<Answer> {
  const { trial, requests } = on;
  const { rows, middle } = trial;
  if (rows === undefined) return noRows;
  if (middle === undefined || rows.count < 4) {
    return { is: "unclear", found: "There are too few rows." };
  }
  // The offsets question has read the first such page.
  let { isEmpty } = middle;
  let pages = 1;
  while (!isEmpty && pages < mostPages) {
    if (requests.left <= 0) {
      return { is: "unclear", found: `No page in the middle was empty. Only ${pages} were read.` };
    }
    const read = await page(on, middle.next, 1);
    if (read === undefined) {
      return { is: "unclear", found: "The service refuses a page in the middle." };
    }
    isEmpty = read.rows.length === 0;
    pages += 1;
  }
  const behaviours = requests.isExactSince(trial.run.begun) ? [`emptyPageEvery=${isEmpty ? pages : 0}`] : [];
  const found = isEmpty
    ? `Page ${pages} in the middle was empty, although rows are left. The package reads on, or says that an export is not complete.`
    : "No page in the middle was empty.";
  return { found, behaviours };
}

export async function remove({ client, taskId }: OnRun): Promise<Answer> {
  const { refusal } = await replyOf(client.removeData({ taskId }));
  if (refusal !== undefined) {
    return refused(refusal, "A destroy cannot remove the rows of a copy.");
  }
  const { total = 0 } = (await replyOf(readRows(client, taskId))).response?.data ?? {};
  return total === 0
    ? { found: "No row is left." }
    : { is: "warning", found: `${counted(total, "row")} are left.`, remedy: "The rows may go later, or stay." };
}
