/**
 * A URL; undefined if the text is none. Not URL.canParse: on Node.js 20 and 22 it refuses host names with letters such as ü after some thousands of
 * calls.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
