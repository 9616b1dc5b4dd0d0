const quote = 0x22;
const backslash = 0x5c;

/**
 * The text of a value, for comparisons. A list or an object of JSON loses its white space, and each string gets one
 * form, because a CSV does not tell whether a service sent the value nested or as a string. Numbers keep their digits.
 * Any other text stays as it is.
 */
export function compared(text: string): string {
  return compactJson(text) ?? text;
}

/** Undefined for what is no list and no object. */
export function compactJson(text: string): string | undefined {
  if (!/^[ \t\r\n]*[[{]/.test(text) || !isJson(text)) {
    return undefined;
  }
  if (!/[\s\\]/.test(text)) {
    return text;
  }
  let compact = "";
  let at = 0;
  for (let begin = text.indexOf('"'); begin >= 0; begin = text.indexOf('"', at)) {
    compact += withoutSpace(text.slice(at, begin));
    at = endOfString(text, begin);
    const string = text.slice(begin, at);
    compact += string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
  }
  return compact + withoutSpace(text.slice(at));
}

function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]+/g, "");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The place after a string of JSON that begins at a quotation mark; -1 if it does not end. */
export function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
    if (at >= text.length) {
      return -1;
    }
    at += code === backslash ? 2 : 1;
  }
  return at + 1;
}
