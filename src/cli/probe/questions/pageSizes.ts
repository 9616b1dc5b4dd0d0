import type { ProbeFinding, Question } from "../finding";
import { seen, setting, unclear } from "../finding";
import type { Reply } from "../reply";
import { readRows } from "../requests";
import { firstRows, offsetKind, totalOf } from "./offsets";

export const pageSizes: Question = {
  name: "size of a page of rows",
  how: "getData with the configured pageSize, at the last row and from the first one on; if it is refused, with smaller sizes at the last row",
  behaviours: ["dataPageMax", "pageTooLarge", "answerBytes"],
  needsTask: true,
  async ask(probing) {
    const check = "size of a page of rows";
    const first = await firstRows(probing);
    if (first === undefined) {
      return [unclear(check, "The service shows no rows of the task.")];
    }
    const { asker, taskId = "", options } = probing;
    const asked = options.pageSize ?? 1000;
    // Near the end, a large page has few rows.
    const offset = offsetKind(first) === "cursor" ? 0 : Math.max(0, totalOf(probing) - 1);
    const accepted = await largestSize(asked, (size) => asker.ask(readRows(taskId, offset, size)));
    if (accepted === undefined) {
      return [unclear(check, "The service refuses every size that was tried.")];
    }
    if (accepted.size < asked) {
      return [smaller(check, accepted)];
    }
    return [fullPage(check, asked, await asker.ask(readRows(taskId, 0, asked)))];
  },
};

/** A size that the service accepts. */
export interface AcceptedSize {
  size: number;
  /** Whether the service names it as its maximum. */
  isMaximum: boolean;
}

const smallerSizes = [500, 200, 100, 50, 20, 10, 5, 1];

/** The largest size that the service accepts, of the requested one, those that its refusal names, and some smaller ones. */
export async function largestSize(
  asked: number,
  ask: (size: number) => Promise<Reply>,
): Promise<AcceptedSize | undefined> {
  const reply = await ask(asked);
  if (reply.isAccepted) {
    return { size: asked, isMaximum: false };
  }
  const named = (reply.failure?.said?.match(/\d+/g) ?? []).map(Number).filter((size) => size > 0 && size < asked);
  const guesses = smallerSizes.filter((size) => size < asked && !named.includes(size));
  for (const size of [...new Set(named)]
    .slice(0, 3)
    .sort((a, b) => b - a)
    .concat(guesses)) {
    if ((await ask(size)).isAccepted) {
      return { size, isMaximum: named.includes(size) };
    }
  }
  return undefined;
}

function smaller(check: string, { size, isMaximum }: AcceptedSize): ProbeFinding {
  const fitting = setting("pageSize", String(size));
  return seen(
    check,
    `A larger page is refused; ${size} rows are accepted. The package finds a smaller size by itself. The setting saves the refused requests.`,
    {
      behaviours: [isMaximum ? `dataPageMax=${size}` : "dataPageMax", "pageTooLarge=refused"],
      settings: [fitting],
    },
  );
}

/** Services limit responses to some megabytes. */
const largeBody = 3_500_000;

function fullPage(check: string, asked: number, reply: Reply): ProbeFinding {
  if (!reply.isAccepted) {
    return seen(check, `A page of ${asked} rows is refused if its response is too large.`, {
      behaviours: ["answerBytes=refused"],
    });
  }
  const page = reply.read("getData")?.data;
  if (page === undefined) {
    return unclear(check, `A page of ${asked} rows breaks the contract.`);
  }
  const count = page.data.length;
  if (count >= Math.min(asked, page.total)) {
    return seen(check, count < asked ? `A size of ${asked} is accepted. The task has fewer rows.` : `${asked} rows.`);
  }
  if (reply.response.body.length > largeBody) {
    return seen(check, "A large response ends after the last row that fits.", { behaviours: ["answerBytes=cut"] });
  }
  return seen(check, `Fewer rows than requested: ${count}.`, {
    behaviours: [`dataPageMax=${count}`, "pageTooLarge=clamped"],
  });
}
