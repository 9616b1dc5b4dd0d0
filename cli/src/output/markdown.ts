import { hideSecrets } from "../../../src/service/errors/secretShapes";

/**
 * Text from names and values as code, so that it cannot become markup, a mention or a link in a comment of a pull
 * request: in code between backticks nothing comes alive. In an element, such as `<code>`, mail addresses still become
 * links.
 */

/** Of a whole report. Comments of a pull request may have 65,536 characters. */
export const mostCharacters = 60_000;

/** Characters of a value that are shown. */
export const longest = 160;

/** A value, a name or a message, on one line. */
export function code(text: string, most = longest): string {
  const line = oneLine(text, most);
  const runs = line.match(/`+/g) ?? [];
  const fence = "`".repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  // One space at each end is dropped where both ends have one.
  const padded = /^`|`$|^\s.*\s$/.test(line) ? ` ${line} ` : line;
  return `${fence}${padded === "" ? '""' : padded}${fence}`;
}

/** The same in a cell of a table: a bare pipe ends a cell, in code too. */
export function cell(text: string): string {
  return code(text).replaceAll("|", "\\|");
}

/** A type or the kind of a step: as it is if it is one plain word. */
export function word(text: string): string {
  return /^[A-Za-z][A-Za-z0-9]{0,79}(?:-[a-z]{1,20}){0,3}$/.test(text) ? text : code(text);
}

function oneLine(text: string, most: number): string {
  // Before the cut: half of a secret could not be found.
  const hidden = hideSecrets(text);
  const cut = hidden.length > most ? `${hidden.slice(0, most)}…` : hidden;
  return cut.replace(/\r?\n/g, "⏎").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "�");
}

/** As many lines as fit, and a last one with the number of those that do not. */
export function within(most: number, lines: readonly string[], rest: (count: number) => string): string[] {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > most) {
      break;
    }
    shown.push(line);
  }
  const count = lines.length - shown.length;
  return count === 0 ? shown : [...shown, rest(count)];
}
