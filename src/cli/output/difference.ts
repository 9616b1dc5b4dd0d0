/** Characters that are shown before the first one that differs. */
export const charactersBefore = 20;

/**
 * Two long texts that begin alike are shown from shortly before they differ: a cut would leave the same of both.
 * @param most characters of a text that is shown as a whole
 */
export function fromDifference(text: string, other: string, most = 0): string {
  if (Math.max(text.length, other.length) <= most) {
    return text;
  }
  const characters = [...text];
  const from = differenceOf(characters, [...other]) - charactersBefore;
  return from > charactersBefore ? `…${characters.slice(from).join("")}` : text;
}

/** The number of characters that both begin with. */
export function differenceOf(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((character, index) => character !== other[index]);
  return at < 0 ? one.length : at;
}
