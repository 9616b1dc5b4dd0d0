import { isAscii } from "node:buffer";
import { ContractBreach, CutOff } from "./contractBreach";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
export const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
export const openObject = 0x7b;
const closeObject = 0x7d;
/** Levels of nesting. */
const deepest = 1000;
/** Characters of the shortest number that a double may not represent, and of the longest that is accepted. */
const longNumber = 16;
const longestNumber = 1000;
const escaped = new Set<number | undefined>(Buffer.from('"\\/bfnrt'));
const digits = new Set(Buffer.from("0123456789abcdefABCDEF"));
const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * Finds where the parts of a JSON text lie without parsing them, so that each stays byte for byte what was sent. Each
 * method checks what it passes: `JSON.parse` accepts it too. The bytes must be UTF-8.
 */
export class JsonScanner {
  /** Where the next part begins. */
  at: number;
  /**
   * All bytes as one string, made when the first part is needed: to cut a string is much faster than to decode bytes.
   * Empty if a character is not a byte.
   */
  #ascii: string | undefined;

  /** @param noteLongNumber is called with the begin and the end of each number that a double may not represent */
  constructor(
    private readonly bytes: Buffer,
    private readonly noteLongNumber: (from: number, to: number) => void = () => undefined,
  ) {
    this.at = bytes[0] === byteOrderMark[0] ? byteOrderMark.length : 0;
  }

  /** The next byte that is not white space; undefined at the end. */
  next(): number | undefined {
    let byte = this.bytes[this.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.at += 1;
      byte = this.bytes[this.at];
    }
    return byte;
  }

  /** Goes through a list. `item` is called before each item, and passes it. */
  list(item: () => void): void {
    this.#items(openList, closeList, item);
  }

  /**
   * Goes through an object. `member` is called before each value with the begin and the end of its name, and passes the
   * value.
   */
  object(member: (from: number, to: number) => void): void {
    this.#items(openObject, closeObject, () => {
      if (this.next() !== quote) this.#invalid();
      const from = this.at;
      this.#string();
      const to = this.at;
      this.#skip(colon);
      member(from, to);
    });
  }

  /** Passes a value of any kind. */
  skipValue(depth = 0): void {
    if (depth > deepest) {
      throw new ContractBreach(
        `the response is nested deeper than ${deepest} levels, the most that this client reads.`,
      );
    }
    const byte = this.next();
    if (byte === quote) this.#string();
    else if (byte === openObject) this.object(() => this.skipValue(depth + 1));
    else if (byte === openList) this.list(() => this.skipValue(depth + 1));
    else this.#scalar();
  }

  /** Passes a value, and returns it as it is written. */
  value(): string {
    this.next();
    const from = this.at;
    this.skipValue();
    return this.text(from, this.at);
  }

  /** The text between two places. */
  text(from: number, to: number): string {
    this.#ascii ??= isAscii(this.bytes) ? this.bytes.toString("latin1") : "";
    return this.#ascii === "" ? this.bytes.toString("utf8", from, to) : this.#ascii.slice(from, to);
  }

  #items(open: number, close: number, item: () => void): void {
    this.#skip(open);
    if (this.next() !== close) {
      item();
      while (this.next() === comma) {
        this.at += 1;
        item();
      }
    }
    this.#skip(close);
  }

  #skip(byte: number): void {
    if (this.next() !== byte) this.#invalid();
    this.at += 1;
  }

  #string(): void {
    const { bytes } = this;
    let at = this.at + 1;
    for (let byte = bytes[at]; byte !== quote; byte = bytes[at]) {
      if (byte === undefined || byte < 0x20) this.#invalid(at);
      at += byte === backslash ? this.#lengthOfEscape(at) : 1;
    }
    this.at = at + 1;
  }

  #lengthOfEscape(at: number): number {
    const { bytes } = this;
    if (escaped.has(bytes[at + 1])) return 2;
    const isUnicode = bytes[at + 1] === 0x75 && bytes.subarray(at + 2, at + 6).every((byte) => digits.has(byte));
    return isUnicode && at + 6 <= bytes.length ? 6 : this.#invalid(isUnicode ? bytes.length : at + 1);
  }

  /** A number or a literal: up to what cannot belong to one, then held against the grammar. */
  #scalar(): void {
    const { bytes, at: from } = this;
    let to = from;
    for (let byte = bytes[to]; byte !== undefined && byte > 0x20; byte = bytes[to]) {
      if (byte === comma || byte === closeObject || byte === closeList) break;
      to += 1;
    }
    if (to - from > longestNumber || !scalar.test(bytes.toString("latin1", from, to))) this.#invalid(to);
    if (to - from >= longNumber) this.noteLongNumber(from, to);
    this.at = to;
  }

  /** @param at where it is seen. In an object that goes on to the last byte, the rest is missing */
  #invalid(at = this.at): never {
    const { bytes } = this;
    const isCutOff = at >= bytes.length && new JsonScanner(bytes).next() === openObject;
    const Breach = isCutOff ? CutOff : ContractBreach;
    throw new Breach(`the response is not complete JSON: cut off or invalid at byte ${at} of ${bytes.length}.`);
  }
}

const byteOrderMark = Buffer.from("\uFEFF");
