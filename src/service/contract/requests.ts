import { isRecord } from "../../values/isRecord";
import type { Problem } from "../../values/kinds";
import { checkValue } from "../../values/kinds";
import type { ServiceClientOptions } from "../options";
import type { Operation, OperationName } from "./operations";
import { operations } from "./operations";
import { isOwnRunId } from "./ownRunIds";
import type { UpdateTaskUrlsRequest } from "./types";

/** A checked request, ready to be sent any number of times. */
export interface PreparedRequest {
  readonly name: OperationName;
  readonly operation: Operation<object, unknown>;
  readonly credential: Operation<object, unknown>["credential"];
  /** Beside those of the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Path below the base address, with the query. */
  readonly path: string;
  readonly json?: string;
  /** Without a `taskId`, the query has it. */
  readonly upload?: Omit<UpdateTaskUrlsRequest, "taskId"> & Partial<UpdateTaskUrlsRequest>;
  /** Whether sending it twice has the effect of sending it once. */
  readonly mayRepeat: boolean;
  readonly taskId?: string;
  readonly taskGroupId?: string;
  /** Why it cannot be sent. */
  readonly problem?: string;
}

/** The parts of a request that can differ between services. */
type WireChoices = Required<Pick<ServiceClientOptions, "credentials" | "refreshPath">>;

/** Checks a request and puts its fields into the body or the query. */
export function prepare(name: OperationName, request: object, choices: WireChoices): PreparedRequest {
  const operation: Operation<object, unknown> = operations[name];
  const given: Record<string, unknown> = { ...request };
  const path = name === "refreshToken" ? choices.refreshPath : operation.path;
  const prepared = {
    name,
    operation,
    credential:
      operation.credential === "none" || choices.credentials === "contract"
        ? operation.credential
        : choices.credentials,
    path,
    mayRepeat: operation.repeat === "repeatable" || (operation.repeat === "unlessAppending" && !appends(given)),
    taskId: taskOf(given),
    taskGroupId: typeof given.taskGroupId === "string" ? given.taskGroupId : undefined,
  };
  const problems: Problem[] = [];
  const fields = checkValue(operation.request, given, "", problems) as object;
  const [problem] = problems;
  if (problem !== undefined) return { ...prepared, problem: `not sent: ${problem.path} ${problem.reason}.` };
  if (isOwnRunId(given.lotno)) {
    const why = `the service gave run "${given.lotno}" no lotNo, so its rows cannot be read as a batch. Read all rows of the task, or those that are not exported.`;
    return { ...prepared, problem: `not sent: ${why}` };
  }
  switch (operation.sends) {
    case "json":
      return { ...prepared, json: JSON.stringify(fields) };
    case "query":
      return { ...prepared, path: `${path}?${queryOf(fields)}` };
    case "multipart":
      return { ...prepared, upload: fields as UpdateTaskUrlsRequest };
  }
}

/** An upload with the task's id in the query, in place of the form. */
export function taskIdInQuery({ upload, ...request }: PreparedRequest): PreparedRequest {
  if (upload === undefined) return request;
  const { taskId, file } = upload;
  return { ...request, path: `${request.path}?${queryOf({ taskId })}`, upload: { file } };
}

function queryOf(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
}

/** Most task ids in the errors of one request. More would make the errors hard to read. */
const mostTasksNamed = 5;

function taskOf(given: Record<string, unknown>): string | undefined {
  if (typeof given.taskId === "string") return given.taskId;
  if (!Array.isArray(given.taskIds) || given.taskIds.length === 0) return undefined;
  const more = given.taskIds.length - mostTasksNamed;
  return given.taskIds.slice(0, mostTasksNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Any value except `false` counts as an append, because the contract does not show the default. */
function appends(given: Record<string, unknown>): boolean {
  if (!Array.isArray(given.actions)) return given.isAppend !== false;
  return given.actions.some(
    (action) => isRecord(action) && isRecord(action.loopItems) && action.loopItems.isAppend !== false,
  );
}
