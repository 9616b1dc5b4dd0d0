import { isUnknownText } from "../../../src/values/engineValues";
import { isRecord } from "../../../src/values/plain";
import { isTask, partsOfUrn } from "../../../src/values/urn";
import { counted } from "../../../src/values/words";
import { cell, code, mostCharacters, within, word } from "../output/markdown";
import { byName } from "../output/table";
import { calloutsOf } from "./callouts";
import type { Plan, ResourceChange } from "./plan";
import type { PropertyChange } from "./propertyChanges";
import { propertyChanges } from "./propertyChanges";

/** Of all characters. */
const mostCalloutsOfAKind = 4_000;
const mostDiagnostics = 10_000;
const mostRows = 40;

/** The plan as Markdown for a pull request: at most 60,000 characters. What does not fit is counted. */
export function planReport(plan: Plan, most = mostCharacters): string {
  const head = [headOf(plan), calloutsIn(plan), diagnosticsIn(plan)].filter((part) => part !== "");
  const used = head.reduce((sum, part) => sum + part.length + 2, 0);
  return `${[...head, ...changesIn(plan, most - used, "Run `pulumi preview --diff` to see them.")].join("\n\n")}\n`;
}

/**
 * Paragraphs with the changes, each task together.
 * @param next what to do to see what is left out
 */
export function changesIn(plan: Plan, most: number, next: string): string[] {
  const parts: string[] = [];
  const leftOut: ResourceChange[] = [];
  let left = most - reserve;
  for (const { title, changes } of groupsOf(plan)) {
    let heading = [`### ${title}`];
    for (const change of changes) {
      const paragraphs = [...heading, wholeChange(change)];
      const length = paragraphs.reduce((sum, each) => sum + each.length + 2, 0);
      if (length > left) {
        leftOut.push(change);
      } else {
        parts.push(...paragraphs);
        left -= length;
        heading = [];
      }
    }
  }
  return leftOut.length === 0
    ? parts
    : [...parts, `${counted(leftOut.length, "more change")}: ${countsOf(leftOut)}. ${next}`];
}

/** For the last line. */
const reserve = 400;

const verbs = ["adopt", "create", "update", "replace", "delete"];

function headOf({ changes, diagnostics }: Plan): string {
  const hasFailed = diagnostics.some(({ severity }) => severity === "error");
  const none = hasFailed ? "The preview failed." : "No changes.";
  return `## Preview\n\n${changes.length === 0 ? none : `${countsOf(changes)}.`}`;
}

/** How many there are of each kind of change. */
export function countsOf(changes: readonly ResourceChange[]): string {
  const counts = new Map<string, number>();
  for (const change of changes) {
    const does = doesOf(change);
    counts.set(does, (counts.get(does) ?? 0) + 1);
  }
  const kinds = [...new Set([...verbs, ...counts.keys()])].filter((does) => counts.has(does)).slice(0, 10);
  return kinds.map((does) => `${counts.get(does)} to ${word(does)}`).join(", ");
}

/** The engine calls an adoption a create. */
function doesOf({ does, isOurs, now }: ResourceChange): string {
  const source = isRecord(now.from) ? now.from : now;
  const isAdopted = source.adoptTaskId !== undefined || now.adoptLotNo !== undefined;
  return does === "create" && isOurs && isAdopted ? "adopt" : does;
}

function calloutsIn({ changes }: Plan): string {
  const byKind = new Map<string, string[]>();
  for (const { change, says, kind } of calloutsOf(changes)) {
    byKind.set(kind, [...(byKind.get(kind) ?? []), `> - ${word(change.type)} ${code(change.name)} ${says}.`]);
  }
  const shown = [...byKind].flatMap(([kind, lines]) =>
    within(mostCalloutsOfAKind, lines, (count) => `> - … and ${count} more ${kind}.`),
  );
  return shown.length === 0 ? "" : ["> [!WARNING]", ...shown].join("\n");
}

function diagnosticsIn({ diagnostics }: Plan): string {
  const lines = diagnostics
    .filter(({ severity }) => severity === "error" || severity === "warning")
    .map(
      ({ severity, message }) => `- ${severity}: ${code(message.trim().replace(/^(?:error|warning): /, ""), 1_000)}`,
    );
  const all = [...new Set(lines)];
  return within(mostDiagnostics, all, (count) => `- … and ${count} more messages.`).join("\n");
}

interface Group {
  title: string;
  changes: ResourceChange[];
}

/**
 * The changes of each task together, by the names of the tasks; resources without a task at the end, by their names.
 */
function groupsOf({ changes, urnsById }: Plan): Group[] {
  const byUrn = new Map(changes.map((change) => [change.urn, change]));
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const task = taskOf(change, urnsById);
    const group = groups.get(task) ?? { title: titleOf(task, byUrn), changes: [] };
    group.changes.push(change);
    groups.set(task, group);
  }
  groups.get("")?.changes.sort((a, b) => byName(a.name, b.name));
  return [...groups]
    .sort(([a, { title: one }], [b, { title: other }]) => Number(a === "") - Number(b === "") || byName(one, other))
    .map(([, group]) => group);
}

/** The URN of the task's resource, or the id of a task that has none; empty for a resource without a task. */
function taskOf(change: ResourceChange, urnsById: ReadonlyMap<string, string>): string {
  if (!change.isOurs) {
    return "";
  }
  if (isTask(change.urn)) {
    return change.urn;
  }
  const source = change.sourcesOf("taskId").find(isTask);
  const taskId = change.now.taskId ?? change.old.taskId;
  if (source !== undefined || typeof taskId !== "string") {
    return source ?? "";
  }
  return urnsById.get(taskId) ?? (isUnknownText(taskId) ? "" : taskId);
}

function titleOf(task: string, byUrn: ReadonlyMap<string, ResourceChange>): string {
  if (task === "") {
    return "Other resources";
  }
  const name = task.startsWith("urn:") ? partsOfUrn(task).name : task;
  const id = byUrn.get(task)?.id;
  return `Task ${code(name)}${id === undefined || id === name ? "" : ` (${code(id)})`}`;
}

function titleOfChange(change: ResourceChange): string {
  const { type, name, replaceReasons } = change;
  const does = doesOf(change);
  if (does === "adopt") {
    const how = type === "CloudRun" ? "starts nothing" : "changes only values that differ";
    return `**adopt** ${word(type)} ${code(name)}: ${how}`;
  }
  const reasons = replaceReasons.slice(0, 5).map((each) => code(each));
  const why = reasons.length === 0 ? "" : `, because ${reasons.join(", ")} changed`;
  return `**${word(does)}** ${word(type)} ${code(name)}${why}`;
}

function wholeChange(change: ResourceChange): string {
  const rows = change.does === "delete" ? [] : propertyChanges(change);
  if (rows.length === 0) {
    return titleOfChange(change);
  }
  const more = rows.length - mostRows;
  const table = [
    "| property | old | new |",
    "|---|---|---|",
    ...rows.slice(0, mostRows).map(rowOf),
    ...(more > 0 ? [`| … and ${more} more properties | | |`] : []),
  ];
  return `${titleOfChange(change)}\n\n${table.join("\n")}`;
}

function rowOf({ path, old, now, lines }: PropertyChange): string {
  if (lines === undefined) {
    return `| ${cell(path)} | ${cellOf(old)} | ${cellOf(now)} |`;
  }
  const { added, removed, examples } = lines;
  const counts = added + removed === 0 ? "the same lines in another order" : `+${added} / -${removed}`;
  const more = added + removed - examples.length;
  const shown = [...examples.map(cell), ...(more > 0 ? [`… and ${more} more`] : [])];
  return `| ${cell(path)} | | ${[counts, ...shown].join("<br>")} |`;
}

function cellOf(value: string | undefined): string {
  return value === undefined ? "" : cell(value);
}
