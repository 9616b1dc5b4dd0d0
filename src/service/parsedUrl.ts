/**
 * The URL; undefined if it is none. On Node.js 20 and 22, `URL.canParse` refuses a name with a letter such as ü after
 * some thousands of calls.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
