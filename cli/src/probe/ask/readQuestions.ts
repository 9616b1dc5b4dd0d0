import { randomUUID } from "node:crypto";
import type { ServiceTraits } from "../../../../src/resources/resource";
import { terminalStatusOf } from "../../../../src/resources/run/statuses";
import type { ActionShown } from "../../../../src/resources/task/taskPresence";
import { documentedTypes, fieldOf } from "../../../../src/resources/task/taskPresence";
import { plain, saysSuccess } from "../../../../src/service/contract/successWords";
import type { DataPage } from "../../../../src/service/contract/types";
import type { ServiceError } from "../../../../src/service/errors/errors";
import type { Answer, FittingSetting, OnTask, Probing } from "../question";
import {
  described,
  malformed,
  needsSetting,
  outcomeIn,
  readRows,
  refusalIn,
  settingOf,
  unissued,
  vocabulary,
} from "../question";
import { credentialReplyOf, meaningOf, replyOf } from "../requests";

/**
 * Proxies that can send one request twice, each with what to check in its settings. Seen with the proxies themselves.
 */
const repeating: Readonly<Record<string, string>> = {
  Varnish:
    'it repeats a POST without a body, such as a copy, on a kept connection: its vcl_recv needs return (pipe) if req.method is "POST"',
  nginx: "proxy_next_upstream must not contain non_idempotent",
  Envoy: "retry_on must not contain 5xx, gateway-error or reset for POST",
  HAProxy: "with retry-on, it needs http-request disable-l7-retry if METH_POST",
};

/**
 * Whether the responses so far name a proxy that can repeat requests, or come from a cache. Only names are shown: the
 * headers can name hosts.
 */
export async function onTheWay({ client: { answeredBy = "", cacheAge } }: Probing): Promise<Answer> {
  const named = Object.keys(repeating).filter((name) => answeredBy.toLowerCase().includes(name.toLowerCase()));
  const page = "docs/explanation/lost-responses.md lists the options.";
  if (cacheAge !== undefined) {
    const found = `A cache sent a response that it had stored ${cacheAge} s before.`;
    return { is: "problem", found, remedy: `Exclude the service from the cache. ${page}` };
  }
  if (named.length === 0) {
    return { found: "No header names a proxy that can send a request twice. A proxy need not name itself." };
  }
  return {
    is: "warning",
    found: `Headers name ${named.join(" and ")}, which can send a request twice.`,
    remedy: `Check the proxy. ${named.map((name) => `${name}: ${repeating[name]}.`).join(" ")} ${page}`,
  };
}

/** A task of a random id, and one of a malformed id, which a service can refuse in another way. */
export async function missingTask({ client, taskId }: Probing): Promise<Answer> {
  const { refusal } = await replyOf(readRows(client, unissued(taskId ?? randomUUID())));
  const ofMalformed = outcomeIn(await replyOf(readRows(client, malformed)));
  const differs = ofMalformed === outcomeIn({ refusal }) ? "" : ` A malformed id: ${ofMalformed}.`;
  if (refusal?.kind === "notFound") {
    return { found: `The package reads the refusal as that of a missing task.${differs}` };
  }
  if (refusal?.kind === "notYours") {
    const found = `The package reads the refusal as that of a task that is missing or another account's.${differs}`;
    return { found, behaviours: ["taskGone=notYours"] };
  }
  const remedy = "No setting helps. If a task is gone, a refresh cannot see it: remove the resource from the program.";
  if (refusal === undefined) {
    return { is: "warning", found: `The service responds as for a task without rows.${differs}`, remedy };
  }
  const found = `A refusal, ${refusalIn(refusal)}, which the package does not read as a missing task.${differs}`;
  const behaviours =
    refusal.code === undefined
      ? ["errorBody=html", "errorBody=empty"]
      : saysServerError(refusal)
        ? ["taskGone=serverError"]
        : [];
  return { is: "warning", found, remedy, behaviours };
}

/** Whether a refusal is an error of the service itself, by its status or its code. */
export function saysServerError({ kind, code = "" }: ServiceError): boolean {
  return kind === "outcomeUnknown" || plain(code) === "servererror";
}

/** The upload, which only a write would show, tells the two of each pair apart. */
const tokenOnly = ["credentialAcceptance=contract", "credentialAcceptance=bearerOnUpload"];
const keyToo = ["credentialAcceptance=apiKeyEverywhere", "credentialAcceptance=either"];

export async function credentials(probing: Probing): Promise<Answer> {
  const { client, clientWith, options, needsKey, taskId = malformed } = probing;
  if (needsKey) {
    const isTried = client.describeCredentials().source !== "none";
    const found = `The service accepts the API key${isTried ? ", and not the access token." : ". No access token is configured."}`;
    return needsSetting("credentials", "apiKey", { found, behaviours: keyToo });
  }
  if (options.credentials === "apiKey") {
    return { found: "The service accepts the API key.", behaviours: keyToo };
  }
  if (options.apiKey === undefined) {
    const found = "No API key is configured, so only the access token was tried.";
    return { is: "unclear", found, behaviours: [...tokenOnly, ...keyToo] };
  }
  const own = await credentialReplyOf(readRows(client, taskId));
  const withKey = await credentialReplyOf(readRows(clientWith({ credentials: "apiKey" }), taskId));
  if (meaningOf(withKey) !== meaningOf(own)) {
    return { found: "The service accepts the access token only.", behaviours: tokenOnly };
  }
  return own.refusal === undefined || own.refusal.code !== undefined
    ? { found: "The service accepts the access token, and the API key too.", behaviours: keyToo }
    : { is: "unclear", found: "The refusals look the same.", behaviours: [...tokenOnly, ...keyToo] };
}

const refreshPaths: Readonly<Record<string, string>> = { "/token": "token", "/token/refresh": "tokenRefresh" };

/**
 * Refreshes with an invented token, at each path: one that the service does not have responds as the first, which none
 * has.
 */
export async function refreshPath({ clientWith, options }: Probing): Promise<Answer> {
  const { refreshPath: present = "/token", refreshToken } = options;
  const request = { refresh_token: "webextract-probe-no-such-token", grant_type: "refresh_token" } as const;
  const meaningAt = async (path: string): Promise<string> =>
    meaningOf(await credentialReplyOf(clientWith({ refreshPath: path }).refreshToken(request)));
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
  const is = refreshToken === undefined ? "warning" : "problem";
  return {
    ...needsSetting("refreshPath", first, { found: `${found}, and not at the configured path.`, behaviours }),
    is,
  };
}

/** The actions of the usual types and of those of the settings. Undefined if the service refuses to show them. */
export async function readActions(
  { client, settings, taskId }: OnTask,
  types = [...documentedTypes, ...settings.actionTypes],
): Promise<ActionShown[] | undefined> {
  const actionTypes = [...new Set(types)].sort();
  const { response } = await replyOf(client.getActions({ taskIds: [taskId], actionTypes }));
  return response?.data.flatMap(({ actions }) => actions);
}

/** A refresh asks for loops by their type, if the service shows none without it. */
export async function actionTypes(probing: OnTask): Promise<Answer> {
  const { settings } = probing;
  const shown = await readActions(probing);
  if (shown === undefined) {
    return { is: "unclear", found: "The service refuses to show the actions of the task." };
  }
  const withoutTypes = await readActions(probing, []);
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

export async function wordsOfSuccess({ client, taskId }: OnTask): Promise<Answer> {
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

/** Of a read that shows the order of rows. */
const fewRows = 10;

/** Shown only by rows that arrive between two reads. */
export async function rowOrder({ client, taskId }: OnTask): Promise<Answer> {
  const read = async () => (await replyOf(client.getData({ taskId, offset: 0, size: fewRows }))).response?.data;
  const inJson = ({ data }: DataPage): string[] => data.map((row) => JSON.stringify(row));
  const before = await read();
  const after = await read();
  if (before === undefined || after === undefined || after.total <= before.total || before.data.length === 0) {
    return { found: "No row arrived between two reads, which would show the order. The package reads both orders." };
  }
  const [old, present] = [inJson(before), inJson(after)];
  const arrived = after.total - before.total;
  const isLast = old.every((row, at) => row === present[at]);
  const isFirst = present.slice(arrived).every((row, at) => row === old[at]);
  if (isLast === isFirst) {
    return { is: "unclear", found: "Rows arrived between two reads, and do not show their order." };
  }
  return isLast
    ? { found: "New rows come last.", behaviours: ["rowOrder=oldestFirst"] }
    : {
        found: "New rows come first, and move all others. A read follows the rows that arrive meanwhile.",
        behaviours: ["rowOrder=newestFirst"],
      };
}

/** The first size of a page that the service accepts. */
export async function firstAccepted(
  sizes: readonly number[],
  read: (size: number) => Promise<unknown>,
): Promise<number | undefined> {
  for (const size of sizes) {
    if ((await replyOf(read(size))).refusal === undefined) {
      return size;
    }
  }
  return undefined;
}

export async function pageSize({ client, options, taskId }: OnTask): Promise<Answer> {
  const { pageSize: present = 1000 } = options;
  const sizes = [present, ...[500, 200, 100, 50, 20].filter((each) => each < present)];
  const size = await firstAccepted(sizes, (each) => client.getData({ taskId, offset: 0, size: each }));
  if (size === undefined) {
    return { is: "unclear", found: "The service refuses every size that was tried." };
  }
  if (size === present) {
    return { found: `A size of ${size} is accepted.` };
  }
  const found = `A larger page is refused; ${size} rows are accepted. The package finds a smaller size by itself. The setting saves the refused requests.`;
  return { found, behaviours: ["dataPageMax"], setting: settingOf("pageSize", String(size)) };
}

/** Words of other services for a subtask that has not ended. */
export const running = "waiting sent extracting queued running pending executing processing unexecuted starting".split(
  " ",
);

export function isRunning(word: string): boolean {
  return running.includes(word.toLowerCase());
}

/** Words that mean neither an end nor, as far as is known, a subtask that runs; and the setting for the first one. */
export function foreignWords(
  words: Iterable<string>,
  { statuses }: ServiceTraits,
): { foreign: string[]; setting?: FittingSetting } {
  const foreign = [...new Set(words)].filter(
    (word) => terminalStatusOf(word, statuses) === undefined && !isRunning(word),
  );
  const [word] = vocabulary(foreign);
  if (word === undefined) {
    return { foreign };
  }
  const finished = [...statuses.finished, word.toLowerCase()];
  const when = `if ${word} means that a subtask has finished`;
  return { foreign, setting: { ...settingOf("statuses", JSON.stringify({ finished })), when } };
}

export async function subtasks({ client, settings, taskId }: OnTask): Promise<Answer> {
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
  const { foreign, setting } = foreignWords(statuses, settings);
  const found = `Their statuses: ${described(statuses)}.`;
  if (foreign.length === 0) {
    return { found };
  }
  return {
    is: "warning",
    found: `${found} Unknown words count as running: ${described(foreign)}.`,
    remedy:
      "If such a word means that a subtask has ended, add it to webextract:statuses. Otherwise a wait for the run does not end.",
    behaviours: ["statusWords=unknown"],
    setting,
  };
}
