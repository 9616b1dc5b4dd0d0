/** A picture (SVG) of the output of a program on a terminal, with its colours. It has its own background, for light and dark pages. */

/** A piece of a line with one style. */
interface Span {
  text: string;
  colour?: string;
  bold: boolean;
}

/** The colours that Pulumi uses, by their numbers: `ESC[38;5;Nm`. All have a contrast of at least 4.5 with the background. */
const colours: Record<number, string> = {
  1: "#ff7b72",
  2: "#56d364",
  3: "#e3b341",
  4: "#79c0ff",
  5: "#d2a8ff",
  6: "#76e3ea",
  9: "#ffa198",
  10: "#7ee787",
  11: "#f2cc60",
  12: "#a5d6ff",
  13: "#e2b6ff",
};
const background = "#0d1117";
const foreground = "#e6edf3";

/** Longer lines continue on the next one, as in a terminal of this width. */
const maxColumns = 104;
const charWidth = 8.4;
const lineHeight = 19;
const baseline = 13;
const margin = 16;

export interface Picture {
  /** Description of the picture, for readers who cannot see it. */
  title: string;
  /** The command, shown as the first line. */
  command?: string;
  /** The output, with ANSI colours. */
  output: string;
}

/** The picture as SVG. The same output always gives the same picture. */
export function terminalPicture({ title, command, output }: Picture): string {
  const lines = linesOf(output.replace(/^\n+/, "").trimEnd());
  const shown = command === undefined ? lines : [[{ text: `$ ${command}`, bold: true }], ...lines];
  const columns = Math.max(...shown.map(lengthOf));
  const width = Math.ceil(columns * charWidth) + 2 * margin;
  const height = shown.length * lineHeight + 2 * margin - 4;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace" font-size="14" fill="${foreground}">`,
    ...shown.flatMap(textsOf),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** The text that a picture shows, line by line: for messages about differences. */
export function textInPicture(svg: string): string {
  const lines: string[] = [];
  for (const [, x, y, text = ""] of svg.matchAll(/<text x="([\d.]+)" y="(\d+)"[^>]*>(.*)<\/text>/g)) {
    const line = (Number(y) - margin - baseline) / lineHeight;
    const column = Math.round((Number(x) - margin) / charWidth);
    lines[line] = (lines[line] ?? "").padEnd(column) + unescaped(text);
  }
  return [...lines].map((line) => line ?? "").join("\n");
}

/** One element for each style of a line. Each has a fixed position and width, so that columns are aligned in every font. */
function textsOf(line: readonly Span[], index: number): string[] {
  let column = 0;
  return line.flatMap(({ text, colour, bold }) => {
    const words = text.trim();
    const x = margin + (column + text.indexOf(words)) * charWidth;
    column += text.length;
    if (words === "") return [];
    const place = `x="${x.toFixed(1)}" y="${margin + baseline + index * lineHeight}"`;
    const length = `textLength="${(words.length * charWidth).toFixed(1)}"`;
    const style = `${colour === undefined ? "" : ` fill="${colour}"`}${bold ? ' font-weight="bold"' : ""}`;
    return [`<text ${place} ${length}${style} xml:space="preserve">${escaped(words)}</text>`];
  });
}

/** Splits the output into lines and styles. A style continues after the end of its line. */
function linesOf(output: string): Span[][] {
  const lines: Span[][] = [[]];
  let style: Omit<Span, "text"> = { bold: false };
  for (const [index, part] of output.split("\u001b[").entries()) {
    // Every part except the first begins with the rest of an escape sequence: `38;5;2mtext`.
    const end = index === 0 ? 0 : part.indexOf("m") + 1;
    if (end > 0) style = styleAfter(style, part.slice(0, end - 1));
    for (const [row, text] of part.slice(end).split("\n").entries()) {
      if (row > 0) lines.push([]);
      add(lines.at(-1) ?? [], { text, ...style });
    }
  }
  return lines.map(withoutTrailingSpace).flatMap(wrapped);
}

function styleAfter(style: Omit<Span, "text">, code: string): Omit<Span, "text"> {
  if (code === "" || code === "0") return { bold: false };
  if (code === "1") return { ...style, bold: true };
  const [, number] = /^38;5;(\d+)$/.exec(code) ?? [];
  const colour = number === undefined ? undefined : colours[Number(number)];
  if (colour === undefined) throw new Error(`The picture has no style for ESC[${code}m.`);
  return { ...style, colour };
}

function add(line: Span[], span: Span): void {
  const last = line.at(-1);
  if (span.text === "") return;
  if (last !== undefined && last.colour === span.colour && last.bold === span.bold) last.text += span.text;
  else line.push(span);
}

/** Breaks a line at its spaces. The continued lines begin below the first word. */
function wrapped(line: Span[]): Span[][] {
  const text = line.map((span) => span.text).join("");
  if (text.length <= maxColumns) return [line];
  const indent = text.search(/\S/);
  const space = text.lastIndexOf(" ", maxColumns);
  const end = space > indent ? space : maxColumns;
  const rest = slice(line, end === space ? end + 1 : end);
  return [slice(line, 0, end), ...wrapped([{ text: " ".repeat(indent), bold: false }, ...rest])];
}

function slice(line: readonly Span[], from: number, to = Number.POSITIVE_INFINITY): Span[] {
  let column = 0;
  return line.flatMap((span) => {
    const start = column;
    column += span.text.length;
    const text = span.text.slice(Math.max(from - start, 0), Math.max(to - start, 0));
    return text === "" ? [] : [{ ...span, text }];
  });
}

function withoutTrailingSpace(line: Span[]): Span[] {
  const last = line.at(-1);
  if (last === undefined) return line;
  const text = last.text.trimEnd();
  return text === "" ? withoutTrailingSpace(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}

function lengthOf(line: readonly Span[]): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
