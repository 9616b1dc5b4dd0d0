import { terminalStatusOf } from "../../../resources/run/subtaskList";
import type { Subtask } from "../../../service/contract/types";
import type { ProbeFinding, Probing, Question } from "../finding";
import { seen, setting, unclear } from "../finding";
import { readSubtasks } from "../requests";
import { firstRows } from "./offsets";
import { largestSize } from "./pageSizes";

export const subtasks: Question = {
  name: "list of subtasks",
  how: "getSubtasks with a large page, with smaller ones if it is refused, and of the page after the last: size of a page, words for a status",
  behaviours: ["subtaskPageMax", "pageTooLarge", "splitting", "statusWords", "statusCase"],
  needsTask: true,
  async ask(probing) {
    const { asker, taskId = "" } = probing;
    const accepted = await largestSize(asked, (size) => asker.ask(readSubtasks(taskId, 1, size)));
    if (accepted === undefined) {
      return [unclear("list of subtasks", "The service refuses every size that was tried.", allSplitting)];
    }
    const list = (await asker.ask(readSubtasks(taskId, 1, accepted.size))).read("getSubtasks")?.data;
    if (list === undefined) {
      return [unclear("list of subtasks", "The response breaks the contract.", allSplitting)];
    }
    if (list.length === 0) {
      return [await emptyList(probing)];
    }
    return [
      seen("subtasks of a run", "The service lists them.", {
        behaviours: ["splitting=always", "splitting=listsOnly"],
      }),
      ...(await sizes(probing, accepted.size, accepted.isMaximum, list)),
      ...statuses(probing, list),
    ];
  },
};

const asked = 100;
const allSplitting = ["always", "listsOnly", "never"].map((value) => `splitting=${value}`);

async function emptyList(probing: Probing): Promise<ProbeFinding> {
  const check = "subtasks of a run";
  return (await firstRows(probing)) === undefined
    ? unclear(check, "The list is empty, as before the first run.", allSplitting)
    : seen(check, "The list is empty, although the task has rows.", {
        is: "warning",
        remedy:
          'If a run of this task lists no subtasks, wait for rows that settle: finishedWhen: "rowsSettled" of a CloudRun, --finished-when rowsSettled of run.',
        behaviours: ["splitting=listsOnly", "splitting=never"],
      });
}

async function sizes(
  { asker, taskId = "" }: Probing,
  size: number,
  isMaximum: boolean,
  list: readonly Subtask[],
): Promise<ProbeFinding[]> {
  const check = "size of a page of subtasks";
  const isRefused = size < asked;
  const found = isRefused
    ? seen(check, `A larger page is refused; ${size} subtasks are accepted. The package finds a size by itself.`, {
        behaviours: [isMaximum ? `subtaskPageMax=${size}` : "subtaskPageMax", "pageTooLarge=refused"],
      })
    : seen(check, `A size of ${size} is accepted.`);
  if (list.length === size) {
    return [found];
  }
  const next = await asker.ask(readSubtasks(taskId, 2, size));
  const more = next.read("getSubtasks")?.data ?? [];
  const known = new Set(list.map(({ subTaskId }) => subTaskId));
  if (more.some(({ subTaskId }) => !known.has(subTaskId))) {
    return [
      seen(check, `Fewer subtasks than requested: ${list.length}.`, {
        behaviours: [`subtaskPageMax=${list.length}`, "pageTooLarge=clamped"],
      }),
    ];
  }
  return [
    found,
    next.isAccepted
      ? seen("page after the last subtask", more.length === 0 ? "An empty page." : "Subtasks that came before.")
      : seen("page after the last subtask", "A refusal.", {
          is: "warning",
          remedy: "No setting helps. The package reads a list until a page brings nothing new. Report this.",
        }),
  ];
}

/** The words of each vocabulary, in lower case. */
const vocabularies = {
  usual: ["waiting", "extracting", "stopped", "finished", "failed"],
  withSent: ["waiting", "sent", "extracting", "stopped", "finished", "failed"],
  noFailed: ["waiting", "extracting", "stopped", "finished"],
  synonyms: ["queued", "running", "stopped", "completed", "error"],
};

/** Other words that mean that a subtask has not ended. */
const running = ["pending", "executing", "processing", "unexecuted", "starting"];

function statuses({ settings, words }: Probing, list: readonly Subtask[]): ProbeFinding[] {
  const all = [...new Set(list.map(({ status }) => status))].sort();
  const fitting = Object.entries(vocabularies).flatMap(([name, vocabulary]) =>
    all.every((word) => vocabulary.includes(word.toLowerCase())) ? [`statusWords=${name}`] : [],
  );
  const known = [...Object.values(vocabularies).flat(), ...running];
  const foreign = all.filter(
    (word) => terminalStatusOf(word, settings.statuses) === undefined && !known.includes(word.toLowerCase()),
  );
  const isAnyForeign = all.some((word) => !known.includes(word.toLowerCase()));
  const behaviours = isAnyForeign ? ["statusWords=unknown"] : fitting;
  const [word] = foreign.flatMap((each) => words.shown(each) ?? []);
  const found = `${words.list(all)}.`;
  const wordsFinding =
    foreign.length === 0
      ? seen("words for a status", found, { behaviours })
      : seen("words for a status", `${found} Unknown words count as running: ${words.list(foreign)}.`, {
          is: "warning",
          remedy:
            "If such a word means that a subtask has ended, add it to webextract:statuses. Otherwise a wait for the run does not end.",
          behaviours,
          settings:
            word === undefined
              ? []
              : [
                  setting(
                    "statuses",
                    JSON.stringify({ finished: [...settings.statuses.finished, word.toLowerCase()] }),
                    `if ${word} means that a subtask has finished`,
                  ),
                ],
        });
  return [wordsFinding, seen("case of a status", caseOf(all).found, { behaviours: caseOf(all).behaviours })];
}

function caseOf(words: readonly string[]): { found: string; behaviours: string[] } {
  if (words.every((word) => word === word.toLowerCase())) {
    return { found: "Lower case.", behaviours: ["statusCase=lower"] };
  }
  if (words.every((word) => word === word.toUpperCase())) {
    return { found: "Upper case.", behaviours: ["statusCase=upper"] };
  }
  return { found: "Capitalized, or mixed.", behaviours: ["statusCase=capital", "statusCase=mixed"] };
}
