import type { ConfigKey } from "../../config/configKeys";
import type { ServiceTraits } from "../../resources/resource";
import { terminalStatusOf } from "../../resources/run/statuses";
import type { ActionShown } from "../../resources/task/taskPresence";
import { fieldOf } from "../../resources/task/taskPresence";
import { shellQuoted } from "../../resources/values";
import type { ServiceClient } from "../../service/client";
import { saysSuccess } from "../../service/contract/successWords";
import type { ServiceError } from "../../service/errors/errors";
import { isServiceError } from "../../service/errors/errors";
import type { ServiceClientOptions } from "../../service/options";
import type { Finding } from "../findings/findings";
import { onTheWay } from "./onTheWay";

/** A setting that fits the service. */
export interface FittingSetting {
  /** With its namespace. */
  key: string;
  value: string;
  command: string;
  /** If the setting is right only under a condition. */
  when?: string;
}

/** What the responses to a question show. */
export interface Answer extends Omit<Finding, "is" | "check"> {
  /**
   * `good` (default): the package handles it. `warning`: the package handles it only in part. `problem`: the present settings do not fit. `unclear`: the
   * responses do not show it.
   */
  is?: Finding["is"] | "unclear";
  /** Names of docs/reference/behaviours.md, such as `refreshPath=token`. Several if the responses do not tell them apart. */
  behaviours?: readonly string[];
  setting?: FittingSetting;
}

/** What a question may use. */
export interface Probing {
  /** A client with the present options. */
  readonly client: ServiceClient;
  /** The same, but for these options. */
  clientWith(changes: Partial<ServiceClientOptions>): ServiceClient;
  /** The present options. */
  readonly options: ServiceClientOptions;
  /** The service accepts the API key in place of the access token, and the settings do not say so. */
  readonly needsKey?: boolean;
  readonly settings: ServiceTraits;
  /** The task of `--task`. */
  readonly taskId?: string;
}

/** One thing that is found out about the service, because a setting or the next step of the user depends on it. */
export interface Question {
  /** What is looked at, in a few words. */
  readonly check: string;
  /** The behaviours that the responses tell apart. */
  readonly behaviours: readonly string[];
  /** Whether it is asked only with `--task`. */
  readonly needsTask?: true;
  ask(probing: Probing): Promise<Answer>;
}

/** All questions, in the order in which they are asked. */
export const questions: readonly Question[] = [
  { check: "proxies on the way", behaviours: [], ask: onTheWay },
  { check: "task that does not exist", behaviours: ["errorBody", "taskGone"], ask: missingTask },
  { check: "credential of reads", behaviours: ["credentialAcceptance"], ask: credentials },
  { check: "path of the token refresh", behaviours: ["refreshPath"], ask: refreshPath },
  { check: "empty list of action types", behaviours: ["getActionsEmptyTypes"], needsTask: true, ask: actionTypes },
  { check: "words of a success", behaviours: ["successBody"], needsTask: true, ask: wordsOfSuccess },
  { check: "order of rows", behaviours: ["rowOrder"], needsTask: true, ask: rowOrder },
  { check: "size of a page of rows", behaviours: ["dataPageMax"], needsTask: true, ask: pageSize },
  { check: "subtasks of a run", behaviours: ["splitting", "statusWords"], needsTask: true, ask: subtasks },
];

/** What the questions do not find out, although services differ in it. */
export const notAsked: readonly { about: string; behaviours: readonly string[]; setting?: string; why?: string }[] = [
  { about: "which rows a mark includes", setting: "webextract:markScope", behaviours: ["markScope"] },
  {
    about: "the credential of the upload of start URLs",
    setting: "webextract:credentials",
    behaviours: ["credentialAcceptance"],
  },
  {
    about: "codes with which the service says that nothing was done",
    setting: "webextract:notExecutedCodes",
    behaviours: [],
  },
  {
    about: "whether loops inside actions are taken, and confirmed",
    behaviours: ["loopsInActions", "updatedParameters"],
  },
  { about: "the response to a start", behaviours: ["startAnswer"] },
  { about: "which operations need a paid plan", behaviours: ["plansNeeded"] },
  {
    about: "rows that others mark",
    behaviours: ["otherMarks"],
    why: "a read of rows that are not exported can hand them out",
  },
  { about: "equal rows of a batch", behaviours: ["batchRows"], why: "needs the lotNo of a run" },
  {
    about: "empty pages before the last row, and rows that arrive during a read",
    behaviours: ["emptyPageEvery", "rowsWhileReading"],
    why: "needs a read of all rows",
  },
  {
    about: "two credentials in one request",
    behaviours: ["bothCredentials"],
    why: "the package never sends two",
  },
];

/** A task that no account has. */
export const nobody = "webextract-probe-no-task";

/** A response, or the refusal in place of it. */
type Reply<Response> = { response: Response; refusal?: undefined } | { response?: undefined; refusal: ServiceError };

/** @throws ServiceError if the service did not respond, or with something that neither accepts nor refuses the request */
export async function replyOf<Response>(call: Promise<Response>): Promise<Reply<Response>> {
  try {
    return { response: await call };
  } catch (error) {
    const isPage = isServiceError(error, "outcomeUnknown") && error.code === undefined;
    if (isServiceError(error) && error.status !== undefined && error.kind !== "contract" && !isPage) {
      return { refusal: error };
    }
    throw error;
  }
}

/** What two replies have in common that mean the same. */
function meaningOf({ refusal }: Reply<unknown>): string {
  return refusal === undefined ? "accepted" : `${refusal.kind} ${refusal.status} ${refusal.code}`;
}

export function readRows(client: ServiceClient, taskId: string): ReturnType<ServiceClient["getData"]> {
  return client.getData({ taskId, offset: 0, size: 1 });
}

async function missingTask({ client }: Probing): Promise<Answer> {
  const { refusal } = await replyOf(readRows(client, nobody));
  if (refusal?.kind === "notFound") {
    return { found: "The package reads the refusal as that of a missing task." };
  }
  const remedy = "No setting helps. If a task is gone, a refresh cannot see it: remove the resource from the program.";
  if (refusal === undefined) {
    return { is: "warning", found: "The service responds as for a task without rows.", remedy };
  }
  const found = `A refusal with a status of ${refusal.status}, which the package does not read as a missing task.`;
  const behaviours = refusal.code === undefined ? ["errorBody=html", "errorBody=empty"] : ["taskGone=serverError"];
  return { is: "warning", found, remedy, behaviours };
}

/** The upload, which only a write would show, tells the two of each pair apart. */
const tokenOnly = ["credentialAcceptance=contract", "credentialAcceptance=bearerOnUpload"];
const keyToo = ["credentialAcceptance=apiKeyEverywhere", "credentialAcceptance=either"];

async function credentials({ client, clientWith, options, needsKey, taskId = nobody }: Probing): Promise<Answer> {
  if (needsKey) {
    const setting = settingOf("credentials", "apiKey");
    const found = "The service accepts the API key, and not the access token.";
    return { is: "problem", found, remedy: `Run: ${setting.command}`, behaviours: keyToo, setting };
  }
  if (options.credentials === "apiKey") {
    return { found: "The service accepts the API key.", behaviours: keyToo };
  }
  if (options.apiKey === undefined) {
    const found = "No API key is configured, so only the access token was tried.";
    return { is: "unclear", found, behaviours: [...tokenOnly, ...keyToo] };
  }
  const own = await replyOf(readRows(client, taskId));
  const withKey = await replyOf(readRows(clientWith({ credentials: "apiKey" }), taskId));
  if (meaningOf(withKey) !== meaningOf(own)) {
    return { found: "The service accepts the access token only.", behaviours: tokenOnly };
  }
  return own.refusal === undefined || own.refusal.code !== undefined
    ? { found: "The service accepts the access token, and the API key too.", behaviours: keyToo }
    : { is: "unclear", found: "The refusals look the same.", behaviours: [...tokenOnly, ...keyToo] };
}

const refreshPaths: Readonly<Record<string, string>> = { "/token": "token", "/token/refresh": "tokenRefresh" };

/** Refreshes with an invented token, at each path: one that the service does not have responds as the first, which none has. */
async function refreshPath({ clientWith, options }: Probing): Promise<Answer> {
  const { refreshPath: present = "/token", refreshToken } = options;
  const request = { refresh_token: "webextract-probe-no-such-token", grant_type: "refresh_token" } as const;
  const meaningAt = async (path: string): Promise<string> =>
    meaningOf(await replyOf(clientWith({ refreshPath: path }).refreshToken(request)));
  const unknown = await meaningAt("/webextract-probe-no-path");
  const known: string[] = [];
  for (const path of new Set([...Object.keys(refreshPaths), present])) {
    known.push(...((await meaningAt(path)) === unknown ? [] : [path]));
  }
  const [first] = known;
  if (first === undefined) {
    return { is: "unclear", found: "The service refuses a refresh as it refuses a path that it does not have." };
  }
  const usual = known.filter((path) => path in refreshPaths);
  const behaviours =
    usual.length === 2 ? ["refreshPath=both"] : usual.map((path) => `refreshPath=${refreshPaths[path]}`);
  const found = `The service refreshes tokens at ${usual.join(" and ") || "the configured path"}`;
  if (known.includes(present)) {
    return { found: `${found}.`, behaviours };
  }
  const setting = settingOf("refreshPath", first);
  const is = refreshToken === undefined ? "warning" : "problem";
  return {
    is,
    found: `${found}, and not at the configured path.`,
    remedy: `Run: ${setting.command}`,
    behaviours,
    setting,
  };
}

/** The types that public documentation of such services names. */
const usualTypes = ["EnterTextAction", "LoopAction", "NavigateAction"];

/** A refresh asks for loops by their type, if the service shows none without it. */
async function actionTypes({ client, settings, taskId = "" }: Probing): Promise<Answer> {
  const actionsOf = async (types: string[]): Promise<ActionShown[] | undefined> => {
    const { response } = await replyOf(client.getActions({ taskIds: [taskId], actionTypes: types }));
    return response?.data.flatMap(({ actions }) => actions);
  };
  const shown = (await actionsOf([...new Set([...usualTypes, ...settings.actionTypes])].sort())) ?? [];
  const withoutTypes = await actionsOf([]);
  if (withoutTypes !== undefined && withoutTypes.length > 0) {
    const found = `All actions of the task, ${describeTypes(withoutTypes)}.`;
    return { found, behaviours: ["getActionsEmptyTypes=all"] };
  }
  if (withoutTypes !== undefined && shown.length === 0) {
    const behaviours = ["getActionsEmptyTypes=none", "getActionsEmptyTypes=all"];
    return { is: "unclear", found: "The service shows no action of the task, with types or without.", behaviours };
  }
  const behaviours = [`getActionsEmptyTypes=${withoutTypes === undefined ? "refused" : "none"}`];
  const found = `${withoutTypes === undefined ? "A refusal." : "No actions."} With the usual types, it shows actions ${describeTypes(shown)}.`;
  const loops = shown.filter((action) => fieldOf(action, "loopItems") !== undefined);
  const lacking = vocabulary(typesOf(loops)).filter((type) => !settings.actionTypes.includes(type));
  if (lacking.length === 0) {
    return { found, behaviours };
  }
  const then = " With the type of the loops in webextract:actionTypes, a refresh finds changes of their lists.";
  const setting = settingOf("actionTypes", [...settings.actionTypes, ...lacking].join(","));
  return { found: found + then, behaviours, setting };
}

function typesOf(actions: readonly ActionShown[]): unknown[] {
  return actions.map((action) => fieldOf(action, "actionType")).sort();
}

function describeTypes(actions: readonly ActionShown[]): string {
  return actions.length === 0 ? "of no type" : `of the types ${described(typesOf(actions))}`;
}

async function wordsOfSuccess({ client, taskId = "" }: Probing): Promise<Answer> {
  const { response } = await replyOf(readRows(client, taskId));
  if (response === undefined) {
    return { is: "unclear", found: "The service shows no rows of the task." };
  }
  return saysSuccess((response as { error?: unknown }).error)
    ? {
        found: "A success has a word in `error`, which the package reads as a success.",
        behaviours: ["successBody=words", "successBody=wordsWithoutData"],
      }
    : { found: "A success has no `error`." };
}

/** Shown only by rows that arrive between two reads. */
async function rowOrder({ client, taskId = "" }: Probing): Promise<Answer> {
  const read = async () => (await replyOf(client.getData({ taskId, offset: 0, size: 2 }))).response?.data;
  const before = await read();
  const after = await read();
  if (before === undefined || after === undefined || after.total <= before.total || before.data.length === 0) {
    return { found: "No row arrived between two reads, which would show the order. The package reads both orders." };
  }
  const [first, second] = [before, after].map(({ data }) => JSON.stringify(data[0]));
  return first === second
    ? { found: "New rows come last.", behaviours: ["rowOrder=oldestFirst"] }
    : {
        found: "New rows come first, and move all others. A read follows the rows that arrive meanwhile.",
        behaviours: ["rowOrder=newestFirst"],
      };
}

async function pageSize({ client, options, taskId = "" }: Probing): Promise<Answer> {
  const { pageSize: present = 1000 } = options;
  for (const size of [present, ...[500, 200, 100, 50, 20].filter((each) => each < present)]) {
    const { response } = await replyOf(client.getData({ taskId, offset: 0, size }));
    if (response !== undefined && size === present) {
      return { found: `A size of ${size} is accepted.` };
    }
    if (response !== undefined) {
      const found = `A larger page is refused; ${size} rows are accepted. The package finds a smaller size by itself. The setting saves the refused requests.`;
      return { found, behaviours: ["dataPageMax"], setting: settingOf("pageSize", String(size)) };
    }
  }
  return { is: "unclear", found: "The service refuses every size that was tried." };
}

/** Words of other services for a subtask that has not ended. */
const running = "waiting sent extracting queued running pending executing processing unexecuted starting".split(" ");

async function subtasks({ client, settings, taskId = "" }: Probing): Promise<Answer> {
  const { response } = await replyOf(client.getSubtasks({ taskId, page: 1, size: 20 }));
  if (response === undefined) {
    return { is: "unclear", found: "The service shows no list of them." };
  }
  if (response.data.length === 0) {
    const rows = await replyOf(readRows(client, taskId));
    if (!rows.response?.data.data.length) {
      return { is: "unclear", found: "The list is empty, as before the first run." };
    }
    const remedy =
      'If a run of this task lists no subtasks, wait for rows that settle: finishedWhen: "rowsSettled" of a CloudRun, --finished-when rowsSettled of run.';
    const behaviours = ["splitting=listsOnly", "splitting=never"];
    return { is: "warning", found: "The list is empty, although the task has rows.", remedy, behaviours };
  }
  const statuses = [...new Set(response.data.map(({ status }) => status))].sort();
  const foreign = statuses.filter(
    (word) => terminalStatusOf(word, settings.statuses) === undefined && !running.includes(word.toLowerCase()),
  );
  const found = `Their statuses: ${described(statuses)}.`;
  if (foreign.length === 0) {
    return { found };
  }
  const [word] = vocabulary(foreign);
  const finished = [...settings.statuses.finished, word?.toLowerCase()];
  return {
    is: "warning",
    found: `${found} Unknown words count as running: ${described(foreign)}.`,
    remedy:
      "If such a word means that a subtask has ended, add it to webextract:statuses. Otherwise a wait for the run does not end.",
    behaviours: ["statusWords=unknown"],
    setting:
      word === undefined
        ? undefined
        : {
            ...settingOf("statuses", JSON.stringify({ finished })),
            when: `if ${word} means that a subtask has finished`,
          },
  };
}

function settingOf(name: ConfigKey, value: string): FittingSetting {
  const key = `webextract:${name}`;
  return { key, value, command: `pulumi config set ${key} ${shellQuoted(value)}` };
}

/**
 * Words of the service's own vocabulary, each once: statuses and types of actions. Reports are attached to public issues, so no other text of a response is
 * shown: it could be data.
 */
function vocabulary(words: readonly unknown[]): string[] {
  const isWord = (word: unknown): word is string =>
    typeof word === "string" && /^[A-Za-z][A-Za-z._ -]{0,39}$/.test(word);
  return [...new Set(words)].filter(isWord);
}

function described(words: readonly unknown[]): string {
  const shown = vocabulary(words);
  const left = new Set(words).size - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more, which could be data`])].join(", ");
}
