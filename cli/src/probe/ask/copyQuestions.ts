import type { ActionShown } from "../../../../src/resources/task/taskPresence";
import { documentedTypes, fieldOf, itemsOf, pairOf } from "../../../../src/resources/task/taskPresence";
import { operations } from "../../../../src/service/contract/operations";
import { saysSuccess } from "../../../../src/service/contract/successWords";
import { isServiceError } from "../../../../src/service/errors/errors";
import { statusSays } from "../../../../src/service/errors/failures";
import { isPlainMap } from "../../../../src/values/plain";
import { clockFinding } from "../../doctor/findings";
import type { Answer, OnCopy, OnTrial, Probing, Trial } from "../question";
import {
  described,
  malformed,
  needsSetting,
  noteCode,
  outcomeIn,
  refusalIn,
  settingOf,
  shapeOf,
  unissued,
} from "../question";
import type { RawResponse, Reply } from "../requests";
import { credentialReplyOf, fieldAt, replyOf } from "../requests";
import { accessTokenOf, fileOf } from "./operationQuestions";
import { firstAccepted, readActions, saysServerError } from "./readQuestions";

/**
 * The one copy.
 * @throws ServiceError if the service refuses it, and so none exists
 */
export async function copyTask({ client, trial }: OnTrial): Promise<Answer> {
  trial.making("copy");
  try {
    const { data } = await client.copyTask({ taskId: trial.from, taskGroupId: trial.group });
    trial.taskId = data.taskId;
    trial.made();
    return { found: `The response has the id of the new task: ${shapeOf(data.taskId)}.` };
  } catch (error) {
    if (!isServiceError(error) || error.outcome === "notExecuted") {
      trial.made();
      throw error;
    }
    trial.lost = "copy";
    return {
      is: "problem",
      found: `No response that shows the new task (${error.kind}). A copy may exist. It is not sent again.`,
      remedy:
        "Look for the copy in the service's own interface. To go on with it is not possible: run the probe again.",
    };
  }
}

export async function idShapes({ trial, requests, taskId }: OnCopy): Promise<Answer> {
  const requestId = requests.responses.map(({ body }) => fieldAt(body, "requestId")).find((id) => id !== undefined);
  const [action] = trial.actions;
  const shapes = [
    `task: ${shapeOf(taskId)}`,
    ...(action === undefined ? [] : [`action: ${shapeOf(fieldOf(action, "actionId"))}`]),
    requestId === undefined ? "no requestId" : `requestId: ${shapeOf(requestId)}`,
  ];
  return { found: `${shapes.join("; ")}.` };
}

export async function copyWithoutGroup({ client, trial }: Probing): Promise<Answer> {
  const task = encodeURIComponent(unissued(trial?.from ?? malformed));
  const { refusal } = await replyOf(
    client.send("copyTask", { path: `${operations.copyTask.path}?taskId=${task}` }, { once: true }),
  );
  noteCode(trial?.codes, { refusal });
  const found = refusal === undefined ? "Accepted." : `For a task that does not exist: ${refusalIn(refusal)}.`;
  // A service that needs no group refuses the task.
  const isOptional =
    refusal === undefined || ["notFound", "notYours"].includes(refusal.kind) || saysServerError(refusal);
  const isRequired = !isOptional && refusal.kind === "refused" && refusal.code !== undefined;
  const behaviours = [...(isOptional ? [] : ["copyGroup=required"]), ...(isRequired ? [] : ["copyGroup=optional"])];
  return { found, behaviours };
}

/** The actions as the service shows them, with which the other questions work. */
export async function actionsOfCopy(on: OnCopy): Promise<Answer> {
  const { trial } = on;
  trial.actions = (await readActions(on)) ?? [];
  const loops = trial.actions.filter((action) => Array.isArray(fieldOf(action, "loopItems")));
  const [loop] = loops;
  trial.loop = loop && {
    ...nameOf(loop),
    loopType: String(fieldOf(loop, "loopType") ?? "UrlList"),
    items: itemsOf(loop) ?? [],
  };
  const properties = trial.actions.flatMap((action) =>
    propertiesOf(action).map(([name, value]) => ({ ...nameOf(action), name, value })),
  );
  // A number shows whether the service keeps strings.
  const chosen = properties.find(({ value }) => isNumberLike(value)) ?? properties[0];
  trial.property = chosen && { ...chosen, value: String(chosen.value) };
  const types = trial.actions.map((action) => fieldOf(action, "actionType"));
  if (trial.actions.length === 0) {
    return { is: "unclear", found: "The service shows no action of the copy. Choose a task with a loop." };
  }
  const shape = shapeOfActions(trial.actions);
  const values = properties.map(({ value }) => value);
  const typed = values.some((value) => typeof value !== "string");
  const behaviours = [
    ...(shape === undefined ? [] : [`actionShape=${shape}`]),
    ...(typed ? ["propertyValues=typed"] : values.some(isNumberLike) ? ["propertyValues=asWritten"] : []),
  ];
  const found = `Actions of the types ${described(types)}, ${loops.length} of them with a list. Properties: ${shape ?? "none"}${typed ? ", some of them numbers or booleans" : ""}.`;
  return { found, behaviours };
}

function nameOf(action: ActionShown): { actionId: string; actionType: string } {
  return { actionId: String(fieldOf(action, "actionId")), actionType: String(fieldOf(action, "actionType")) };
}

function isNumberLike(value: unknown): boolean {
  return typeof value !== "string" || /^(?:-?\d+|true|false)$/.test(value);
}

const fieldsOfActions = ["actionType", "actionId", "name", "loopType", "loopItems", "properties"];

function propertiesOf(action: ActionShown): [string, unknown][] {
  const properties = fieldOf(action, "properties");
  const pairs = Array.isArray(properties)
    ? properties.map(pairOf)
    : isPlainMap(properties)
      ? Object.entries(properties)
      : Object.entries(action).filter(([name]) => !fieldsOfActions.includes(name));
  return pairs
    .filter((pair) => pair !== undefined)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
}

function shapeOfActions(actions: readonly ActionShown[]): "list" | "map" | "flat" | undefined {
  const [properties] = actions.map((action) => fieldOf(action, "properties")).filter((each) => each !== undefined);
  if (properties !== undefined) {
    return Array.isArray(properties) ? "list" : "map";
  }
  return actions.some((action) => propertiesOf(action).length > 0) ? "flat" : undefined;
}

/** getActions of the copy and of a task that does not exist, in one request. */
export async function severalTasks({ client, requests, trial, taskId }: OnCopy): Promise<Answer> {
  const missing = unissued(taskId);
  const request = { taskIds: [taskId, missing], actionTypes: [...documentedTypes] };
  const { response, refusal } = await replyOf(client.getActions(request));
  if (response !== undefined) {
    const isThere = response.data.some(({ taskId }) => taskId === missing);
    const found = isThere ? "The response has both." : "The response leaves the missing task out.";
    return { found, behaviours: isThere ? [] : ["getActionsMissing=leftOut"] };
  }
  const names = JSON.stringify(requests.last?.body ?? "").includes(missing);
  const found = `A refusal of both, ${refusalIn(refusal)}, which ${names ? "names" : "does not name"} the missing task.`;
  if (trial.actions.length === 0) {
    // Perhaps it refuses every read of actions.
    return { is: "unclear", found };
  }
  const behaviours = names
    ? ["getActionsMissing=refusedNamed"]
    : ["getActionsMissing=refusedUnnamed", "getActionsMissing=refusedNamed"];
  return { found, behaviours };
}

export async function unknownAction({ client, trial, taskId }: OnCopy): Promise<Answer> {
  const action = { actionId: "webextract-probe-no-action", actionType: "NavigateAction", properties: [] };
  const { refusal } = await replyOf(client.updateActionProperties({ taskId, actions: [action] }));
  noteCode(trial.codes, { refusal });
  if (refusal === undefined) {
    const remedy = 'Check the action ids of a program with "webextract actions": a wrong one is not refused.';
    return { is: "warning", found: "A change of an action that does not exist is accepted.", remedy };
  }
  return { found: `A refusal: ${refusalIn(refusal)}.` };
}

/** Which credential reads, writes and the upload take. */
export async function credentialsOfCopy({ client, options, needsKey, trial, taskId }: OnCopy): Promise<Answer> {
  const { apiKey, credentials: scheme = "contract" } = options;
  const token = needsKey ? undefined : await accessTokenOf(client);
  const key: Record<string, string> | undefined = apiKey === undefined ? undefined : { "x-api-key": apiKey };
  const bearer = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
  const takes = async (
    name: "getData" | "updateActionProperties" | "updateTaskUrls",
    request: object,
    headers: Record<string, string> | undefined,
  ): Promise<Reply<unknown> | undefined> =>
    headers && credentialReplyOf(client.send(name, { request, credential: "none", headers }));
  const one = { taskId, offset: 0, size: 1 };
  const read = await takes("getData", one, key);
  trial.takesKey = read !== undefined && read.refusal === undefined;
  const write = trial.takesKey ? await takes("updateActionProperties", { taskId, actions: [] }, key) : undefined;
  const urls = urlsOf(trial);
  const file = { taskId, file: fileOf(urls) };
  const upload = urls.length === 0 ? undefined : await takes("updateTaskUrls", file, key);
  const uploadByToken = urls.length === 0 ? undefined : await takes("updateTaskUrls", file, bearer);
  const accepted = (reply: Reply<unknown> | undefined): boolean | undefined => reply && reply.refusal === undefined;
  const byKey = accepted(upload);
  // A token that has expired meanwhile is refused as one that is not wanted.
  const isAlive = accepted(uploadByToken) !== false || accepted(await takes("getData", one, bearer)) === true;
  const byToken = isAlive ? accepted(uploadByToken) : undefined;
  const replies = {
    "a read with the API key": read,
    "a write with the API key": write,
    "the upload of two URLs with the API key": upload,
    "the upload with the access token": uploadByToken,
  };
  const words = Object.entries(replies).flatMap(([what, reply]) => (reply ? [`${what}: ${outcomeIn(reply)}`] : []));
  const found = words.length === 0 ? "No API key is configured, and the task shows no URL." : `${words.join("; ")}.`;
  const behaviours = acceptances(accepted(read), byKey, byToken);
  trial.uploadsWith = byKey === true ? "apiKey" : byToken === true ? "bearer" : undefined;
  if (scheme === "bearer" && byKey === true && byToken === false) {
    return needsSetting("credentials", "contract", { found, behaviours });
  }
  if (needsKey) {
    return needsSetting("credentials", "apiKey", { found, behaviours });
  }
  if (scheme === "contract" && byKey !== true && byToken === true) {
    return needsSetting("credentials", "bearer", { found, behaviours });
  }
  return byKey === false && byToken !== true && isAlive
    ? { is: "problem", found, behaviours, limitation: "TaskStartUrls and `startUrls` cannot set the start URLs." }
    : { found, behaviours };
}

/** The values of `credentialAcceptance` that fit. Undefined: not asked. */
function acceptances(read?: boolean, upload?: boolean, uploadByToken?: boolean): string[] {
  const fits: [string, boolean, boolean, boolean][] = [
    ["contract", false, true, false],
    ["bearerOnUpload", false, false, true],
    ["apiKeyEverywhere", true, true, false],
    ["either", true, true, true],
  ];
  const isAsked = [read, upload, uploadByToken].some((each) => each !== undefined);
  return fits
    .filter(([, ...all]) => [read, upload, uploadByToken].every((each, at) => each === undefined || each === all[at]))
    .map(([name]) => `credentialAcceptance=${name}`)
    .filter(() => isAsked);
}

/** Two start URLs for the copy: items of its own list, or an address in its properties. */
function urlsOf({ loop, actions }: Trial): string[] {
  const isUrl = (value: unknown): value is string => typeof value === "string" && /^https?:\/\//.test(value);
  const items = (loop?.items ?? []).filter(isUrl);
  const own = actions.flatMap(propertiesOf).map(([, value]) => value);
  const known = [...items.slice(1, 3), ...items, ...own.filter(isUrl)];
  const [first, second = first] = known;
  return first === undefined || second === undefined ? [] : [first, second];
}

const dataSizes = [1001, 1000, 500, 200, 100, 50, 20];
const subtaskSizes = [1000, 100, 21, 20, 10];

export async function pageLimits({ client, options, trial, taskId }: OnCopy): Promise<Answer> {
  const rows = await firstAccepted(dataSizes, (size) => client.getData({ taskId, offset: 0, size }));
  const subtasks = await firstAccepted(subtaskSizes, (size) => client.getSubtasks({ taskId, page: 1, size }));
  trial.pageMax = rows;
  const words = [rows, subtasks].map((size) => (size === undefined ? "none of the tried sizes" : String(size)));
  const found = `Largest accepted size that was tried: rows ${words[0]}, subtasks ${words[1]}.`;
  const behaviours = [...maximum("dataPageMax", dataSizes, rows), ...maximum("subtaskPageMax", subtaskSizes, subtasks)];
  if (rows === undefined || subtasks === undefined) {
    return { is: "problem", found, behaviours, limitation: "The service refuses every size of a page that was tried." };
  }
  const isSmaller = rows < Math.min(options.pageSize ?? 1000, 1000);
  return isSmaller ? { found, behaviours, setting: settingOf("pageSize", String(rows)) } : { found, behaviours };
}

/**
 * The largest size that is accepted is the maximum, or the maximum is below the next size that was tried. If all are
 * accepted, they can be more than the maximum: a service can send fewer rows in place of a refusal.
 */
function maximum(name: string, sizes: readonly number[], accepted: number | undefined): string[] {
  const larger = accepted === undefined ? undefined : sizes[sizes.indexOf(accepted) - 1];
  return larger === undefined ? [] : [...new Set([accepted, larger - 1])].map((size) => `${name}=${size}`);
}

/** Reads, a mark and a remove of a copy that has no rows. */
export async function withoutRows({ client, requests, taskId }: OnCopy): Promise<Answer> {
  const replies = {
    notexported: await replyOf(client.getNotExportedData({ taskId, size: 1 })),
    markexported: await replyOf(client.markExported({ taskId })),
    remove: await replyOf(client.removeData({ taskId })),
    subtasks: await replyOf(client.getSubtasks({ taskId, page: 1, size: 10 })),
  };
  const words = Object.entries(replies).map(([name, reply]) => `${name} ${outcomeIn(reply)}`);
  const successes = requests.responses.filter(({ status }) => status === 200);
  const isWordy = successes.some(({ body }) => saysSuccess(fieldAt(body, "error")));
  const form = isWordy ? " A success has words in `error`." : "";
  const values = isWordy ? wordyBodies(successes) : plainBodies(successes);
  return { found: `${words.join(", ")}.${form}`, behaviours: values.map((value) => `successBody=${value}`) };
}

/** The values of `successBody` that fit a service whose successes have words. */
function wordyBodies(successes: readonly RawResponse[]): string[] {
  const writes = ["updateTaskParameters", "updateActionProperties", "updateLoopItems"];
  const data = successes.flatMap(({ operation, body }) => (writes.includes(operation) ? [fieldAt(body, "data")] : []));
  if (data.length === 0) {
    return ["words", "wordsWithoutData"];
  }
  return [data.some((each) => each === undefined || each === null) ? "wordsWithoutData" : "words"];
}

/** The same without words. */
function plainBodies(successes: readonly RawResponse[]): string[] {
  const withoutData = ["markExported", "removeData", "updateTaskUrls"];
  const bodies = successes.filter(({ operation }) => withoutData.includes(operation));
  if (bodies.length === 0) {
    return [];
  }
  return [bodies.some(({ body }) => fieldAt(body, "data") === null) ? "nullData" : "contract"];
}

export async function rates({ client, requests }: Probing): Promise<Answer> {
  const names = [...new Set(requests.responses.flatMap(({ rateHeaders }) => rateHeaders))].sort();
  const refused = requests.responses.filter(({ status }) => statusSays.tooMany(status));
  const clock = clockFinding(client);
  const time =
    client.clockAhead === undefined ? "No response has a date." : `The clock of this machine is ${clock.found}.`;
  const found = `Headers about a rate: ${names.join(", ") || "none"}. Refusals for the rate: ${refused.length}. ${time}`;
  const waits = refused.some(({ rateHeaders }) => rateHeaders.includes("retry-after"));
  const behaviours =
    refused.length === 0 ? [] : waits ? ["retryAfter=seconds", "retryAfter=date"] : ["retryAfter=none"];
  return clock.is === "problem" ? { is: "warning", found, behaviours, remedy: clock.remedy } : { found, behaviours };
}
