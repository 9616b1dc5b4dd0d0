import { namesSameService } from "../../../src/service/serviceAddress";
import { isPlainMap } from "../../../src/values/plain";
import { isTask, urnAs } from "../../../src/values/urn";
import type { StackResource } from "../connection/stackTasks";
import { textOf } from "../connection/stackTasks";
import { byName } from "../output/table";
import type { Plan } from "../planReport/plan";

/** A DataExport that at least one of the two stacks has. */
export interface ExportPair {
  /** Of the resource. */
  readonly name: string;
  /** The name of the task's resource, otherwise the name of the export. */
  readonly task: string;
  /** Its name in the program, with its type and its parents. */
  readonly path: string;
  readonly base?: StackExport;
  readonly head?: StackExport;
}

/** An export as the state of its stack knows it. */
export interface StackExport {
  readonly stack: string;
  readonly taskId: string;
  readonly profile?: string;
  readonly origin?: string;
  /** Absent if the run has not been exported. */
  readonly file?: Readonly<Record<string, unknown>> & { readonly file: string; readonly sha256: string };
  /** The run whose rows count. */
  readonly lotNo?: string;
  /** The label of that run. */
  readonly runLabel?: string;
  /** The fields that `checks` declares unique. */
  readonly unique: readonly string[];
}

export interface StackState {
  readonly stack: string;
  readonly resources: readonly StackResource[];
}

/** The part of a URN that is the same in all stacks of one program, also where one of them is on the native plugin. */
export function nameInProgram(urn: string): string {
  return urnAs(urn, "native").split("::").slice(2).join("::");
}

/** Names in the program that a plan changes: the new ones by the old ones. */
type Renamed = ReadonlyMap<string, string>;

/**
 * The exports of both stacks by their names, sorted by the names of their tasks.
 * @param plan of the base stack; what it renames can have the new name in the head
 */
export function exportPairs(base: StackState, head: StackState, plan?: Plan): ExportPair[] {
  const renamed: Renamed = new Map(
    [...(plan?.renamed ?? [])].map(([before, urn]) => [nameInProgram(before), nameInProgram(urn)]),
  );
  const [ofBase, ofHead] = [base, head].map(({ resources }) => resources.filter(({ type }) => type === "DataExport"));
  const left = new Set(ofHead);
  const counterpartOf = ({ urn, name }: StackResource): StackResource | undefined => {
    const path = nameInProgram(urn);
    const now = renamed.get(path);
    const others = [...left].filter((each) => each.name === name);
    // One name can occur several times, below different parents.
    const found =
      (now === undefined ? undefined : [...left].find((each) => nameInProgram(each.urn) === now)) ??
      others.find((each) => nameInProgram(each.urn) === path) ??
      others[0];
    if (found !== undefined) {
      left.delete(found);
    }
    return found;
  };
  const pairs = (ofBase ?? []).map((each) => pairOf([each, counterpartOf(each)], [base, head], renamed));
  const added = [...left].map((each) => pairOf([undefined, each], [base, head], renamed));
  return [...pairs, ...added].sort((one, other) => byName(one.task, other.task) || byName(one.name, other.name));
}

type OfBoth<T> = readonly [base: T, head: T];

function pairOf(
  both: OfBoth<StackResource | undefined>,
  [base, head]: OfBoth<StackState>,
  renamed: Renamed,
): ExportPair {
  const [ofBase, ofHead] = both;
  const { urn } = (ofBase ?? ofHead) as StackResource;
  const path = renamed.get(nameInProgram(urn)) ?? nameInProgram(urn);
  const name = path.split("::").slice(1).join("::");
  return {
    ...{ name, path },
    task: taskName(ofHead, head) ?? taskName(ofBase, base) ?? name,
    base: ofBase === undefined ? undefined : stackExport(ofBase, base),
    head: withLastRun(ofHead === undefined ? undefined : stackExport(ofHead, head), both, head, renamed),
  };
}

function taskName(of: StackResource | undefined, { resources }: StackState): string | undefined {
  return of && resources.find((each) => isTask(each.urn) && isSameTask(each.outputs, of.outputs))?.name;
}

function isSameTask(one: StackResource["outputs"], other: StackResource["outputs"]): boolean {
  return one.taskId === other.taskId && one.profile === other.profile;
}

function stackExport({ outputs, inputs }: StackResource, { stack, resources }: StackState): StackExport | undefined {
  const { file, sha256, lotNo } = outputs;
  if (typeof file !== "string" || typeof sha256 !== "string") {
    return undefined;
  }
  const run = resources.find(
    ({ type, outputs: found }) => type === "CloudRun" && lotNo !== undefined && found.lotNo === lotNo,
  );
  return {
    ...placeOf(outputs, stack),
    file: { ...outputs, file, sha256 },
    lotNo: textOf(lotNo),
    runLabel: textOf(run?.outputs.runLabel),
    unique: uniqueFields(inputs.checks),
  };
}

function placeOf({ taskId, profile, origin }: StackResource["outputs"], stack: string) {
  return { stack, taskId: String(taskId), profile: textOf(profile), origin: textOf(origin) };
}

/** The rows of the last run count. An export whose rows did not pass still has the file of an earlier run. */
function withLastRun(
  found: StackExport | undefined,
  both: OfBoth<StackResource | undefined>,
  head: StackState,
  renamed: Renamed,
): StackExport | undefined {
  const [ofBase, ofHead] = both.map((each) => each?.sourcesOf("lotNo").map(nameInProgram) ?? []);
  const runs = ofHead?.length ? ofHead : (ofBase ?? []).map((each) => renamed.get(each) ?? each);
  const run = head.resources.find(({ type, urn }) => type === "CloudRun" && runs.includes(nameInProgram(urn)));
  const lotNo = textOf(run?.outputs.lotNo);
  if (run === undefined || lotNo === undefined || lotNo === found?.lotNo) {
    return found;
  }
  const unique = found?.unique ?? both.flatMap((each) => uniqueFields(each?.inputs.checks));
  return { ...placeOf(run.outputs, head.stack), lotNo, runLabel: textOf(run.outputs.runLabel), unique };
}

function uniqueFields(checks: unknown): string[] {
  const fields = isPlainMap(checks) && isPlainMap(checks.fields) ? checks.fields : {};
  return Object.entries(fields).flatMap(([name, field]) => (isPlainMap(field) && field.unique === true ? [name] : []));
}

/** Whether both stacks have exported the same rows. */
export function isSameRun(base: StackExport, head: StackExport): boolean {
  const isSameFile = base.file !== undefined && base.file.sha256 === head.file?.sha256;
  return base.lotNo === undefined || head.lotNo === undefined
    ? isSameFile && base.lotNo === head.lotNo
    : base.taskId === head.taskId && isOneService(base.origin, head.origin) && base.lotNo === head.lotNo;
}

/** Also if only one of the stacks was written by a version that writes the path of the address. */
export function isOneService(base: unknown, head: unknown): boolean {
  const isPair = typeof base === "string" && typeof head === "string";
  return base === head || (isPair && (namesSameService(base, head) || namesSameService(head, base)));
}
