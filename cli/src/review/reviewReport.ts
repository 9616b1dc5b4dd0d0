import { counted } from "../../../src/values/words";
import { failuresInMarkdown, inMarkdown, tableInMarkdown } from "../compare/renderReport";
import type { FilledShares, Part } from "../compare/report";
import { fieldChanges, foreign, reportOf } from "../compare/report";
import { code, mostCharacters, within } from "../output/markdown";
import type { Plan } from "../planReport/plan";
import { changesIn, countsOf, planReport } from "../planReport/planReport";
import type { ExportPair } from "./exportPairs";
import type { Compared, Review } from "./review";

/** What the report of a review is made of. */
export interface ReviewContent {
  readonly review: Review;
  readonly stacks: { readonly base: string; readonly head: string };
  /** Of `pulumi preview`, or the differences of the states. */
  readonly changes: Plan;
  readonly isPreview: boolean;
  /** One for each failed condition. */
  readonly failures: readonly { readonly name: string; readonly condition: string; readonly found: string }[];
  /** Whether values of rows may be shown. */
  readonly withValues: boolean;
}

/** Of all characters. */
const mostOfFailures = 5_000;
const mostOfChanges = 24_000;
const mostOfTable = 10_000;
const mostOfList = 2_000;
/** A shorter part of a report says nothing. */
const leastOfExport = 1_500;

/** A review as Markdown for a pull request: at most 60,000 characters. What does not fit is counted. */
export function reviewReport(content: ReviewContent): string {
  const { review, failures } = content;
  const failed = failures.map(({ name, condition, found }) => [
    ...[foreign(name), ": ", foreign(condition), " failed: ", foreign(found)],
  ]);
  const parts = [
    failuresInMarkdown(failed, mostOfFailures),
    configurationIn(content),
    "## Rows",
    ...listsIn(content),
    tableIn(review),
  ];
  const head = parts.filter((part) => part !== "");
  const used = head.reduce((sum, part) => sum + part.length + 2, 0);
  return `${[...head, ...exportsIn(content, mostCharacters - used)].join("\n\n")}\n`;
}

function configurationIn({ changes, isPreview, stacks }: ReviewContent): string {
  if (isPreview) {
    return planReport(changes, mostOfChanges).trimEnd();
  }
  const { base, head } = stacks;
  const counts = changes.changes.length === 0 ? "no differences" : countsOf(changes.changes);
  const next = "`pulumi stack export` shows the states.";
  const title = `## Configuration\n\nFrom stack ${code(base)} to stack ${code(head)}: ${counts}.`;
  return [title, ...changesIn(changes, mostOfChanges, next)].join("\n\n");
}

/** What has no rows to show comes first: it is short, and a reader must not overlook it. */
function listsIn({ review, stacks }: ReviewContent): string[] {
  const { compared, notComparable, onlyBase, onlyHead, sameRun, notInPlan } = review;
  const gone = notComparable.map(({ pair, reason }) => `- not comparable: ${code(pair.name)}: ${code(reason, 400)}`);
  const names = (pairs: readonly ExportPair[]): string => {
    const all = pairs.map(({ name }) => code(name));
    return within(mostOfList, all, (count) => `… and ${count} more`).join(", ");
  };
  const quiet = [
    ...(sameRun.length > 0 ? [`${counted(sameRun.length, "export")} of the same run in both stacks`] : []),
    ...(notInPlan.length > 0 ? [`${counted(notInPlan.length, "export")} of tasks that the plan does not change`] : []),
  ];
  const lines = [
    ...within(2 * mostOfList, gone, (count) => `- … and ${count} more that are not comparable`),
    ...(onlyHead.length > 0 ? [`- Only in stack ${code(stacks.head)}: ${names(onlyHead)}`] : []),
    ...(onlyBase.length > 0 ? [`- Only in stack ${code(stacks.base)}: ${names(onlyBase)}`] : []),
    ...(quiet.length > 0 ? [`- Not compared: ${quiet.join(", ")}`] : []),
  ];
  return [
    ...(compared.length === 0 ? ["No rows were compared."] : []),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ];
}

/** One line for each export, if there are several. */
function tableIn({ compared }: Review): string {
  if (compared.length < 2) {
    return "";
  }
  const rows = compared.map(({ pair, comparison: { base, head, keyed, fields } }): Part[] => {
    const counts = [keyed?.added.rows, keyed?.removed.rows, keyed?.changed].map((count) => String(count ?? ""));
    const shares = (side: "base" | "head"): FilledShares =>
      new Map(fields.filter(({ only = side }) => only === side).map(({ name, filled }) => [name, filled[side]]));
    const change = base.rows === head.rows ? String(base.rows) : `${base.rows} -> ${head.rows}`;
    const changes = fieldChanges(shares("base"), shares("head"));
    return [foreign(pair.name), change, ...counts, changes === "" ? "" : foreign(changes)];
  });
  const titles = ["export", "rows", "added", "removed", "changed", "filled shares and fields that changed"];
  return tableInMarkdown({ what: "exports", titles, rows }, mostOfTable);
}

/** The report of each export, as long as there is space. Those that failed come first. */
function exportsIn({ review, withValues }: ReviewContent, most: number): string[] {
  const { compared } = review;
  const inOrder = [...compared].sort((one, other) => Number(isFine(one)) - Number(isFine(other)));
  const parts: string[] = [];
  let left = most - leastOfExport;
  for (const [index, { pair, comparison }] of inOrder.entries()) {
    const fairShare = Math.max(left / (inOrder.length - index), 2 * leastOfExport);
    if (left < leastOfExport) {
      parts.push(
        `The rows of ${counted(inOrder.length - index, "more export")} are left out. \`webextract compare\` shows those of one.`,
      );
      break;
    }
    const title = `### Export ${code(pair.name)}${pair.task === pair.name ? "" : ` of task ${code(pair.task)}`}`;
    const text = inMarkdown(reportOf(comparison, [], withValues), title, Math.min(fairShare, left)).trimEnd();
    parts.push(text);
    left -= text.length + 2;
  }
  return parts;
}

function isFine({ failures }: Compared): boolean {
  return failures.length === 0;
}
