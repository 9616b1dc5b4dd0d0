import { terminalStatusOf } from "../../../../src/resources/run/statuses";
import { readResponse } from "../../../../src/service/contract/responses";
import type { StartedRun } from "../../../../src/service/contract/types";
import { isServiceError } from "../../../../src/service/errors/errors";
import type { Answer, OnCopy, OnRun, TrialRun } from "../question";
import { described, needsSetting, readRows, refusalIn, refused, shapeOf, vocabulary } from "../question";
import { fieldAt, replyOf } from "../requests";
import { foreignWords, isRunning, running } from "./readQuestions";

/** The one start. */
export async function start({ client, requests, trial, taskId, options }: OnCopy): Promise<Answer> {
  trial.making("run");
  const begun = requests.now;
  let body: Buffer;
  try {
    body = await client.send("startTask", { request: { taskId } });
  } catch (error) {
    if (!isServiceError(error)) {
      throw error;
    }
    if (error.outcome === "notExecuted") {
      trial.made();
      return refused(error, "CloudRun cannot start runs with this account.");
    }
    trial.lost = "run";
    return {
      is: "problem",
      found: `No response that shows the run (${error.kind}). A run of the copy may have started. It is not started again.`,
      remedy: "Look for the run in the service's own interface.",
    };
  }
  const { lotNo, status } = startedRun(body) ?? {};
  trial.run = { begun, looks: [], totals: [], hasEnded: false, lotNo, startStatus: status };
  trial.made();
  if (lotNo !== undefined) {
    const found = `A lotNo (${shapeOf(lotNo)}) and ${status ? `the status ${described([status])}` : "no status"}.`;
    return { found, behaviours: ["startResponse=data"] };
  }
  const data = fieldAt(requests.last?.body, "data");
  const isKnown = data === true || data === null;
  const found = `The response has no lotNo: its data is ${isKnown ? String(data) : `a ${typeof data}`}. Export such runs with scope notExported, or all with checks.`;
  const behaviours = isKnown ? [`startResponse=${data}`] : [];
  if (startedRun(body, true) === undefined) {
    const limitation =
      "CloudRun ends with an error that says that a run may exist, although it runs: start runs in the service's own interface.";
    return { is: "problem", found, behaviours, limitation };
  }
  return options.startsWithoutLotNo === true
    ? { found, behaviours }
    : needsSetting("startsWithoutLotNo", "true", { found, behaviours });
}

/** As the client reads it; undefined if the response has no lotNo. */
function startedRun(body: Buffer, withoutLotNo = false): StartedRun | undefined {
  try {
    return readResponse("startTask", body, {}, withoutLotNo).data;
  } catch {
    return undefined;
  }
}

/** A change of the copy right after its start. Whether the run had begun or ended, the next question shows. */
export async function changeWhileRunning({ clientWith, trial, taskId }: OnRun): Promise<Answer> {
  const { property, loop, run } = trial;
  const action = property ?? loop;
  if (action === undefined) {
    return { is: "unclear", found: "The service shows no action of the copy." };
  }
  const { actionId, actionType } = action;
  const properties = property === undefined ? [] : [{ name: property.name, value: property.value }];
  const impatient = clientWith({ busyTimeoutSeconds: 0 });
  const { refusal } = await replyOf(
    impatient.updateActionProperties({ taskId, actions: [{ actionId, actionType, properties }] }),
  );
  if (refusal?.kind === "busy") {
    const found = `A refusal while the task runs: ${refusalIn(refusal)}. The package waits for the end of the run.`;
    return { found, behaviours: ["changeWhileRunning=refused"] };
  }
  if (refusal !== undefined) {
    const limitation =
      "A change of a running task ends with an error: wait for the end of a run before you change its task.";
    return refused(refusal, limitation);
  }
  run.changeAccepted = true;
  return { is: "unclear", found: "Accepted, right after the start. The run may not have begun, or may have ended." };
}

/** For runs whose subtasks do not tell the end of their rows. */
export const rowsSettled = 'finishedWhen: "rowsSettled" of each CloudRun';

/** Seconds that the reads of the list take together, at most. */
const longestCourse = 840;
/** Seconds of the shortest wait between two of them: a run of a minute is read eight times. */
const shortestWait = 3;
/** Reads of the list that show nothing before the rows are looked at. */
const patience = 4;

/**
 * Reads the list until nothing in it runs. All waits together are one and a half times as long after each read, and no
 * longer than `longestCourse`. A list that stays empty is given up when rows have settled.
 */
export async function course({ client, requests, settings, trial, taskId }: OnRun): Promise<Answer> {
  const { run } = trial;
  const begun = Date.now();
  let wait = 0;
  let waited = 0;
  let settled = 0;
  while (!run.hasEnded && settled < 2 && requests.left > 0 && waited + wait <= longestCourse) {
    await trial.sleep(wait * 1000);
    waited += wait;
    wait = Math.max(shortestWait, waited / 2);
    const { response, refusal } = await replyOf(client.getSubtasks({ taskId, page: 1, size: 10 }));
    if (response === undefined) {
      const found = `A refusal of the list: ${refusalIn(refusal)}.`;
      return { ...refused(refusal, "CloudRun cannot wait."), found };
    }
    const ids = response.data.map(({ subTaskId }) => subTaskId);
    const statuses = response.data.map(({ status }) => status);
    run.looks.push({ seconds: Math.round((Date.now() - begun) / 1000), ids, statuses });
    const runs = (word: string): boolean => terminalStatusOf(word, settings.statuses) === undefined && isRunning(word);
    run.hasEnded = ids.length > 0 && !statuses.some(runs);
    if (ids.length > 0 && !run.hasEnded && run.during === undefined && requests.left > 0) {
      run.during = (await replyOf(readRows(client, taskId))).response?.data.total;
    }
    if (ids.length === 0 && run.looks.length >= patience && requests.left > 0) {
      const total = (await replyOf(readRows(client, taskId))).response?.data.total;
      settled = total !== undefined && total > 0 && total === run.totals.at(-1) ? settled + 1 : 0;
      run.totals.push(...(total === undefined ? [] : [total]));
    }
  }
  if (run.looks.length === 0) {
    return { is: "unclear", found: "Not asked: the requests for it were used up before." };
  }
  const words = run.looks.flatMap(({ statuses }) => statuses);
  if (words.length === 0) {
    return emptyList(run, settled >= 2);
  }
  const changes = run.looks.filter(({ statuses }, at) => !sameWords(statuses, run.looks[at - 1]?.statuses));
  const times = changes.map(({ seconds, statuses }) =>
    statuses.length === 0 ? `${seconds} s: an empty list` : `${seconds} s: ${described(statuses)}`,
  );
  const end = run.hasEnded ? "" : " The run had not ended.";
  const shown = run.looks.find(({ ids }) => ids.length > 0)?.ids[0];
  const during = run.during === undefined ? "" : ` Rows while it ran: ${run.during}.`;
  const found = `${times.join("; ")}.${end}${during} Id of a subtask: ${shapeOf(shown)}.`;
  const behaviours = behavioursOf(trial, words, requests.isExactSince(run.begun));
  const answer: Answer = { found, behaviours };
  const { foreign, setting } = foreignWords(words, settings);
  const failed = run.looks.at(-1)?.statuses.some((word) => terminalStatusOf(word, settings.statuses) === "failed");
  if (setting === undefined && failed === true) {
    const remedy = "Look why it failed in the service's own interface, and probe with a task that works.";
    return { ...answer, is: "warning", found: `${found} The run failed.`, remedy };
  }
  if (setting === undefined) {
    return run.hasEnded ? answer : { ...answer, is: "unclear" };
  }
  const shownWords = vocabulary(foreign).join(", ");
  return {
    ...answer,
    is: "problem",
    remedy: `${shownWords} counts as running, so a wait does not end. If it means that a subtask has finished, set webextract:statuses.`,
    setting,
  };
}

function sameWords(one: readonly string[], other: readonly string[] | undefined): boolean {
  return JSON.stringify([...new Set(one)].sort()) === JSON.stringify(other && [...new Set(other)].sort());
}

function emptyList({ looks, totals }: TrialRun, hasSettled: boolean): Answer {
  const hasRows = totals.some((total) => total > 0);
  const rows = hasRows ? ", although rows came" : totals.length > 0 ? ", and no row came" : "";
  const found = `The list stayed empty for ${looks.at(-1)?.seconds ?? 0} s${rows}.`;
  const usedUp = hasRows ? " The rows had not settled." : "";
  return hasSettled
    ? {
        is: "problem",
        found,
        argument: rowsSettled,
        remedy:
          'A wait needs finishedWhen: "rowsSettled" of a CloudRun, and --finished-when rowsSettled of "webextract run".',
        behaviours: ["splitting=never", "splitting=listsOnly"],
      }
    : { is: "unclear", found: `${found}${usedUp}` };
}

function behavioursOf({ run }: OnRun["trial"], words: readonly string[], isExact: boolean): string[] {
  const { looks, startStatus } = run;
  const first = looks.findIndex(({ ids }) => ids.length > 0);
  const notEnded = looks.slice(first).filter(({ statuses }) => statuses.some(isRunning));
  return [
    ...vocabulariesWith([...words, startStatus ?? ""]).map((value) => `statusWords=${value}`),
    ...caseOf(words, startStatus),
    // The service counts a read whose response was lost.
    ...(isExact ? [`subtaskListLag=${first}`] : []),
    ...(isExact && run.hasEnded ? [`readsUntilFinished=${notEnded.length}`] : []),
    // A run of a task without a list could have none.
    ...["splitting=always", "splitting=listsOnly"],
    ...(run.changeAccepted === true && notEnded.length > 0 ? ["changeWhileRunning=accepted"] : []),
  ];
}

const withoutFailed = ["waiting", "extracting", "stopped", "finished"];
const usualWords = [...withoutFailed, "failed"];

/** The words of each vocabulary of the emulator, in lower case. */
const vocabularies: Readonly<Record<string, readonly string[]>> = {
  usual: usualWords,
  noFailed: withoutFailed,
  withSent: [...usualWords, "sent"],
  sentNoFailed: [...withoutFailed, "sent"],
  synonyms: ["queued", "running", "stopped", "completed", "error"],
};

/** The vocabularies that have all words, the likeliest first. */
function vocabulariesWith(words: readonly string[]): string[] {
  const used = words.map((word) => word.toLowerCase()).filter((word) => word !== "");
  const known = [...Object.values(vocabularies).flat(), ...running];
  const fitting = Object.keys(vocabularies).filter((name) => used.every((word) => vocabularies[name]?.includes(word)));
  // Only its word for a subtask that has finished is none of these.
  const isUnknown = used.every((word) => (usualWords.includes(word) && word !== "finished") || !known.includes(word));
  return [...fitting, ...(isUnknown ? ["unknown"] : [])];
}

function caseOf(words: readonly string[], startStatus = ""): string[] {
  if (words.every((word) => word === word.toLowerCase())) {
    return ["statusCase=lower"];
  }
  if (words.every((word) => word === word.toUpperCase())) {
    return ["statusCase=upper"];
  }
  if (startStatus === "") {
    // Only the response to a start tells the two apart.
    return ["statusCase=capital", "statusCase=mixed"];
  }
  return [`statusCase=${startStatus === startStatus.toLowerCase() ? "mixed" : "capital"}`];
}
