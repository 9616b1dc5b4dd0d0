import { constants } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Refusal } from "../errors";

/** Large enough for a list of a million loop items. A string cannot be longer. */
const mostBytes = constants.MAX_STRING_LENGTH;

/** Maximum length of what is kept of a request without a known credential. */
export const mostBytesOfStrangers = 64 * 1024;

/**
 * Reads a body to its end, because unread data would look like a broken connection.
 * @param known whether the request has a credential that the emulator knows. Without one, only a short body is kept.
 * @returns the body, or its maximum length if it is longer.
 */
export async function readBody(payload: IncomingMessage, known: boolean): Promise<string | { tooLong: number }> {
  const most = known ? mostBytes : mostBytesOfStrangers;
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= most) chunks.push(chunk);
    else chunks = [];
  }
  return length > most ? { tooLong: most } : Buffer.concat(chunks).toString("utf8");
}

/** No body of the contracts is nested more than 10 levels, but rows and bodies of faults can be anything. */
const deepest = 100;

/**
 * Functions that call themselves for each level, such as those that check or write a body, must not run out of stack.
 * @returns the body.
 * @throws Refusal.
 */
export function checkDepth(body: unknown): unknown {
  let level = [body].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest) throw new Refusal("InvalidParameter", `the body is nested more than ${deepest} levels`);
    level = level.flatMap((value) => Object.values(value).filter(isNested));
  }
  return body;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
