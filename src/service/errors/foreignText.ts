/**
 * Prepares foreign text for messages. The order matters: hide before cutting, so that no half of a hidden word is left.
 */

/** Characters that are shown. */
const longestLine = 300;
/** Without line breaks, escape sequences and invisible characters, each run of which becomes one space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
}

/** Printable, and cut to 300 characters. */
export function oneLine(text: string): string {
  return cut(printable(text));
}

function cut(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

/**
 * A name in quotation marks, cut to 300 characters. White space at its ends stays, because it makes another name of it,
 * and a character that would not be seen is an escape.
 */
export function quoted(name: string): string {
  return `"${cut(escaped(name).replace(invisibleSpace, escapeOf))}"`;
}

const invisibleSpace = /[^\S ]/g;

/** An id in a sentence: in quotation marks only if a reader would not see all of it. */
export function shownId(id: string): string {
  return quoted(id) === `"${id}"` && id.trim() === id && id !== "" ? id : quoted(id);
}

/**
 * Text of several lines for a terminal or a log. What could change the screen, hide text or forge a command of a CI
 * system is written as an escape, such as `\\u001b`. Everything that is printed passes this function, except rows on
 * standard output.
 */
export function shownText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[^\P{Cc}\t\n]|[^\P{Cf}\u200c\u200d]|[\p{Cs}\u2028\u2029]/gu, escapeOf)
    .replace(/##(?=\[|vso\[|teamcity\[)/gi, () => `#${escapeOf("#")}`)
    .split("\n")
    .map((line) => (line.trimStart().startsWith("::") ? line.replace(":", escapeOf(":")) : line))
    .join("\n");
}

/** A line in which each character that would not be seen is an escape. */
export function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escapeOf);
}

/** The character as in a string of JSON. */
export function escapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
