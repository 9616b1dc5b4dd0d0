import { hideSecrets } from "../../service/errors/secretShapes";

/** Text from names and values, so that it cannot become markup, a mention or a link in a comment of a pull request. */

const longest = 160;

/** A value or a name as code, on one line. */
export function code(text: string): string {
  const line = oneLine(text, longest);
  // Within a table, a pipe ends the cell even in code. Spaces at the ends of code may be dropped.
  return /[`|\\]|^\s|\s$|^$/.test(line) ? `<code>${escaped(line)}</code>` : `\`${line}\``;
}

/** Words, on one line. */
export function plain(text: string, most = longest): string {
  return escaped(oneLine(text, most));
}

function oneLine(text: string, most: number): string {
  // Before the cut: half of a secret could not be found.
  const hidden = hideSecrets(text);
  const cut = hidden.length > most ? `${hidden.slice(0, most)}…` : hidden;
  return cut.replace(/\r?\n/g, "⏎").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "�");
}

/** `@` and the colon of an address too: they would make mentions and links. */
function escaped(text: string): string {
  return text.replace(
    /:(?=\/)|[^\p{L}\p{M}\p{N}\p{So} ,;:.'"/()=⏎…�-]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
}
