import { ContractBreach, CutOff } from "./contractBreach";
import { JsonScanner } from "./jsonScanner";

/**
 * Parses JSON and keeps integers that a double cannot hold as strings with all their digits: a batch number of 18
 * digits, rounded, is another batch. The work is linear in the size of the body, whatever it holds.
 * @throws ContractBreach
 */
export function parseJson(body: Buffer | string): unknown {
  const source = String(body).replace(/^\uFEFF/, "");
  const json = /\d{16}/.test(source) ? quoteLongIntegers(source) : source;
  try {
    return JSON.parse(json);
  } catch {
    refuseCutOff(source);
    throw new ContractBreach(`the response is not JSON: got ${describeBody(source)}.`);
  }
}

/** @throws CutOff */
function refuseCutOff(source: string): void {
  try {
    new JsonScanner(Buffer.from(source)).skipValue();
  } catch (error) {
    if (error instanceof CutOff) throw error;
  }
}

/** Puts quotes around each integer that a double cannot hold. */
function quoteLongIntegers(json: string): string {
  const bytes = Buffer.from(json);
  const pieces: string[] = [];
  let copied = 0;
  const scanner = new JsonScanner(bytes, (from, to) => {
    const number = scanner.text(from, to);
    if (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
      pieces.push(scanner.text(copied, from), `"${number}"`);
      copied = to;
    }
  });
  scanner.skipValue();
  return pieces.join("") + scanner.text(copied, bytes.length);
}

function describeBody(source: string): string {
  if (source.trim() === "") return "an empty body";
  if (/^\s*</.test(source)) return `HTML or XML, ${source.length} characters`;
  return `${source.length} characters, cut off or of another format`;
}
