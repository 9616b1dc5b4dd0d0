/** Characters that are shown before the first one that differs. */
const charactersBefore = 20;

/**
 * Two long texts that begin alike are shown from shortly before they differ: a cut would leave the same of both.
 * @param most texts of at most as many characters are shown whole
 */
export function fromDifference(text: string, other: string, most = 0): string {
  if (Math.max(text.length, other.length) <= most) {
    return text;
  }
  const from = shortlyBefore(text, differenceOf(text, other));
  return from > charactersBefore ? `…${text.slice(from)}` : text;
}

/** The length of what both begin with. */
export function differenceOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) {
    at++;
  }
  return at;
}

/** Where a text is cut so that its rest begins shortly before an index, and with a whole character. */
export function shortlyBefore(text: string, index: number): number {
  const from = Math.max(0, index - charactersBefore);
  const isInPair = (text.codePointAt(from - 1) ?? 0) > 0xffff;
  return isInPair ? from - 1 : from;
}
