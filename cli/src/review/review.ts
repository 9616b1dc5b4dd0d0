import { isServiceError } from "../../../src/service/errors/errors";
import type { CommandContext } from "../commandContext";
import { compareIn } from "../compare/compareCommand";
import type { Comparison } from "../compare/comparison";
import { requireFields } from "../compare/comparison";
import type { Condition, Failure } from "../compare/conditions";
import { failuresOf, fieldsOf, needsKey } from "../compare/conditions";
import type { Side } from "../compare/sides/side";
import { CliError } from "../exitCodes";
import type { Plan } from "../planReport/plan";
import type { ExportPair, StackExport } from "./exportPairs";
import { isSameRun, nameInProgram } from "./exportPairs";
import { RowsOf } from "./rowsOf";

/** What a review has found about the exports of two stacks. */
export interface Review {
  readonly compared: readonly Compared[];
  readonly notComparable: readonly { readonly pair: ExportPair; readonly reason: string }[];
  readonly onlyBase: readonly ExportPair[];
  readonly onlyHead: readonly ExportPair[];
  /** Both stacks have the rows of the same run. */
  readonly sameRun: readonly ExportPair[];
  /** The plan changes nothing of their tasks. */
  readonly notInPlan: readonly ExportPair[];
}

export interface Compared {
  readonly pair: ExportPair;
  readonly comparison: Comparison;
  readonly failures: readonly Failure[];
}

export interface ReviewOptions {
  /** For all exports whose rows have these fields. */
  readonly key: readonly string[];
  /** Fields that are not compared, of all exports that have them. */
  readonly ignored: readonly string[];
  readonly conditions: readonly Condition[];
  /** Only exports that it changes are compared. */
  readonly plan?: Plan;
  /** Whether messages may show names that the user has not given: those of a CSV without a header are values. */
  readonly values: boolean;
}

/** Compares the rows of all exports that differ in their run. Reads only. */
export async function reviewPairs(
  pairs: readonly ExportPair[],
  options: ReviewOptions,
  cli: CommandContext,
): Promise<Review> {
  const isChanged = changedBy(options.plan);
  const [both, one] = split(pairs.filter(isChanged), ({ base, head }) => base !== undefined && head !== undefined);
  const [sameRun, differing] = split(both, ({ base, head }) => isSameRun(base as StackExport, head as StackExport));
  const rowsOf = new RowsOf(cli);
  const compared: Compared[] = [];
  const notComparable: { pair: ExportPair; reason: string }[] = [];
  const fields = new Set<string>();
  for (const pair of differing) {
    try {
      compared.push(await comparePair(pair, { ...options, rowsOf, fields }, cli));
    } catch (error) {
      cli.checkInterrupted("The rows were not compared.");
      notComparable.push({ pair, reason: reasonOf(error) });
    }
  }
  const names = [...fields];
  requireFields(options.key, names, "--key", options.values);
  requireFields(options.ignored, names, "--ignore", options.values);
  requireFields(fieldsOf(options.conditions), names, "--fail-on", options.values);
  return {
    ...{ compared, notComparable, sameRun },
    onlyBase: one.filter(({ base }) => base !== undefined),
    onlyHead: one.filter(({ head }) => head !== undefined),
    notInPlan: pairs.filter((pair) => !isChanged(pair)),
  };
}

/** @throws the error, if it is about more than the rows of one export, such as a wrong option */
function reasonOf(error: unknown): string {
  if (isServiceError(error, "notFound", "notYours", "refused")) {
    return `a file is not here, or has changed, and the service refuses the batch: ${error.said ?? error.message}`;
  }
  if (error instanceof CliError && error.exit === "failed") {
    return error.message;
  }
  throw error;
}

/** Whether a plan changes an export or another part of its task. */
function changedBy(plan: Plan | undefined): (pair: ExportPair) => boolean {
  if (plan === undefined) {
    return () => true;
  }
  const changes = plan.changes.filter(({ isOurs }) => isOurs);
  const paths = new Set(changes.map(({ urn }) => nameInProgram(urn)));
  const tasks = new Set(changes.flatMap(({ id, old, now }) => [id, old.taskId, now.taskId]));
  return ({ path, base }) => paths.has(path) || tasks.has(base?.taskId ?? path);
}

interface PairOptions extends ReviewOptions {
  readonly rowsOf: RowsOf;
  /** Gets the fields of the rows. */
  readonly fields: Set<string>;
}

async function comparePair(pair: ExportPair, options: PairOptions, cli: CommandContext): Promise<Compared> {
  const { conditions, values, rowsOf, fields } = options;
  const [base, head] = [pair.base as StackExport, pair.head as StackExport];
  cli.terminal.progress(`Comparing the rows of ${pair.name}`);
  const sides = { base: await rowsOf.side(base), head: await rowsOf.side(head) };
  let usable: readonly Condition[] = [];
  const comparison = await compareIn(cli, sides, {}, (loaded) => {
    const [ofBase, ofHead] = [loaded.base.fields, loaded.head.fields];
    requireRows(sides.base, base, loaded.base.rows);
    requireRows(sides.head, head, loaded.head.rows);
    for (const each of [...ofBase.keys(), ...ofHead.keys()]) {
      fields.add(each);
    }
    const ignored = options.ignored.filter((name) => ofBase.has(name) || ofHead.has(name));
    const isKey = (name: string): boolean => ofBase.has(name) && ofHead.has(name) && !ignored.includes(name);
    usable = conditions.filter((each) => fieldsOf([each]).every((name) => ofBase.has(name) || ofHead.has(name)));
    return { key: keyFor(pair, options.key, isKey), conditionFields: [], ignored, values, details: false };
  });
  const [keyless, measurable] = split(usable, (each) => comparison.key.length === 0 && needsKey(each));
  const notes = [
    ...notesOf(base, sides.base, comparison.base.rows),
    ...notesOf(head, sides.head, comparison.head.rows),
  ];
  const unknown = keyless.map(({ text }) => ({ condition: text, found: "there is no key" }));
  const withNotes = { ...comparison, notes: [...comparison.notes, ...notes] };
  return { pair, comparison: withNotes, failures: [...unknown, ...failuresOf(measurable, comparison)] };
}

/** The given key, or the first field that the checks of the export declare unique: what the rows of both sides have. */
function keyFor({ base, head }: ExportPair, given: readonly string[], isField: (name: string) => boolean) {
  if (given.length > 0 && given.every(isField)) {
    return given;
  }
  const unique = [...(head?.unique ?? []), ...(base?.unique ?? [])].find(isField);
  return unique === undefined ? [] : [unique];
}

/** A service has no rows for a batch that it has removed. */
function requireRows({ kind, name }: Side, { file }: StackExport, rows: number): void {
  if (kind === "batch" && rows === 0 && Number(file?.rowCount ?? 0) > 0) {
    throw new CliError(`the file "${file?.file}" is not here, or has changed, and the batch ${name} has no rows`);
  }
}

/** What a reader must know about the rows of a side. */
function notesOf({ stack, file, runLabel }: StackExport, { kind }: Side, rows: number): string[] {
  return [
    ...(runLabel === undefined ? [] : [`Run of stack "${stack}" under the label ${runLabel}.`]),
    ...(file?.complete === false ? [`Stack "${stack}" has exported only a part of the rows.`] : []),
    ...(kind === "batch" && file !== undefined && file.rowCount !== rows
      ? [`Stack "${stack}" has exported ${String(file.rowCount)} rows of this run, which has ${rows} rows now.`]
      : []),
  ];
}

function split<T>(all: readonly T[], is: (each: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter((each) => !is(each))];
}
