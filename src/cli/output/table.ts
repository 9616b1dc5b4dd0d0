import type { Terminal } from "../terminal";

/** The order of names for people: run-2 comes before run-10. */
export const byName = new Intl.Collator("en", { numeric: true }).compare;

/** A table for people. On a terminal, it is as wide as the terminal at most: long cells are cut. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const lines = [titles, ...rows].map((cells) => cells.map(oneLine));
  const widths = titles.map((_title, column) =>
    lines.reduce((most, cells) => Math.max(most, widthOf(cells[column] ?? "")), 0),
  );
  narrow(widths, (terminal.width ?? Number.POSITIVE_INFINITY) - gap.length * (titles.length - 1));
  return lines
    .map((cells) => cells.map((cell, column) => padded(cell, widths[column] ?? 0)).join(gap))
    .map((line) => line.trimEnd())
    .join("\n");
}

const gap = "  ";
const leastWidth = 4;

/** The widest columns lose what is too much. */
function narrow(widths: number[], most: number): void {
  for (let over = widths.reduce((sum, width) => sum + width, 0) - most; over > 0; over--) {
    const widest = Math.max(...widths);
    if (widest <= leastWidth) {
      return;
    }
    widths[widths.indexOf(widest)] = widest - 1;
  }
}

function padded(text: string, width: number): string {
  let shown = text;
  if (widthOf(text) > width) {
    shown = "";
    for (const character of text) {
      if (widthOf(shown + character) >= width) {
        break;
      }
      shown += character;
    }
    shown += "…";
  }
  return shown + " ".repeat(width - widthOf(shown));
}

/** Characters of East Asian scripts take two columns. */
function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (/[\0-\u10ff\u2026]/.test(character) ? 1 : 2), 0);
}

/** Cells come from the service: a control character must not reach the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, " ");
}
