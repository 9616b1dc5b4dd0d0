import { constants } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Refusal } from "../errors";

/** Large enough for a list of a million loop items. A string cannot be longer. */
const mostBytes = constants.MAX_STRING_LENGTH;

/** Maximum length of what is kept of a request without a known credential. */
export const mostBytesOfStrangers = 64 * 1024;

const blockBytes = 64 * 1024;

/** Bytes that arrive in chunks of any size. A chunk that is kept costs a hundred bytes, so the bytes of small ones are put together. */
export class ByteBlocks {
  private readonly full: Buffer[] = [];
  private last = Buffer.alloc(0);
  private used = 0;
  private total = 0;

  get length(): number {
    return this.total;
  }

  add(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.used === this.last.length) this.begin(chunk.length - from);
      const part = chunk.subarray(from, from + this.last.length - this.used);
      this.last.set(part, this.used);
      this.used += part.length;
      from += part.length;
      this.total += part.length;
    }
  }

  /** The bytes, in blocks that do not get more with smaller chunks. */
  get blocks(): Buffer[] {
    return this.used === 0 ? [...this.full] : [...this.full, this.last.subarray(0, this.used)];
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.blocks);
  }

  /** Blocks of short contents are short. */
  private begin(needed: number): void {
    if (this.used > 0) this.full.push(this.last);
    this.last = Buffer.allocUnsafe(Math.max(needed, Math.min(blockBytes, this.total)));
    this.used = 0;
  }
}

/**
 * Reads a body to its end, because unread data would look like a broken connection.
 * @param known whether the request has a credential that the emulator knows. Without one, only a short body is kept.
 * @returns the body, or its maximum length if it is longer.
 */
export async function readBody(payload: IncomingMessage, known: boolean): Promise<string | { tooLong: number }> {
  const most = known ? mostBytes : mostBytesOfStrangers;
  let kept: ByteBlocks | undefined = new ByteBlocks();
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    if (kept !== undefined && kept.length + chunk.length <= most) kept.add(chunk);
    else kept = undefined;
  }
  return kept?.toBuffer().toString("utf8") ?? { tooLong: most };
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
