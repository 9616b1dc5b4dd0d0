import { isDeepStrictEqual } from "node:util";
import type { DataPage } from "../../../service/contract/types";
import type { ProbeFinding, Probing, Question } from "../finding";
import { seen, unclear } from "../finding";
import { readRows } from "../requests";

export const offsets: Question = {
  name: "pages of rows",
  how: "getData of the first rows, of rows from the second one on, of the last row, and after it: which offset and restTotal come back, and which rows",
  behaviours: ["offsetAnswer", "endOfData", "rowsArriveLate"],
  needsTask: true,
  async ask(probing) {
    const first = await firstRows(probing);
    if (first === undefined) {
      return [unclear("pages of rows", noRows, allOffsets)];
    }
    const kind = offsetKind(first);
    return [
      await offsetAnswer(probing, first, kind),
      await endOfData(probing, first, kind),
      ...(await afterTheEnd(probing, kind)),
      ...late(probing),
    ];
  },
};

/** The first two rows. */
const few = 2;

const noRows = "The service shows no rows of the task. Run the probe again with a task that has at least three.";
const allOffsets = ["asked", "next", "cursor", "zero"].map((value) => `offsetAnswer=${value}`);

/** The first page; undefined if there are no rows, or the response breaks the contract. */
export async function firstRows({ asker, taskId = "" }: Probing): Promise<DataPage | undefined> {
  const page = (await asker.ask(readRows(taskId, 0, few))).read("getData")?.data;
  return page === undefined || page.data.length === 0 ? undefined : page;
}

/** What the offset of the first page shows: `same` for one that does not move. */
export function offsetKind({ data, offset }: DataPage): "same" | "next" | "cursor" {
  return offset === 0 ? "same" : offset === data.length ? "next" : "cursor";
}

/** The latest number of rows. It grows while a run is in progress. */
export function totalOf({ asker, taskId }: Probing): number {
  return totalsOf(asker, taskId).at(-1) ?? 0;
}

function totalsOf(asker: Probing["asker"], taskId: string | undefined): number[] {
  const reads = asker.replies.filter(
    ({ request: { operation, query } }) => operation === "getData" && query?.taskId === taskId,
  );
  return reads.flatMap((reply) => reply.read("getData")?.data.total ?? []);
}

async function offsetAnswer(
  probing: Probing,
  first: DataPage,
  kind: ReturnType<typeof offsetKind>,
): Promise<ProbeFinding> {
  const check = "offset of a page";
  if (first.total <= few) {
    return unclear(check, "The task has fewer than three rows.", allOffsets);
  }
  if (kind === "cursor") {
    return seen(check, "An opaque value: only such a value is a valid next offset.", {
      behaviours: ["offsetAnswer=cursor"],
    });
  }
  const { asker, taskId = "" } = probing;
  const reply = await asker.ask(readRows(taskId, 1, few));
  const page = reply.read("getData")?.data;
  if (page === undefined) {
    return unclear(check, "The service refuses an offset within the rows.", allOffsets);
  }
  const problem = rowProblem(first, page);
  if (problem !== undefined) {
    return seen(check, problem, {
      is: "warning",
      remedy: "No setting helps. The package reads rows by the number of the first row. Report this.",
    });
  }
  const value = kind === "next" ? "next" : page.offset === 0 ? "zero" : "asked";
  const found = {
    next: "The requested offset plus the number of rows.",
    zero: "Always 0.",
    asked: "The requested offset.",
  };
  return seen(check, found[value], { behaviours: [`offsetAnswer=${value}`] });
}

/** Whether an offset counts rows. Rows that are equal do not tell. */
function rowProblem(first: DataPage, second: DataPage): string | undefined {
  const [row0, row1] = first.data;
  const [begin] = second.data;
  if (isDeepStrictEqual(row0, row1) || begin === undefined || isDeepStrictEqual(begin, row1)) {
    return undefined;
  }
  return isDeepStrictEqual(begin, row0)
    ? "The service ignores the requested offset."
    : "The requested offset counts pages, and not rows.";
}

async function endOfData(
  probing: Probing,
  first: DataPage,
  kind: ReturnType<typeof offsetKind>,
): Promise<ProbeFinding> {
  const check = "end of the rows";
  const { data, total, restTotal } = first;
  if (total <= data.length) {
    return unclear(check, "All rows are on the first page.", [...counted, ...stays]);
  }
  if (restTotal === total - data.length) {
    return seen(check, "restTotal counts down to 0.", { behaviours: ["endOfData=restTotal"] });
  }
  if (restTotal !== total) {
    return seen(check, "restTotal is neither the number of rows that are left nor total.", {
      is: "warning",
      remedy:
        "No setting helps. An export may find fewer rows than there are; its output complete is then false. Report this.",
    });
  }
  if (kind === "same") {
    return seen(check, "An empty page: restTotal always equals total.", { behaviours: stays });
  }
  const last = await lastPage(probing, kind);
  if (last === undefined) {
    return unclear(check, "restTotal always equals total, and the last page was not reached.", stays);
  }
  return last.staysAtTheEnd
    ? seen(check, "An offset that does not move: restTotal always equals total.", {
        behaviours: ["endOfData=offsetStays"],
      })
    : seen(check, "An empty page: restTotal always equals total.", { behaviours: ["endOfData=emptyPage"] });
}

const counted = ["endOfData=restTotal"];
const stays = ["endOfData=emptyPage", "endOfData=offsetStays"];
/** A page with all rows is requested only if it is that small. */
const smallPage = 200;

async function lastPage(probing: Probing, kind: "next" | "cursor"): Promise<{ staysAtTheEnd: boolean } | undefined> {
  const { asker, taskId = "" } = probing;
  const total = totalOf(probing);
  if (kind === "cursor" && total > smallPage) {
    return undefined;
  }
  const offset = kind === "cursor" ? 0 : total - 1;
  const page = (await asker.ask(readRows(taskId, offset, kind === "cursor" ? total : few))).read("getData")?.data;
  const isLast = page !== undefined && offset + page.data.length === page.total;
  return isLast ? { staysAtTheEnd: page.offset === offset } : undefined;
}

async function afterTheEnd(probing: Probing, kind: ReturnType<typeof offsetKind>): Promise<ProbeFinding[]> {
  const check = "offset after the last row";
  const { asker, taskId = "" } = probing;
  const total = totalOf(probing);
  if (kind === "cursor") {
    return [];
  }
  const reply = await asker.ask(readRows(taskId, total, few));
  const page = reply.read("getData")?.data;
  if (!reply.isAccepted) {
    return [seen(check, "A refusal.")];
  }
  return page === undefined || page.total > total
    ? []
    : [seen(check, page.data.length === 0 ? "An empty page." : "Rows that came before.")];
}

function late({ asker, taskId }: Probing): ProbeFinding[] {
  const totals = new Set(totalsOf(asker, taskId));
  return totals.size < 2
    ? []
    : [
        seen("number of rows", "It changed during the probe: a run was in progress, or rows arrive after its end.", {
          is: "warning",
          remedy:
            'If no run was in progress, wait for rows that settle: finishedWhen: "rowsSettled" of a CloudRun, --finished-when rowsSettled of run.',
          behaviours: ["rowsArriveLate"],
        }),
      ];
}
