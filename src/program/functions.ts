import { Output, output, RunError, secret, unknown } from "@pulumi/pulumi";
import type { ArgsSpec, Problem } from "../resources/args";
import { boolean, checkFields, checkValue, integer, list, object, string } from "../resources/args";
import { canonical, replaceEach, unknown as unknownArg } from "../resources/values";
import type { ServiceClient } from "../service/client";
import type { Row, Subtask, TaskActions } from "../service/contract/types";
import { isServiceError } from "../service/errors/errors";
import type { RowSource } from "../service/rows/rowPage";
import type { InputsOf } from "./extractionResource";
import { perProgram } from "./perProgram";
import { noCredential, readOptions, requireProfile } from "./programReads";
import { readClients } from "./readClients";

/**
 * Reads from a program. Each has two forms: `getData(args, { plain: true })` answers a promise, for arguments that are known; `getDataOutput(args)`
 * takes outputs and answers an output, which is unknown in a preview where an argument is.
 *
 * In a preview they use `accessToken` or `credentialCommand` only, for a preview must not use up a refresh token; without either the answer
 * is unknown, and one warning says so. The same read is made once a run.
 */
export interface FunctionOptions {
  /**
   * The answer is not a secret. Default false: what a service answers may hold anything, so it's encrypted in the state and hidden in output. The
   * form that answers a promise cannot carry the mark of a secret, so it asks for this to be said.
   */
  plain?: boolean;
  /** Name of a set of credentials in `webextract:profiles`. Default: the top-level ones. */
  profile?: string;
}

/** Options of a form that answers a promise. */
export type PlainOptions = FunctionOptions & {
  /** That the answer is no secret has to be said: a promise cannot carry the mark of one. */
  plain: true;
};

/** Arguments of {@link getActions}. */
export interface GetActionsArgs {
  /** The tasks; one entry of the answer is for each. */
  taskIds: string[];
  /** The types of action wanted, as the service names them. */
  actionTypes: string[];
}

/** Arguments of {@link getSubtasks}. */
export interface GetSubtasksArgs {
  /** The task. */
  taskId: string;
}

/** Arguments of {@link getData}. */
export interface GetDataArgs {
  /** The task whose rows are read. */
  taskId: string;
  /** Row to begin at, 0-indexed. Default 0. */
  offset?: number;
  /** At most so many rows. Default 1000: rows of a program live in memory and in the state. For more, use a DataExport. */
  maxRows?: number;
}

/** Arguments of {@link getBatchData}. */
export interface GetBatchDataArgs extends GetDataArgs {
  /** The run whose rows are read; pass the `id` of a CloudRun. */
  lotNo: string;
}

/** Arguments of {@link getNotExportedData}. */
export interface GetNotExportedDataArgs {
  /** The task whose rows are read. */
  taskId: string;
  /** At most so many rows. Default 1000. */
  maxRows?: number;
}

/** Rows and how many there are. */
export interface GetDataResult {
  /** The rows, in the service's order. An integer that a double cannot hold comes as text. */
  rows: Row[];
  /** The service's `total`. */
  total: number;
}

const defaultRows = 1000;

interface Query<Args, Result> {
  name: string;
  args: ArgsSpec<Args>;
  run(client: ServiceClient, args: Args): Promise<Result>;
}

const taskId = { kind: string, required: true } as const;
const lotNo = taskId;
const strings = { kind: list(string), required: true } as const;
const offset = { kind: integer(0) };
const maxRows = { kind: integer(1) };

const actionsQuery: Query<GetActionsArgs, TaskActions[]> = {
  name: "getActions",
  args: { taskIds: strings, actionTypes: strings },
  run: async (client, { taskIds, actionTypes }) => (await client.getActions({ taskIds, actionTypes })).data,
};

const subtasksQuery: Query<GetSubtasksArgs, Subtask[]> = {
  name: "getSubtasks",
  args: { taskId },
  run: (client, { taskId }) => client.allSubtasks(taskId),
};

const dataQuery: Query<GetDataArgs, GetDataResult> = {
  name: "getData",
  args: { taskId, offset, maxRows },
  run: (client, { taskId, ...range }) => readRows(client, { taskId }, range),
};

const batchDataQuery: Query<GetBatchDataArgs, GetDataResult> = {
  name: "getBatchData",
  args: { taskId, lotNo, offset, maxRows },
  run: (client, { taskId, lotNo, ...range }) => readRows(client, { taskId, lotNo }, range),
};

const notExportedDataQuery: Query<GetNotExportedDataArgs, GetDataResult> = {
  name: "getNotExportedData",
  args: { taskId, maxRows },
  run: (client, { taskId, maxRows }) => readRows(client, { taskId, notExported: true }, { maxRows }),
};

/** The actions of tasks. Calls `POST /task/getActions`. */
export const getActions = (args: GetActionsArgs, options: PlainOptions): Promise<TaskActions[]> =>
  asPromise(actionsQuery, args, options);
/** As {@link getActions}, from outputs to an output. */
export const getActionsOutput = (args: InputsOf<GetActionsArgs>, options?: FunctionOptions): Output<TaskActions[]> =>
  asOutput(actionsQuery, args, options);

/** All subtasks of a task's latest run, whatever the service's page size. Calls `GET /cloudextraction/task/subtasks`. */
export const getSubtasks = (args: GetSubtasksArgs, options?: FunctionOptions): Promise<Subtask[]> =>
  asPromise(subtasksQuery, args, { ...options, plain: true });
/** As {@link getSubtasks}, from outputs to an output. */
export const getSubtasksOutput = (args: InputsOf<GetSubtasksArgs>, options?: FunctionOptions): Output<Subtask[]> =>
  asOutput(subtasksQuery, args, { ...options, plain: true });

/** Rows of a task. Calls `GET /data/all`. */
export const getData = (args: GetDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(dataQuery, args, options);
/** As {@link getData}, from outputs to an output. */
export const getDataOutput = (args: InputsOf<GetDataArgs>, options?: FunctionOptions): Output<GetDataResult> =>
  asOutput(dataQuery, args, options);

/** Rows of one run. Calls `GET /data/lotno/all`. */
export const getBatchData = (args: GetBatchDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(batchDataQuery, args, options);
/** As {@link getBatchData}, from outputs to an output. */
export const getBatchDataOutput = (
  args: InputsOf<GetBatchDataArgs>,
  options?: FunctionOptions,
): Output<GetDataResult> => asOutput(batchDataQuery, args, options);

/** Rows that are not marked as exported; marks nothing. Calls `GET /data/notexported`. */
export const getNotExportedData = (args: GetNotExportedDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(notExportedDataQuery, args, options);
/** As {@link getNotExportedData}, from outputs to an output. */
export const getNotExportedDataOutput = (
  args: InputsOf<GetNotExportedDataArgs>,
  options?: FunctionOptions,
): Output<GetDataResult> => asOutput(notExportedDataQuery, args, options);

async function readRows(
  client: ServiceClient,
  source: RowSource,
  { offset, maxRows = defaultRows }: { offset?: number; maxRows?: number },
): Promise<GetDataResult> {
  const rows: Row[] = [];
  let total = 0;
  for await (const page of client.rows(source, { offset, maxRows })) {
    rows.push(...page.objects());
    total = page.total;
  }
  return { rows: rows.slice(0, maxRows), total };
}

async function asPromise<Args extends object, Result>(
  query: Query<Args, Result>,
  args: Args,
  options: FunctionOptions,
): Promise<Result> {
  if (options?.plain !== true) {
    throw new RunError(
      `${query.name}: a promise cannot carry the mark of a secret. Use ${query.name}Output, or say { plain: true }.`,
    );
  }
  const result = await ask(query, requireArgs(query, args, options), options);
  if (result === unknownYet) {
    throw new RunError(`${query.name}: ${noCredential} Use ${query.name}Output, whose answer may be unknown.`);
  }
  return result;
}

function asOutput<Args extends object, Result>(
  query: Query<Args, Result>,
  args: InputsOf<Args>,
  options: FunctionOptions = {},
): Output<Result> {
  // At once, for it is an error of the program; what only comes to be known is looked at once more.
  requireArgs(query, args, options);
  requireProfile(query.name, options.profile);
  const known = output(args) as unknown as Output<Args>;
  const result = known.apply(async (each) => {
    const answer = await ask(query, requireArgs(query, each, options), options);
    return answer === unknownYet ? (unknown as unknown as Result) : answer;
  }) as Output<Result>;
  return options.plain === true ? result : (secret(result) as Output<Result>);
}

const optionsSpec: ArgsSpec<FunctionOptions> = { plain: { kind: boolean }, profile: { kind: string } };

/** Refuses arguments that are missing, of unknown names or wrong: an argument less may be another read. */
function requireArgs<Args>(query: Query<Args, unknown>, args: unknown, options: object): Args {
  const problems: Problem[] = [];
  const sound = checkValue(object(query.args), replaceEach(args ?? {}, isNotYetKnown, unknownArg), "", problems);
  checkFields(optionsSpec, { ...options }, "options", problems);
  if (problems.length > 0) {
    const list = problems.map(({ path, reason }) => `${path === "" ? "what it is given" : path} ${reason}`).join("; ");
    throw new RunError(`${query.name}: ${list}. Nothing was asked.`);
  }
  return sound as Args;
}

function isNotYetKnown(value: unknown): boolean {
  return Output.isInstance(value) || value instanceof Promise;
}

const unknownYet = Symbol("no credential in this preview");

/** The answers of one program. Another program may have other credentials, so it asks anew. */
const programAnswers = perProgram(() => new Map<string, Promise<unknown>>());

/** Asks once a run for the same arguments. */
async function ask<Args extends object, Result>(
  query: Query<Args, Result>,
  args: Args,
  { profile }: FunctionOptions,
): Promise<Result | typeof unknownYet> {
  const answers = programAnswers();
  const clients = readClients();
  const options = await readOptions(query.name, profile);
  if (options === undefined) {
    return unknownYet;
  }
  const key = canonical([query.name, profile, args]);
  const known = answers.get(key) as Promise<Result> | undefined;
  const answer = known ?? clients.read(profile, options, (client) => query.run(client, args));
  answers.set(key, answer);
  try {
    return await answer;
  } catch (error) {
    throw isServiceError(error) ? new RunError(error.message) : error;
  }
}
