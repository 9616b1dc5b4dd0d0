import widthOf from "fast-string-width";
import type { Terminal } from "../terminal";
import { fitting } from "../terminal";

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
  const shown = fitting(text, width, "…");
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)));
}

/** Cells come from the service: a control character must not reach the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, " ");
}
