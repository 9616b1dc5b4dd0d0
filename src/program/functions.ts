import type { Output } from "@pulumi/pulumi";
import { output, secret, unknown } from "@pulumi/pulumi";
import { noCredential } from "../config/config";
import { checkValue, object } from "../resources/args";
import type {
  GetActionsArgs,
  GetBatchDataArgs,
  GetDataArgs,
  GetDataResult,
  GetNotExportedDataArgs,
  GetSubtasksArgs,
  Query,
} from "../resources/queries";
import { actionsQuery, batchDataQuery, dataQuery, notExportedDataQuery, subtasksQuery } from "../resources/queries";
import type { Subtask, TaskActions } from "../service/contract/types";
import { isServiceError } from "../service/errors/errors";
import { ResourceError } from "../values/errors";
import type { Problem } from "../values/kinds";
import { replaceEach, unknown as unknownArg } from "../values/plain";
import { ProgramError } from "./perProgram";
import type { FunctionOptions, FunctionOutputOptions, PlainOptions } from "./reads/functionOptions";
import { checkOptions, isNotYetKnown, madeBefore, profileOf, refuseProblems } from "./reads/functionOptions";
import { readOptions, readWith, requireProfile } from "./reads/programReads";
import type { InputsOf } from "./resourceClass";

export type {
  GetActionsArgs,
  GetBatchDataArgs,
  GetDataArgs,
  GetDataResult,
  GetNotExportedDataArgs,
  GetSubtasksArgs,
} from "../resources/queries";
export type { FunctionOptions, FunctionOutputOptions, PlainOptions } from "./reads/functionOptions";

/** The actions of tasks. Calls `POST /task/getActions`. */
export const getActions = (args: GetActionsArgs, options: PlainOptions): Promise<TaskActions[]> =>
  asPromise(actionsQuery, args, options);
/** The form of {@link getActions} that takes outputs and returns an output. */
export const getActionsOutput = (
  args: InputsOf<GetActionsArgs>,
  options?: FunctionOutputOptions,
): Output<TaskActions[]> => asOutput(actionsQuery, args, options);

/** All subtasks of the latest run of a task, from all pages. Calls `GET /cloudextraction/task/subtasks`. */
export const getSubtasks = (args: GetSubtasksArgs, options?: FunctionOptions): Promise<Subtask[]> =>
  asPromise(subtasksQuery, args, { ...options, plain: true });
/** The form of {@link getSubtasks} that takes outputs and returns an output. */
export const getSubtasksOutput = (
  args: InputsOf<GetSubtasksArgs>,
  options?: FunctionOutputOptions,
): Output<Subtask[]> => asOutput(subtasksQuery, args, { ...options, plain: true });

/** Rows of a task. Calls `GET /data/all`. */
export const getData = (args: GetDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(dataQuery, args, options);
/** The form of {@link getData} that takes outputs and returns an output. */
export const getDataOutput = (args: InputsOf<GetDataArgs>, options?: FunctionOutputOptions): Output<GetDataResult> =>
  asOutput(dataQuery, args, options);

/** Rows of one run. Calls `GET /data/lotno/all`. */
export const getBatchData = (args: GetBatchDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(batchDataQuery, args, options);
/** The form of {@link getBatchData} that takes outputs and returns an output. */
export const getBatchDataOutput = (
  args: InputsOf<GetBatchDataArgs>,
  options?: FunctionOutputOptions,
): Output<GetDataResult> => asOutput(batchDataQuery, args, options);

/** Rows that are not marked as exported. The read marks nothing. Calls `GET /data/notexported`. */
export const getNotExportedData = (args: GetNotExportedDataArgs, options: PlainOptions): Promise<GetDataResult> =>
  asPromise(notExportedDataQuery, args, options);
/** The form of {@link getNotExportedData} that takes outputs and returns an output. */
export const getNotExportedDataOutput = (
  args: InputsOf<GetNotExportedDataArgs>,
  options?: FunctionOutputOptions,
): Output<GetDataResult> => asOutput(notExportedDataQuery, args, options);

async function asPromise<Args extends object, Result>(
  query: Query<Args, Result>,
  args: Args,
  options: FunctionOutputOptions,
): Promise<Result> {
  if (options?.plain !== true) {
    throw new ProgramError(
      `${query.name}: a promise cannot be marked as a secret. Use ${query.name}Output, or set { plain: true }.`,
    );
  }
  const known = requireArgs(query, args, options);
  const profile: unknown = profileOf(options);
  if (options.dependsOn !== undefined || isNotYetKnown(profile)) {
    throw new ProgramError(
      `${query.name}: a promise cannot wait for options.dependsOn, or for the profile of options.parent. Use ${query.name}Output. No request was sent.`,
    );
  }
  const result = await ask(query, known, profile as string | undefined);
  if (result === undefined) {
    throw new ProgramError(`${query.name}: ${noCredential} Use ${query.name}Output, whose result may be unknown.`);
  }
  return result;
}

function asOutput<Args extends object, Result>(
  query: Query<Args, Result>,
  args: InputsOf<Args>,
  options: FunctionOutputOptions = {},
): Output<Result> {
  // Here, so that the program fails at this call, and again when the values of outputs are known.
  requireArgs(query, args, options);
  const profile: unknown = profileOf(options);
  if (!isNotYetKnown(profile)) {
    requireProfile(query.name, profile as string | undefined);
  }
  const known = output(args) as unknown as Output<Args>;
  const all = output([known, profile, madeBefore(known, options, query.name)] as const);
  const result = all.apply(async ([each, account]) => {
    const sound = requireArgs(query, each as Args, options);
    return (await ask(query, sound, account as string | undefined)) ?? (unknown as unknown as Result);
  }) as Output<Result>;
  return options.plain === true ? result : (secret(result) as Output<Result>);
}

/** Refuses missing, unknown and invalid arguments, because a read without one of them could return other data. */
function requireArgs<Args>(query: Query<Args, unknown>, args: unknown, options: object): Args {
  const problems: Problem[] = [];
  const sound = checkValue(object(query.args), replaceEach(args ?? {}, isNotYetKnown, unknownArg), "", problems);
  checkOptions(options, problems);
  refuseProblems(query.name, problems);
  return sound as Args;
}

/** Makes a read. Undefined in a preview without a credential for reads. */
async function ask<Args extends object, Result>(
  query: Query<Args, Result>,
  args: Args,
  profile: string | undefined,
): Promise<Result | undefined> {
  const options = await readOptions(query.name, profile);
  try {
    return options && (await readWith(profile, options, (client) => query.run(client, args)));
  } catch (error) {
    throw isServiceError(error) || error instanceof ResourceError ? new ProgramError(error.message) : error;
  }
}
