import { terminalStatusOf } from "../../resources/run/subtaskList";
import type { ActionShown } from "../../resources/task/taskPresence";
import { fieldOf } from "../../resources/task/taskPresence";
import type { RawRequest } from "../../service/rawClient";
import type { Answer, FittingSetting, Probing, Question } from "./question";
import { remedyOf, settingOf } from "./question";
import type { BodyForm, Reply } from "./reply";

/** A task that no account has. */
export const nobody = "webextract-probe-no-task";

type Asked = Omit<RawRequest, "credential">;

export function readRows(taskId: string, size: number): Asked {
  return { operation: "getData", query: { taskId, offset: 0, size } };
}

function readSubtasks(taskId: string, size: number): Asked {
  return { operation: "getSubtasks", query: { taskId, page: 1, size } };
}

function readActions(taskId: string, actionTypes: readonly string[]): Asked {
  return { operation: "getActions", json: { taskIds: [taskId], actionTypes } };
}

/** A refresh with an invented token, at this path. */
function refreshNothing(path: string): RawRequest {
  const json = { refresh_token: "webextract-probe-no-such-token", grant_type: "refresh_token" };
  return { operation: "refreshToken", path, json, credential: "none" };
}

/** All questions that send requests, in the order in which they are asked. */
export const questions: readonly Question[] = [
  { check: "body of an error", behaviours: ["errorBody"], ask: errorBody },
  { check: "task that does not exist", behaviours: ["taskGone"], ask: taskGone },
  { check: "access token that is not valid", behaviours: ["expiredToken"], ask: wrongToken },
  { check: "credential of reads", behaviours: ["credentialAcceptance"], ask: credentials },
  { check: "path of the token refresh", behaviours: ["refreshPath"], ask: refreshPath },
  { check: "empty list of action types", behaviours: ["getActionsEmptyTypes"], needsTask: true, ask: actionTypes },
  { check: "size of a page of rows", behaviours: ["dataPageMax"], needsTask: true, ask: pageSize },
  { check: "subtasks of a run", behaviours: ["splitting", "statusWords"], needsTask: true, ask: subtasks },
];

/** They send nothing: they look at how the others went. */
export const closingQuestions: readonly Question[] = [
  { check: "rate of requests", behaviours: ["requestsPerSecond", "refuseEvery"], ask: rate },
  { check: "contract", behaviours: [], ask: breaches },
];

const forms: Record<BodyForm, string> = {
  envelope: "An object error with code and message.",
  legacy: "The fields error and error_Description, as in older services.",
  html: "A page of HTML.",
  empty: "No body.",
  json: "JSON of another form.",
  text: "Text that is not JSON.",
};

async function errorBody({ asker }: Probing): Promise<Answer> {
  const { failure, form } = await asker.ask(readRows(nobody, 1));
  if (failure === undefined) {
    return { is: "unclear", found: "The service does not refuse a read of a task that does not exist." };
  }
  const behaviours = form === "json" || form === "text" ? [] : [`errorBody=${form}`];
  if (form === "envelope" || form === "legacy" || failure.code !== undefined) {
    return { found: forms[form], behaviours };
  }
  const remedy =
    "No setting helps. The package cannot tell such a refusal from a page of a proxy, so it cannot see that a task is gone.";
  return { is: "warning", found: forms[form], remedy, behaviours };
}

async function taskGone({ asker }: Probing): Promise<Answer> {
  const { failure, status } = await asker.ask(readRows(nobody, 1));
  if (failure === undefined) {
    const remedy = "No setting helps. A refresh cannot see by its rows that a task is gone.";
    return { is: "warning", found: "The service responds as for a task without rows.", remedy };
  }
  const found = `A refusal with a status of ${status}.`;
  if (failure.code === undefined) {
    return { is: "unclear", found: `${found} It has no code.` };
  }
  if (failure.kind === "notFound") {
    const isNamed = failure.said?.includes(nobody) === true;
    const value = status === 404 ? "notFound" : isNamed ? "invalidTaskId" : "unnamed";
    return { found, behaviours: [`taskGone=${value}`] };
  }
  const remedy = "No setting helps. A refresh of a task that is gone fails: remove the resource from the program.";
  const isServerError = failure.kind === "outcomeUnknown";
  const behaviours = isServerError ? ["taskGone=serverError"] : [];
  return { is: "warning", found: `${found} The package does not read it as a missing task.`, remedy, behaviours };
}

const refusalsOfTokens = ["expiredToken=status400", "expiredToken=status401", "expiredToken=status403"];

async function wrongToken({ asker, taskId = nobody }: Probing): Promise<Answer> {
  const { failure, status } = await asker.ask({ ...readRows(taskId, 1), credential: "madeUp" });
  if (failure === undefined) {
    const remedy = "Check that baseUrl is the service itself.";
    return { is: "warning", found: "The service accepts it.", remedy };
  }
  const found = `A refusal with a status of ${status}.`;
  const behaviours = refusalsOfTokens.filter((value) => value === `expiredToken=status${status}`);
  if (failure.kind === "credential" || failure.perhapsToken === true) {
    return { found, behaviours };
  }
  const remedy =
    "No setting helps. The package does not renew an expired token. Renew it before a long up: webextract token refresh.";
  return { is: "warning", found: `${found} Nothing in it says that it is about the token.`, remedy, behaviours };
}

/** The upload, which only a write would show, tells the two of each pair apart. */
const tokenOnly = ["credentialAcceptance=contract", "credentialAcceptance=bearerOnUpload"];
const keyToo = ["credentialAcceptance=apiKeyEverywhere", "credentialAcceptance=either"];

async function credentials({ asker, options, taskId = nobody }: Probing): Promise<Answer> {
  if (asker.credential === "apiKey") {
    const setting = settingOf("credentials", "apiKey");
    const found = "The service accepts the API key, and not the access token.";
    return { is: "problem", found, remedy: remedyOf(setting), behaviours: keyToo, setting };
  }
  if (options.credentials === "apiKey") {
    return { found: "The service accepts the API key.", behaviours: keyToo };
  }
  if (options.apiKey === undefined) {
    const found = "No API key is configured, so only the access token was tried.";
    return { is: "unclear", found, behaviours: [...tokenOnly, ...keyToo] };
  }
  const own = await asker.ask(readRows(taskId, 1));
  const withKey = await asker.ask({ ...readRows(taskId, 1), credential: "apiKey" });
  if (withKey.signature !== own.signature) {
    return { found: "The service accepts the access token only.", behaviours: tokenOnly };
  }
  return own.isAccepted || own.failure?.code !== undefined
    ? { found: "The service accepts the access token, and the API key too.", behaviours: keyToo }
    : { is: "unclear", found: "The refusals look the same.", behaviours: [...tokenOnly, ...keyToo] };
}

const refreshPaths: Readonly<Record<string, string>> = { "/token": "token", "/token/refresh": "tokenRefresh" };
/** No service has it: the response to it is that for an unknown path. */
const noPath = "/webextract-probe-no-path";

async function refreshPath({ asker, options }: Probing): Promise<Answer> {
  const { refreshPath: present = "/token", refreshToken } = options;
  const unknown = await asker.ask(refreshNothing(noPath));
  const known: string[] = [];
  for (const path of new Set([...Object.keys(refreshPaths), present])) {
    if ((await asker.ask(refreshNothing(path))).signature !== unknown.signature) {
      known.push(path);
    }
  }
  const [first] = known;
  if (first === undefined) {
    return { is: "unclear", found: "The service refuses a refresh as it refuses a path that it does not have." };
  }
  const usual = known.filter((path) => path in refreshPaths);
  const value = usual.length === 2 ? "both" : refreshPaths[first];
  const behaviours = value === undefined ? [] : [`refreshPath=${value}`];
  const found = `The service refreshes tokens at ${usual.join(" and ") || "the configured path"}`;
  if (known.includes(present)) {
    return { found: `${found}.`, behaviours };
  }
  const setting = settingOf("refreshPath", first);
  const is = refreshToken === undefined ? "warning" : "problem";
  return { is, found: `${found}, and not at the configured path.`, remedy: remedyOf(setting), behaviours, setting };
}

/** The types that public documentation of such services names. */
const usualTypes = ["EnterTextAction", "LoopAction", "NavigateAction"];

/** A refresh asks for loops by their type, if the service shows none without it. */
async function actionTypes({ asker, settings, words, taskId = "" }: Probing): Promise<Answer> {
  const typed = await asker.ask(readActions(taskId, [...new Set([...usualTypes, ...settings.actionTypes])].sort()));
  const empty = await asker.ask(readActions(taskId, []));
  if (actionsIn(empty).length > 0) {
    return {
      found: `All actions of the task, ${describeTypes(actionsIn(empty), words)}.`,
      behaviours: ["getActionsEmptyTypes=all"],
    };
  }
  const shown = actionsIn(typed);
  if (shown.length === 0 && empty.isAccepted) {
    const behaviours = ["getActionsEmptyTypes=none", "getActionsEmptyTypes=all"];
    return { is: "unclear", found: "The service shows no action of the task, with types or without.", behaviours };
  }
  const loops = shown.filter((action) => fieldOf(action, "loopItems") !== undefined);
  const types = loops.flatMap((action) => words.shown(fieldOf(action, "actionType")) ?? []);
  const lacking = [...new Set(types)].filter((type) => !settings.actionTypes.includes(type));
  const setting =
    lacking.length === 0 ? undefined : settingOf("actionTypes", [...settings.actionTypes, ...lacking].join(","));
  const found = `${empty.isAccepted ? "No actions." : "A refusal."} With the usual types, it shows actions ${describeTypes(shown, words)}.`;
  const then = " With the type of the loops in webextract:actionTypes, a refresh finds changes of their lists.";
  const behaviours = [`getActionsEmptyTypes=${empty.isAccepted ? "none" : "refused"}`];
  return { found: setting === undefined ? found : found + then, behaviours, setting };
}

function describeTypes(actions: readonly ActionShown[], words: Probing["words"]): string {
  const types = actions.map((action) => fieldOf(action, "actionType"));
  return types.length === 0 ? "of no type" : `of the types ${words.list(types.sort())}`;
}

function actionsIn(reply: Reply): ActionShown[] {
  return reply.read("getActions")?.data.flatMap(({ actions }) => actions) ?? [];
}

/** Sizes of pages to try, with those that a refusal names. */
const smallerSizes = [500, 200, 100, 50, 20, 10, 5, 1];

/** The largest size that the service accepts; undefined if it refuses all. */
async function largestSize(most: number, ask: (size: number) => Promise<Reply>): Promise<number | undefined> {
  const { isAccepted, failure } = await ask(most);
  const named = (failure?.said?.match(/\d+/g) ?? []).map(Number).filter((size) => size > 0 && size < most);
  const sizes = isAccepted ? [most] : [...new Set([...named.slice(0, 3), ...smallerSizes])];
  for (const size of sizes.filter((each) => each <= most)) {
    if ((await ask(size)).isAccepted) {
      return size;
    }
  }
  return undefined;
}

async function pageSize({ asker, options, taskId = "" }: Probing): Promise<Answer> {
  const most = options.pageSize ?? 1000;
  const size = await largestSize(most, (each) => asker.ask(readRows(taskId, each)));
  if (size === undefined) {
    return { is: "unclear", found: "The service refuses every size that was tried." };
  }
  if (size === most) {
    return { found: `A size of ${most} is accepted.` };
  }
  const found = `A larger page is refused; ${size} rows are accepted. The package finds a smaller size by itself. The setting saves the refused requests.`;
  return { found, behaviours: ["dataPageMax"], setting: settingOf("pageSize", String(size)) };
}

/** Words of other services for a subtask that has not ended. */
const running = "waiting sent extracting queued running pending executing processing unexecuted starting".split(" ");

async function subtasks({ asker, settings, words, taskId = "" }: Probing): Promise<Answer> {
  const size = await largestSize(100, (each) => asker.ask(readSubtasks(taskId, each)));
  const list = size && (await asker.ask(readSubtasks(taskId, size))).read("getSubtasks")?.data;
  if (list === undefined || list === 0) {
    return { is: "unclear", found: "The service shows no list of them." };
  }
  if (list.length === 0) {
    const hasRows = (await asker.ask(readRows(taskId, 1))).read("getData")?.data.data.length;
    if (hasRows !== 1) {
      return { is: "unclear", found: "The list is empty, as before the first run." };
    }
    const remedy =
      'If a run of this task lists no subtasks, wait for rows that settle: finishedWhen: "rowsSettled" of a CloudRun, --finished-when rowsSettled of run.';
    const behaviours = ["splitting=listsOnly", "splitting=never"];
    return { is: "warning", found: "The list is empty, although the task has rows.", remedy, behaviours };
  }
  const statuses = [...new Set(list.map(({ status }) => status))].sort();
  const foreign = statuses.filter(
    (word) => terminalStatusOf(word, settings.statuses) === undefined && !running.includes(word.toLowerCase()),
  );
  const found = `Their statuses: ${words.list(statuses)}.`;
  if (foreign.length === 0) {
    return { found };
  }
  const [word] = foreign.flatMap((each) => words.shown(each) ?? []);
  return {
    is: "warning",
    found: `${found} Unknown words count as running: ${words.list(foreign)}.`,
    remedy:
      "If such a word means that a subtask has ended, add it to webextract:statuses. Otherwise a wait for the run does not end.",
    behaviours: ["statusWords=unknown"],
    setting: word === undefined ? undefined : statusSetting(word, settings),
  };
}

function statusSetting(word: string, { statuses }: Probing["settings"]): FittingSetting {
  const finished = [...statuses.finished, word.toLowerCase()];
  return settingOf("statuses", JSON.stringify({ finished }), `if ${word} means that a subtask has finished`);
}

async function rate({ asker }: Probing): Promise<Answer> {
  return asker.limited === 0
    ? { found: "No request was refused because of it." }
    : {
        found: "The service refuses requests because there are too many. The package slows down by itself.",
        behaviours: ["requestsPerSecond", "refuseEvery"],
      };
}

/** The package refuses such a response, whatever the settings. */
async function breaches({ asker: { replies } }: Probing): Promise<Answer | undefined> {
  const all = replies.flatMap(({ request, breach }) =>
    breach === undefined ? [] : [`${request.operation}: ${breach}`],
  );
  const found = [...new Set(all)].join(" ");
  const remedy = "No setting helps: the package refuses this response. Report it.";
  return found === "" ? undefined : { is: "warning", found, remedy };
}
