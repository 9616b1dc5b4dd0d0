import { Option } from "commander";
import { counted } from "../../../src/values/words";
import type { CliCommand } from "../command";
import { addField, documentOf } from "../compare/compareCommand";
import { requireCompared } from "../compare/comparison";
import type { Condition } from "../compare/conditions";
import { addCondition, fieldsOf } from "../compare/conditions";
import type { StackResource } from "../connection/stackTasks";
import { stackResources } from "../connection/stackTasks";
import { CliError } from "../exitCodes";
import { inputText } from "../inputFile";
import type { Plan } from "../planReport/plan";
import { readPlan } from "../planReport/plan";
import type { StackState } from "./exportPairs";
import { exportPairs, isOneService, nameInProgram } from "./exportPairs";
import type { Review } from "./review";
import { reviewPairs } from "./review";
import { reviewReport } from "./reviewReport";
import { stateChanges } from "./stateChanges";

interface Flags {
  baseStack: string;
  headStack: string;
  plan?: string;
  key?: string[];
  ignore?: string[];
  failOn?: Condition[];
  values: boolean;
}

export const reviewCommand: CliCommand = {
  name: "review",
  summary: "compare the configuration and the rows of two stacks, as Markdown for a pull request",
  details:
    "Exports of the same name are compared if their runs differ: their files, or the batches of their runs where a file is gone. " +
    "With --plan, only exports of the tasks that it changes are compared. Nothing is written or marked. Needs the package @duckdb/node-api.",
  connects: false,
  options: [
    new Option("--base-stack <name>", "stack with the old rows, such as production").makeOptionMandatory(),
    new Option("--head-stack <name>", "stack with the new rows, such as a trial of a change").makeOptionMandatory(),
    new Option(
      "--plan <file>",
      "output of pulumi preview --json --show-sames of the base stack with the changed program; - for standard input",
    ),
    new Option(
      "-k, --key <field>",
      "field that names a row; can be given several times (default: a field that the checks of the export declare unique)",
    ).argParser(addField),
    new Option("--ignore <field>", "field that is not compared; can be given several times").argParser(addField),
    new Option(
      "--fail-on <condition>",
      "condition of each export in which the exit code is 1, as in compare; can be given several times",
    ).argParser(addCondition),
    new Option("--no-values", "show no values of rows"),
  ],
  examples: [
    { line: "review --base-stack prod --head-stack trial > review.md", does: "compares all exports of both stacks" },
    {
      line: "review --base-stack prod --head-stack trial --plan plan.json --key sku",
      does: "compares what a plan changes, row by row",
    },
  ],
  async run({ options }, cli) {
    const flags = options as unknown as Flags;
    const { baseStack, headStack, failOn: conditions = [], values: withValues } = flags;
    if (baseStack === headStack) {
      throw new CliError(`--base-stack and --head-stack are both "${baseStack}". Name two stacks.`, "usage");
    }
    const key = [...new Set(flags.key)];
    const ignored = [...new Set(flags.ignore)];
    requireCompared(ignored, key, fieldsOf(conditions));
    const plan = flags.plan === undefined ? undefined : readPlan(await inputText(flags.plan, cli));
    const base = { stack: baseStack, resources: await stackResources(baseStack, cli.interrupted) };
    const head = { stack: headStack, resources: await stackResources(headStack, cli.interrupted) };
    requireOwnTasks(base, head);
    const pairs = exportPairs(base, head, plan);
    const review = await reviewPairs(pairs, { key, ignored, conditions, plan, values: withValues }, cli);
    const failures = failuresIn(review, conditions.length > 0, plan);
    const markdown = reviewReport({
      ...{ review, failures, withValues },
      stacks: { base: baseStack, head: headStack },
      changes: plan ?? stateChanges(base, head),
      isPreview: plan !== undefined,
    });
    const names = (some: Review["onlyBase"]): string[] => some.map(({ name }) => name);
    return {
      json: {
        failed: failures,
        exports: review.compared.map(({ pair: { name, task }, comparison }) => {
          const { failed: _failed, ...document } = documentOf(comparison, [], withValues);
          return { name, task, ...document };
        }),
        notComparable: review.notComparable.map(({ pair: { name, task }, reason }) => ({ name, task, reason })),
        only: { base: names(review.onlyBase), head: names(review.onlyHead) },
        notCompared: { sameRun: names(review.sameRun), notInPlan: names(review.notInPlan) },
        markdown,
      },
      text: () => markdown,
      hasProblems: failures.length > 0,
    };
  },
};

/**
 * An export only reads its task.
 * @throws CliError if the head changes or runs tasks of the base
 */
function requireOwnTasks(base: StackState, head: StackState): void {
  const isOfBase = (outputs: StackResource["outputs"]): boolean =>
    base.resources.some(
      (each) => each.outputs.taskId === outputs.taskId && isOneService(each.outputs.origin, outputs.origin),
    );
  const shared = head.resources.filter(
    ({ type, outputs }) => type !== "DataExport" && typeof outputs.taskId === "string" && isOfBase(outputs),
  );
  const ids = [...new Set(shared.map(({ outputs }) => String(outputs.taskId)))];
  if (ids.length > 0) {
    const names = `${counted(ids.length, "task")} of stack "${base.stack}" (${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ", …" : ""})`;
    throw new CliError(
      `Stack "${head.stack}" has ${names}, so it changes and runs what it is to be compared with. Nothing was compared. ` +
        `Make a stack with "pulumi config set webextract:trialGroup GROUP", which copies the tasks that the program adopts.`,
      "usage",
    );
  }
}

/**
 * A condition cannot hold for rows that are gone, nor for those of an export that the head lacks, unless the plan
 * deletes it.
 */
function failuresIn({ compared, notComparable, onlyBase }: Review, hasConditions: boolean, plan: Plan | undefined) {
  const deleted = new Set(plan?.changes.flatMap(({ does, urn }) => (does === "delete" ? [nameInProgram(urn)] : [])));
  const unmet = [
    ...notComparable.map(({ pair: { name } }) => ({ name, found: "not comparable" })),
    ...onlyBase.flatMap(({ name, path }) => (deleted.has(path) ? [] : [{ name, found: "not in the head stack" }])),
  ];
  return [
    ...compared.flatMap(({ pair: { name }, failures }) => failures.map((failure) => ({ name, ...failure }))),
    ...(hasConditions ? unmet : []).map(({ name, found }) => ({ name, condition: "--fail-on", found })),
  ];
}
