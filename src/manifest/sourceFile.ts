/** The text of a file, for positions. */
export class SourceFile {
  private lineStarts: number[] | undefined;

  constructor(
    /** As a user names it in an error. */
    readonly name: string,
    readonly text: string,
  ) {}

  /** Line and column, both from 1. */
  positionOf(offset: number): { line: number; column: number } {
    this.lineStarts ??= startsOf(this.text);
    let [low, high] = [0, this.lineStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low + 1, column: offset - (this.lineStarts[low] ?? 0) + 1 };
  }

  /** The line with a mark below the column. Of a long line only the part around the column. */
  snippetOf({ line, column }: { line: number; column: number }): string {
    const start = this.lineStarts?.[line - 1] ?? 0;
    const end = this.text.indexOf("\n", start);
    const from = start + Math.max(0, column - 1 - charactersBefore);
    const to = Math.min(end < 0 ? this.text.length : end, from + mostCharacters);
    const shown = this.text.slice(from, to).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
    const number = `${line}`;
    const mark = " ".repeat([...this.text.slice(from, start + column - 1)].length);
    return `  ${number} | ${shown.trimEnd()}\n  ${" ".repeat(number.length)} | ${mark}^`;
  }
}

const charactersBefore = 60;
const mostCharacters = 110;

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}
