import type { Emulator, EmulatorOptions, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { eachTest } from "../../test/eachTest";
import type {
  CopiedTask,
  DataPage,
  MessageData,
  NotExportedPage,
  OperationName,
  StartedRun,
  Subtask,
  TaskActions,
  TokenPair,
  UpdatedTaskParameters,
} from "../../test/internals/service";
import { operations } from "../../test/internals/service";

/** An answer, read whole. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed; empty for what is not JSON. */
  json: { data?: unknown; error?: { code: string; message: string }; error_Description?: string; requestId?: string };
}

/** `data` of each operation's answer. */
export interface AnswerData {
  refreshToken: TokenPair;
  updateTaskParameters: UpdatedTaskParameters;
  updateTaskUrls: undefined;
  updateActionProperties: MessageData;
  updateLoopItems: MessageData;
  getActions: TaskActions[];
  startTask: StartedRun;
  startSubtasks: undefined;
  stopSubtasks: undefined;
  getSubtasks: Subtask[];
  getBatchData: DataPage;
  getData: DataPage;
  getNotExportedData: NotExportedPage;
  markExported: undefined;
  removeData: undefined;
  copyTask: CopiedTask;
}

export interface CallOptions {
  /** Fields of the body or query. */
  fields?: Record<string, unknown>;
  /** Instead of the credential that the contract wants. */
  headers?: Record<string, string>;
  file?: string;
  path?: string;
}

/** One request as the contract has it, on plain fetch: the emulator's tests share nothing with the client. */
export async function call(emulator: Emulator, name: OperationName, options: CallOptions = {}): Promise<Answered> {
  const operation = operations[name];
  const fields = options.fields ?? {};
  const query = operation.sends === "query" ? `?${new URLSearchParams(textOf(fields))}` : "";
  const response = await fetch(`${emulator.url}${options.path ?? operation.path}${query}`, {
    method: operation.method,
    redirect: "manual",
    ...bodyOf(operation.sends, fields, options.file, options.headers ?? credentialOf(emulator, operation.credential)),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

/** `data` of an answer that must be a success. */
export async function data<Name extends OperationName>(
  emulator: Emulator,
  name: Name,
  fields: Record<string, unknown>,
): Promise<AnswerData[Name]> {
  const answer = await call(emulator, name, { fields });
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
  return answer.json.data as AnswerData[Name];
}

/** `status code` of a refusal, for short assertions. */
export async function refusal(emulator: Emulator, name: OperationName, options: CallOptions = {}): Promise<string> {
  const { status, json } = await call(emulator, name, options);
  return `${status} ${json.error?.code}`;
}

export function credentialOf(emulator: Emulator, kind: "none" | "bearer" | "apiKey"): Record<string, string> {
  const { accessToken, apiKey } = emulator.credentials;
  if (kind === "none") return {};
  return kind === "bearer" ? { authorization: `Bearer ${accessToken}` } : { "x-api-key": apiKey };
}

function bodyOf(
  sends: "json" | "query" | "multipart",
  fields: Record<string, unknown>,
  file: string | undefined,
  headers: Record<string, string>,
): RequestInit {
  if (sends === "query") return { headers };
  if (sends === "json")
    return { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(fields) };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  if (file !== undefined) form.append("file", new Blob([file]), "urls.txt");
  return { headers, body: form };
}

function textOf(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

function parse(text: string): Answered["json"] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** A template with an action of each kind, which opens no page. */
export const template: SeedTask = {
  taskId: "template",
  taskGroupId: "group",
  name: "Template",
  syntheticRows: 7,
  actions: [
    { actionType: "NavigateAction", actionId: "open", properties: { Url: "http://127.0.0.1/", Timeout: "30" } },
    { actionType: "LoopAction", actionId: "loop", loopType: "UrlList", loopItems: ["http://127.0.0.1/1"] },
  ],
};

/** An emulator that holds the template alone, or with other tasks in the same group. */
export function startWith(tasks: SeedTask[] = [], options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ seed: { taskGroups: [{ taskGroupId: "group" }], tasks: [template, ...tasks] }, ...options });
}

/** Gives each test of a `describe` an emulator that holds the template alone. */
export function useEmulator(): Emulator {
  return eachTest(() => startWith());
}

/** Starts the template and waits until the run has ended. @returns the batch. */
export async function runTemplate(emulator: Emulator, taskId = "template"): Promise<string> {
  const { lotNo } = await data(emulator, "startTask", { taskId });
  await emulator.settled();
  return String(lotNo);
}
