/** Anything shorter is no credential, and taking it out of every text would only make the text unreadable. */
const shortest = 6;

/** The credentials in use, so that a text of the service that repeats one can be made harmless. */
export class SecretWords {
  readonly #words = new Set<string>();

  add(word: string | undefined): void {
    if (word === undefined || word.length < shortest) return;
    for (const form of [
      word,
      encodeURIComponent(word),
      JSON.stringify(word).slice(1, -1),
      Buffer.from(word).toString("base64"),
    ]) {
      this.#words.add(form);
    }
  }

  /** An arrow function, because it is handed over as a callback. */
  readonly scrub = (text: string): string => {
    let clean = text;
    // Longest first: one may be the beginning of another.
    for (const word of [...this.#words].sort((a, b) => b.length - a.length)) clean = clean.replaceAll(word, "[secret]");
    return clean;
  };
}
