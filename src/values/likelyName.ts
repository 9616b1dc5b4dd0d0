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
