import type { Terminal } from "../terminal";

/** A table for people. On a terminal, it is as wide as the terminal at most: long cells are cut. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  // biome-ignore lint/style/noCommonJs: loaded with the first table, because most commands show none.
  const Table = require("cli-table3") as typeof import("cli-table3");
  const colWidths = widthsOf(titles, rows, terminal.width ?? Number.POSITIVE_INFINITY);
  const style = { head: [], border: [], "padding-left": 0, "padding-right": padding };
  const lines = [titles.map((title) => terminal.style("bold", title)), ...rows.map((row) => row.map(oneLine))];
  const parts: string[] = [];
  // The library takes more than twice the time for twice the lines.
  for (let begin = 0; begin < lines.length; begin += linesAtOnce) {
    const made = new Table({ style, chars: noLines, colWidths });
    made.push(...lines.slice(begin, begin + linesAtOnce));
    parts.push(made.toString());
  }
  return parts
    .join("\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

const linesAtOnce = 200;

const noLines = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat("mid", "left-mid", "mid-mid", "right-mid", "middle")
    .map((name) => [name, ""]),
);

const padding = 2;
const leastWidth = 6;

/** Every column gets what it needs, unless all together are too wide: then the widest ones share what is left. */
function widthsOf(titles: readonly string[], rows: readonly (readonly string[])[], width: number): number[] {
  const wanted = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? "") + padding), widthOf(title) + padding),
  );
  const widths = [...wanted];
  for (let over = sum(widths) - width; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= leastWidth) {
      break;
    }
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Characters of East Asian scripts take two columns. Never less than the library finds, which would cut the cell. */
function widthOf(text: string): number {
  return [...oneLine(text)].reduce((width, character) => width + (narrow.test(character) ? 1 : 2), 0);
}

/** With the ellipsis of cut values. */
const narrow = /[\0-\u10ff\u2026]/;

/** Cells come from the service: a control character must not reach the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, " ");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
