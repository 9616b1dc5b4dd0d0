import { constants } from "node:buffer";
import type { IncomingMessage } from "node:http";

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
