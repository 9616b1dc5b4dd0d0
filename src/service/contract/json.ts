import { ContractBreach } from "./contractBreach";

/**
 * Parses JSON and keeps integers that a double cannot hold as strings with all their digits: a batch number of 18 digits, rounded, is
 * another batch. The work is linear in the size of the body, whatever it holds.
 * @throws ContractBreach
 */
export function parseJson(body: Buffer): unknown {
  const source = body.toString("utf8").replace(/^\uFEFF/, "");
  try {
    const parsed: unknown = JSON.parse(source);
    // Numbers are quoted in valid JSON only: in invalid JSON, the quotes could hide the error.
    return /\d{16}/.test(source) ? JSON.parse(quoteLongIntegers(source)) : parsed;
  } catch {
    throw new ContractBreach(`the response is not JSON: got ${describeBody(source)}.`);
  }
}

/** The members of a string that the scan uses. A test passes an object that counts the steps. */
export type Characters = Pick<string, "length" | "charCodeAt" | "slice">;

const quote = 0x22;
const minus = 0x2d;
const backslash = 0x5c;

/** Puts quotes around each integer of a JSON text that a double cannot hold. A regular expression for this backtracks or overflows the stack. */
export function quoteLongIntegers(json: Characters): string {
  const pieces: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at);
    } else if (code === minus || isDigit(code)) {
      const begin = at;
      at = endOfDigits(json, at);
      const endOfInteger = at;
      while (at < json.length && isPartOfFraction(json.charCodeAt(at))) at = endOfDigits(json, at);
      if (at > endOfInteger || at - begin < 16) continue;
      const integer = json.slice(begin, at);
      if (Number.isSafeInteger(Number(integer))) continue;
      pieces.push(json.slice(copied, begin), `"${integer}"`);
      copied = at;
    } else {
      at += 1;
    }
  }
  pieces.push(json.slice(copied, json.length));
  return pieces.join("");
}

function endOfString(json: Characters, begin: number): number {
  let at = begin + 1;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    at += code === backslash ? 2 : 1;
    if (code === quote) break;
  }
  return at;
}

/** The index after the digits that follow `begin`. */
function endOfDigits(json: Characters, begin: number): number {
  let at = begin + 1;
  while (at < json.length && isDigit(json.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** One of `+ - . E e`. */
function isPartOfFraction(code: number): boolean {
  return code === 0x2b || code === minus || code === 0x2e || code === 0x45 || code === 0x65;
}

function describeBody(source: string): string {
  if (source.trim() === "") return "an empty body";
  if (/^\s*</.test(source)) return `HTML or XML, ${source.length} characters`;
  return `${source.length} characters, cut off or of another format`;
}
