import { escaped } from "../../../src/service/errors/foreignText";
import { hideSecrets } from "../../../src/service/errors/secretShapes";
import { cell, code, mostCharacters, within } from "../output/markdown";
import { table } from "../output/table";
import type { Terminal } from "../terminal";
import type { Part, Phrase, Report, ReportTable } from "./report";

/** The report for people: what failed comes first. */
export function inTerminal({ failures, lines, tables }: Report, terminal: Terminal): string {
  const failed = failures.map(plain);
  const shown = tables.map(({ titles, rows }) =>
    table(
      titles,
      rows.map((row) => row.map((part) => shortened(plain([part])))),
      terminal,
    ),
  );
  return [failed.join("\n"), lines.map(plain).join("\n"), ...shown].filter((part) => part !== "").join("\n\n");
}

/** On one line, and without characters that a terminal obeys: the colours of a result are those of this program. */
function plain(phrase: Phrase): string {
  return phrase.map((part) => textOf(part, inert)).join("");
}

function textOf(part: Part, inertly: (text: string) => string): string {
  return typeof part === "string" ? part : "foreign" in part ? inertly(part.foreign) : part.text;
}

/** Values that look like secrets are hidden before any cut, because half of one could not be found. */
export function inert(text: string): string {
  return escaped(hideSecrets(text));
}

const longestCell = 80;

function shortened(text: string): string {
  return text.length > longestCell ? `${text.slice(0, longestCell)}…` : text;
}

/** Parts of all characters. Of each table but the last one, which gets the rest. */
const mostOf = { failures: 0.1, lines: 0.16, table: 0.42 };
const reserve = 500;

/** The report for a pull request: at most 60,000 characters. What does not fit is counted. */
export function inMarkdown({ failures, lines, tables }: Report, title = "## Rows", most = mostCharacters): string {
  const facts = within(
    most * mostOf.lines,
    lines.map((phrase) => `- ${inCode(phrase)}`),
    (count) => `- … and ${count} more lines`,
  );
  const failed = failuresInMarkdown(failures, most * mostOf.failures);
  const parts = [title, failed, facts.join("\n")].filter((part) => part !== "");
  for (const [index, each] of tables.entries()) {
    const used = parts.reduce((sum, part) => sum + part.length + 2, 0);
    const left = most - reserve - used;
    parts.push(tableInMarkdown(each, index < tables.length - 1 ? Math.min(most * mostOf.table, left) : left));
  }
  return `${parts.join("\n\n")}\n`;
}

export function failuresInMarkdown(failures: readonly Phrase[], most: number): string {
  const lines = failures.map((phrase) => `> - ${inCode(phrase)}`);
  const failed = within(most, lines, (count) => `> - … and ${count} more failed conditions`);
  return failed.length === 0 ? "" : ["> [!CAUTION]", ...failed].join("\n");
}

export function tableInMarkdown({ what, titles, rows }: ReportTable, most: number): string {
  const head = [`| ${titles.join(" | ")} |`, `|${"---|".repeat(titles.length)}`];
  const body = within(
    most - head.join("\n").length,
    rows.map((row) => `| ${row.map((part) => textOf(part, cell)).join(" | ")} |`),
    (count) => `| … and ${count} more ${what} |${" |".repeat(titles.length - 1)}`,
  );
  return [...head, ...body].join("\n");
}

function inCode(phrase: Phrase): string {
  return phrase.map((part) => textOf(part, code)).join("");
}
