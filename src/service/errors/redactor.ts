import { hideWords, lowerCase, spellingsOf } from "./foreignText";

/** Shorter strings are not hidden: they are hardly credentials, and hiding them would make messages unreadable. */
const shortest = 6;

/** Hides the credentials in use, because a service can repeat them in its messages. */
export class Redactor {
  readonly #words = new Set<string>();

  add(word: string | undefined): void {
    if (word === undefined || word.length < shortest) return;
    const base64 = Buffer.from(word)
      .toString("base64")
      .replace(/={1,2}$/, "");
    const base64url = base64.replaceAll("+", "-").replaceAll("/", "_");
    for (const form of [...spellingsOf(word), base64, base64url]) this.#words.add(lowerCase(form));
  }

  /** Hides the credentials, in any letter case. An arrow function, because it is passed as a callback. */
  readonly scrub = (text: string): string => hideWords(text, [...this.#words], "[secret]");
}
