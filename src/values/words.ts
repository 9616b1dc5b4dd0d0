/** Longer names are no misspelled ones, and the comparison takes quadratic time. */
const longestName = 50;

/** The valid name that a misspelled one probably means. */
export function likelyName(given: string, valid: readonly string[]): string | undefined {
  if (given.length > longestName) {
    return undefined;
  }
  // biome-ignore lint/style/noCommonJs: loaded with the first unknown name. Most commands have none.
  const { closestMatch } = require("leven") as typeof import("leven");
  const lower = given.toLowerCase();
  const inOtherCase = valid.find((name) => name.toLowerCase() === lower);
  // Beyond a third of the characters, the guess would be wrong more often than right.
  return inOtherCase ?? closestMatch(given, valid, { maxDistance: Math.max(1, Math.floor(given.length / 3)) });
}

/** The question behind an unknown name; empty if no valid name is like it. */
export function didYouMean(given: string, valid: readonly string[]): string {
  const likely = likelyName(given, valid);
  return likely === undefined ? "" : `; did you mean "${likely}"?`;
}

/** A number and its noun: "1 row", "2 rows". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first of several names, and the number of the others: "a, b and 3 more". */
export function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A text as one word of a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", () => "'\\''")}'`;
}

/** The same, in quotes only where a shell needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : shellQuoted(text);
}

/**
 * The last line of a message: a page of `docs`, with its anchor, for the other ways. `npm run check` looks the anchor
 * up.
 */
export function moreAt(page: string): string {
  return `More: https://github.com/pulumi-webextract/pulumi-webextract/blob/main/docs/${page}`;
}
