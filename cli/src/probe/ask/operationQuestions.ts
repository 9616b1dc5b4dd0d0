import { Readable } from "node:stream";
import type { OperationName } from "../../../../src/service/contract/operations";
import { operations } from "../../../../src/service/contract/operations";
import type { UpdateTaskUrlsRequest } from "../../../../src/service/contract/types";
import type { ServiceError } from "../../../../src/service/errors/errors";
import { isServiceError } from "../../../../src/service/errors/errors";
import { statusSays } from "../../../../src/service/errors/failures";
import { counted } from "../../../../src/values/words";
import type { Answer, OnCopy, Probing } from "../question";
import { malformed, noteCode, outcomeIn, refusalIn, refused, settingOf, unissued } from "../question";
import type { Reply } from "../requests";
import { anyReplyOf, fieldAt } from "../requests";
import { saysServerError } from "./readQuestions";

const noAction = "webextract-probe-no-action";
const noSubtask = "webextract-probe-no-subtask";
const someUrl = "https://example.com/";

export function fileOf(urls: readonly string[]): UpdateTaskUrlsRequest["file"] {
  return { open: () => Readable.from([Buffer.from(`${urls.join("\n")}\n`)]) };
}

/** A request of each operation but the refresh, for a task that does not exist. */
function requestsFor(taskId: string, group: string): [OperationName, object][] {
  const action = { actionType: "NavigateAction", actionId: noAction };
  const loop = { actionId: noAction, loopType: "UrlList", loopItems: [someUrl], isAppend: false };
  return [
    ["getData", { taskId, offset: 0, size: 1 }],
    ["getBatchData", { taskId, lotno: "1", offset: 0, size: 1 }],
    ["getNotExportedData", { taskId, size: 1 }],
    ["getSubtasks", { taskId, page: 1, size: 1 }],
    ["getActions", { taskIds: [taskId], actionTypes: [action.actionType] }],
    ["updateActionProperties", { taskId, actions: [{ ...action, properties: [] }] }],
    ["updateTaskParameters", { taskId, actions: [{ ...action, properties: [] }] }],
    ["updateLoopItems", { taskId, ...loop }],
    ["updateTaskUrls", { taskId, file: fileOf([someUrl]) }],
    ["startSubtasks", { taskId, subTaskIds: [noSubtask] }],
    ["stopSubtasks", { taskId, subTaskIds: [noSubtask] }],
    ["markExported", { taskId }],
    ["removeData", { taskId }],
    ["copyTask", { taskId, taskGroupId: group }],
    ["startTask", { taskId }],
  ];
}

/** The operations that are asked about a malformed id too: a read, and those that must not be sent twice. */
const askedTwice: readonly string[] = ["getData", "copyTask", "startTask"];

/**
 * One request of each operation for a task that does not exist: with the API key if the service accepts it for the
 * copy, because the requests to the copy have the access token.
 */
export async function refusals(on: OnCopy): Promise<Answer> {
  const { client, clientWith, requests, trial, options, taskId } = on;
  const asker = trial.takesKey ? clientWith({ credentials: "apiKey" }) : client;
  const missing = unissued(taskId);
  const groups = new Map<string, string[]>();
  let behaviours: string[] | undefined;
  let isGone = false;
  let once = false;
  // The upload can need another credential than the present options give it, or none fits.
  const uploader = trial.uploadsWith && clientWith({ credentials: trial.uploadsWith });
  const twice = requestsFor(malformed, trial.group).filter(
    ([name]) => missing !== malformed && askedTwice.includes(name),
  );
  const asked = [
    ...requestsFor(missing, trial.group).map(([name, request]) => ({ name, request, called: name })),
    ...twice.map(([name, request]) => ({ name, request, called: `${name} of a malformed id` })),
  ];
  for (const [at, { name, request, called }] of asked.entries()) {
    const sender = name === "updateTaskUrls" ? uploader : asker;
    if (sender === undefined) {
      continue;
    }
    const { refusal }: Reply<Buffer> = await anyReplyOf(sender.send(name, { request }, { once }));
    const said = outcomeIn({ refusal });
    groups.set(said, [...(groups.get(said) ?? []), called]);
    if (at === 0) {
      isGone = isServiceError(refusal, "notFound", "notYours");
      // The client would send it again each time.
      once = (refusal?.status ?? 0) >= 500;
      const raw = requests.last;
      behaviours = refusal && [errorBody(raw?.body, raw?.bytes ?? 0), ...taskGone(refusal, raw?.body, missing)];
    }
    noteCode(trial.codes, { refusal });
  }
  const said = [...groups].map(([what, names]) => `${what} (${names.join(", ")})`);
  const whose = trial.takesKey ? " with the API key" : "";
  const found =
    groups.size === 1
      ? `All ${counted([...groups.values()].flat().length, "request")}${whose}: ${[...groups.keys()].join()}.`
      : `${said.join("; ")}${whose}.`;
  const listed = options.notExecutedCodes ?? [];
  const lacking = [...trial.codes].filter((code) => !listed.includes(code));
  const setting = lacking.length === 0 ? undefined : settingOf("notExecutedCodes", [...listed, ...lacking].join(","));
  const shown: Answer = { behaviours, found, ...(setting && { setting }) };
  const limitation = "A refresh does not see that a task is gone: remove the resource from the program then.";
  return isGone ? shown : { ...shown, is: "problem", limitation };
}

function errorBody(body: unknown, bytes: number): string {
  const error = fieldAt(body, "error");
  if (body === undefined) {
    return bytes === 0 ? "errorBody=empty" : "errorBody=html";
  }
  return typeof error === "string" ? "errorBody=legacy" : "errorBody=envelope";
}

function taskGone(refusal: ServiceError, body: unknown, missing: string): string[] {
  const { status, kind, code = "" } = refusal;
  if (["credential", "plan", "rateLimited"].includes(kind)) {
    // The task was not looked for.
    return [];
  }
  if (kind === "notYours") {
    return ["taskGone=notYours"];
  }
  if (statusSays.notFound(status)) {
    return ["taskGone=notFound"];
  }
  if (saysServerError(refusal)) {
    return ["taskGone=serverError"];
  }
  if (code === "") {
    return ["invalidTaskId", "unnamed", "notYours", "serverError"].map((value) => `taskGone=${value}`);
  }
  return [JSON.stringify(body ?? "").includes(missing) ? "taskGone=invalidTaskId" : "taskGone=unnamed"];
}

export async function unknownPath({ client, requests }: Probing): Promise<Answer> {
  const { refusal } = await anyReplyOf(client.send("getData", { path: "/webextract-probe-no-path" }));
  const status = requests.last?.status;
  const behaviours = statusSays.notFound(status) ? ["errorStatus=usual"] : status === 400 ? ["errorStatus=all400"] : [];
  return { found: refusal === undefined ? "Accepted." : `A refusal: ${refusalIn(refusal)}.`, behaviours };
}

export async function wrongToken({ client }: Probing): Promise<Answer> {
  const headers = { Authorization: "Bearer webextract-probe-no-such-token" };
  const request = { taskId: malformed, offset: 0, size: 1 };
  const { refusal } = await anyReplyOf(client.send("getData", { request, credential: "none", headers }));
  if (refusal === undefined) {
    const limitation = "The service does not check the access token of a read.";
    return { is: "problem", found: "A read with an invented access token is accepted.", limitation };
  }
  const { status = 0, kind, code } = refusal;
  const behaviours = [`expiredToken=status${status}`].filter((each) => /=status40[013]$/.test(each));
  // A refusal of the permission without a code can mean an expired token, and the client renews it once.
  if (kind === "credential" || (kind === "plan" && code === undefined)) {
    return { found: `A refusal: ${refusalIn(refusal)}.`, behaviours };
  }
  const limitation =
    "An access token that expires during a command ends it: the package does not see why it was refused.";
  return { ...refused(refusal, limitation), behaviours };
}

/** With a read of the copy, because that is accepted without a doubt. */
export async function bothCredentials({ client, options: { apiKey }, taskId }: OnCopy): Promise<Answer> {
  const token = await accessTokenOf(client);
  if (token === undefined || apiKey === undefined) {
    return { is: "unclear", found: "Only one credential is configured." };
  }
  const request = { taskId, offset: 0, size: 1 };
  const headers = { Authorization: `Bearer ${token}`, "x-api-key": apiKey };
  const readWith = (sent: Record<string, string>): Promise<Reply<Buffer>> =>
    anyReplyOf(client.send("getData", { request, credential: "none", headers: sent }));
  const { refusal } = await readWith(headers);
  if (refusal === undefined) {
    return { found: "Both are accepted. The package sends one.", behaviours: ["bothCredentials=accepted"] };
  }
  const found = `A refusal: ${refusalIn(refusal)}. The package sends one.`;
  // The token alone shows that the refusal is of two.
  const { refusal: ofToken } = await readWith({ Authorization: headers.Authorization });
  return ofToken === undefined ? { found, behaviours: ["bothCredentials=refused"] } : { is: "unclear", found };
}

/** The access token in use. Undefined if there is none. */
export async function accessTokenOf(client: Probing["client"]): Promise<string | undefined> {
  return client.credentialForCommand().then(
    ({ AccessToken }) => AccessToken,
    () => undefined,
  );
}

export async function missingField({ client, trial }: Probing): Promise<Answer> {
  const body = await anyReplyOf(client.send("updateActionProperties", { json: "{}" }));
  const query = await anyReplyOf(client.send("getData", { path: `${operations.getData.path}?offset=0&size=1` }));
  for (const reply of [body, query]) noteCode(trial?.codes, reply);
  const words = [body, query].map(outcomeIn);
  const found = `In a body: ${words[0]}. In a query: ${words[1]}.`;
  return words.includes("accepted")
    ? { is: "warning", found, remedy: "The package checks each request before it sends it." }
    : { found };
}
