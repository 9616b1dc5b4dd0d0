/**
 * Prepares foreign text for messages. The order matters: hide before cutting, so that no half of a hidden word is left.
 */

/** Characters that are shown. */
const longestLine = 300;
/** A shorter word occurs within others by chance: it is hidden only as a whole word. */
const shortestPart = 4;

/**
 * Replaces the words wherever they occur, in any letter case.
 * @param words in lower case, see {@link lowerCase}
 * @param most characters of the text that are kept; a word that begins within them is compared as a whole
 */
export function hideWords(
  text: string,
  words: readonly string[],
  replacement: string,
  most = Number.POSITIVE_INFINITY,
): string {
  const longestWord = words.reduce((longest, word) => Math.max(longest, word.length), 0);
  const lower = lowerCase(text.slice(0, most + longestWord));
  const isHidden = new Uint8Array(lower.length);
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0 && word !== ""; at = lower.indexOf(word, at + word.length)) {
      if (word.length >= shortestPart || standsAlone(lower, at, word.length)) isHidden.fill(1, at, at + word.length);
    }
  }
  let shown = "";
  for (let at = 0; at < Math.min(lower.length, most); at += 1) {
    if (isHidden[at] === 0) shown += text[at];
    else if (isHidden[at - 1] !== 1) shown += replacement;
  }
  return shown;
}

/** Each spelling in which a service can repeat a word: as it is, as part of a URL, as part of JSON. */
export function spellingsOf(word: string): string[] {
  // A lone surrogate has no percent-encoding.
  const wellFormed = Buffer.from(word).toString("utf8");
  const inForm = new URLSearchParams({ "": wellFormed }).toString().slice(1);
  return [...new Set([word, encodeURIComponent(wellFormed), inForm, JSON.stringify(word).slice(1, -1)])];
}

/** In lower case and of the same length. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function standsAlone(text: string, at: number, length: number): boolean {
  const around = `${text[at - 1] ?? ""}${text[at + length] ?? ""}`;
  return !/[\p{L}\p{N}]/u.test(around);
}

/** Shorter strings are not hidden: they are hardly credentials, and hiding them would make messages unreadable. */
const shortestCredential = 6;

/** Hides the credentials in use, because a service can repeat them in its messages. */
export class Redactor {
  readonly #words = new Set<string>();

  add(word: string | undefined): void {
    if (word === undefined || word.length < shortestCredential) return;
    const bytes = Buffer.from(word);
    const base64 = bytes.toString("base64").replace(/={1,2}$/, "");
    for (const form of [...spellingsOf(word), base64, bytes.toString("base64url")]) this.#words.add(lowerCase(form));
  }

  /** Hides the credentials, in any letter case. An arrow function, because it is passed as a callback. */
  readonly scrub = (text: string): string => hideWords(text, [...this.#words], "[secret]");
}

/** Without line breaks, escape sequences and invisible characters, each run of which becomes one space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
}

/** Printable, and cut to 300 characters. */
export function oneLine(text: string): string {
  const line = printable(text);
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
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
