import type { Terminal } from "./terminal";

/** A table for people. On a terminal, it is as wide as the terminal at most: long cells are cut. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  // biome-ignore lint/style/noCommonJs: loaded with the first table, because most commands show none.
  const Table = require("cli-table3") as typeof import("cli-table3");
  const { width } = terminal;
  const made = new Table({
    head: titles.map((title) => terminal.style("bold", title)),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
    chars: noLines,
    ...(width === undefined ? {} : { colWidths: widthsOf(titles, rows, width) }),
  });
  made.push(...rows.map((row) => row.map(oneLine)));
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

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
    Math.max(leastWidth, ...[title, ...rows.map((row) => row[column] ?? "")].map((cell) => widthOf(cell) + padding)),
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

/** Characters of East Asian scripts take two columns. */
function widthOf(text: string): number {
  return [...oneLine(text)].reduce(
    (width, character) => width + ((character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1),
    0,
  );
}

/** Cells come from the service: a control character must not reach the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, " ");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
