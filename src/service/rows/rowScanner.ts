import { isUtf8 } from "node:buffer";
import { ContractBreach } from "../contract/contractBreach";

/** Where the rows of a page lie in its bytes. */
export interface ScannedRows {
  /** The response. */
  body: Buffer;
  /** Begin and end (exclusive) of each row, one after the other: row n lies from 2n to 2n + 1. */
  bounds: Uint32Array;
  count: number;
  /** Whether a number of the rows is so long that a double may not represent it. */
  hasLongNumbers: boolean;
  /** The response without its rows: `data.data` is an empty list. */
  envelope: Buffer;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
/** Levels of a row. */
const deepest = 1000;
/** Characters of the shortest number that a double may not represent. */
const longNumber = 16;

/**
 * Finds the rows of `{"data": {"data": [row, …], …}, …}` without parsing them, so that each stays byte for byte what the service sent.
 * Every row is checked to be a complete JSON object that any JSON reader accepts.
 * @throws ContractBreach if a row is not valid, or if the page is cut off
 */
export function scanRows(body: Buffer): ScannedRows {
  if (!isUtf8(body)) throw new ContractBreach("the response is not UTF-8.");
  const scanner = new Scanner(body);
  const list = scanner.findList();
  // No such list: the check of the envelope says what came in its place.
  if (list === undefined) return { ...noRows, body, envelope: body };
  const { begin, end, bounds, count, hasLongNumbers } = list;
  const envelope = Buffer.concat([body.subarray(0, begin), Buffer.from("[]"), body.subarray(end)]);
  return { body, bounds, count, hasLongNumbers, envelope };
}

export const noRows: ScannedRows = {
  body: Buffer.alloc(0),
  bounds: new Uint32Array(0),
  count: 0,
  hasLongNumbers: false,
  envelope: Buffer.alloc(0),
};

interface FoundList extends Pick<ScannedRows, "bounds" | "count" | "hasLongNumbers"> {
  begin: number;
  end: number;
}

class Scanner {
  readonly #body: Buffer;
  readonly #end: number;
  readonly #open = new Uint8Array(deepest);
  #at = 0;
  #hasLongNumbers = false;

  constructor(body: Buffer) {
    this.#body = body;
    this.#end = body.length;
  }

  findList(): FoundList | undefined {
    if (this.#body[0] === 0xef) this.#at = 3;
    return this.#findMember(() => this.#findMember(() => this.#list()));
  }

  /** Goes through the members of an object up to the one named `data`; the others are skipped here and checked with the envelope. */
  #findMember<T>(found: () => T | undefined): T | undefined {
    if (this.#next() !== openObject) return undefined;
    this.#at += 1;
    while (this.#next() === quote) {
      const begin = this.#at;
      this.#string();
      const isData = this.#at - begin === 6 && this.#body.toString("latin1", begin, this.#at) === '"data"';
      if (this.#next() !== colon) this.#cutOff();
      this.#at += 1;
      if (isData) return found();
      this.#value();
      if (this.#next() !== comma) return undefined;
      this.#at += 1;
    }
    return undefined;
  }

  #list(): FoundList | undefined {
    if (this.#next() !== openList) return undefined;
    const begin = this.#at;
    this.#at += 1;
    let bounds = new Uint32Array(2048);
    let count = 0;
    if (this.#next() !== closeList) {
      for (;;) {
        if (this.#next() !== openObject) this.#noObject(count);
        if (count * 2 === bounds.length) bounds = twiceAsLong(bounds);
        bounds[count * 2] = this.#at;
        this.#value();
        bounds[count * 2 + 1] = this.#at;
        count += 1;
        const after = this.#next();
        if (after === closeList) break;
        if (after !== comma) this.#cutOff();
        this.#at += 1;
      }
    }
    this.#at += 1;
    return { begin, end: this.#at, bounds, count, hasLongNumbers: this.#hasLongNumbers };
  }

  /** The next byte that is not white space; -1 at the end. */
  #next(): number {
    const body = this.#body;
    while (this.#at < this.#end) {
      const byte = body[this.#at] ?? -1;
      if (byte > 0x20) return byte;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) this.#cutOff();
      this.#at += 1;
    }
    return -1;
  }

  /** One JSON value of any depth, without recursion. */
  #value(): void {
    const open = this.#open;
    let depth = 0;
    for (;;) {
      let byte = this.#next();
      if (byte === openObject) {
        this.#at += 1;
        if (this.#next() !== closeObject) {
          if (depth === deepest) this.#tooDeep();
          open[depth++] = openObject;
          this.#key();
          continue;
        }
        this.#at += 1;
      } else if (byte === openList) {
        this.#at += 1;
        if (this.#next() !== closeList) {
          if (depth === deepest) this.#tooDeep();
          open[depth++] = openList;
          continue;
        }
        this.#at += 1;
      } else if (byte === quote) {
        this.#string();
      } else {
        this.#scalar(byte);
      }
      for (;;) {
        if (depth === 0) return;
        byte = this.#next();
        const inside = open[depth - 1];
        if (byte === comma) {
          this.#at += 1;
          if (inside === openObject) this.#key();
          break;
        }
        if (byte !== (inside === openObject ? closeObject : closeList)) this.#cutOff();
        this.#at += 1;
        depth -= 1;
      }
    }
  }

  #key(): void {
    if (this.#next() !== quote) this.#cutOff();
    this.#string();
    if (this.#next() !== colon) this.#cutOff();
    this.#at += 1;
  }

  #string(): void {
    const body = this.#body;
    const end = this.#end;
    let at = this.#at + 1;
    while (at < end) {
      const byte = body[at] as number;
      at += 1;
      if (byte === quote) {
        this.#at = at;
        return;
      }
      if (byte === backslash) {
        this.#at = at;
        at = this.#escape();
      } else if (byte < 0x20) {
        this.#cutOff();
      }
    }
    this.#cutOff();
  }

  /** The index after the current escape sequence of a string. */
  #escape(): number {
    const letter = String.fromCharCode(this.#body[this.#at] ?? 0);
    if (letter !== "u") return '"\\/bfnrt'.includes(letter) ? this.#at + 1 : this.#cutOff();
    const digits = this.#body.toString("latin1", this.#at + 1, this.#at + 5);
    return /^[0-9a-fA-F]{4}$/.test(digits) ? this.#at + 5 : this.#cutOff();
  }

  /** A number or a literal: up to what cannot belong to one, then held against the grammar. */
  #scalar(first: number): void {
    const body = this.#body;
    const begin = this.#at;
    let at = begin;
    let digitsOnly = first !== 0x30;
    while (at < this.#end) {
      const byte = body[at] as number;
      if (byte <= 0x20 || byte === comma || byte === closeObject || byte === closeList) break;
      if (byte < 0x30 || byte > 0x39) digitsOnly = false;
      at += 1;
    }
    this.#at = at;
    this.#hasLongNumbers ||= at - begin >= longNumber;
    if (digitsOnly && at > begin) return;
    if (!scalar.test(body.toString("latin1", begin, at))) this.#cutOff();
  }

  #noObject(index: number): never {
    throw new ContractBreach(
      `the response breaks the contract: row ${index + 1} of the page is cut off or not an object.`,
    );
  }

  #tooDeep(): never {
    throw new ContractBreach(
      `the response is nested deeper than ${deepest} levels at byte ${this.#at} of ${this.#end}, which is the most that this client reads.`,
    );
  }

  #cutOff(): never {
    throw new ContractBreach(
      `the response is not complete JSON: cut off or invalid at byte ${this.#at} of ${this.#end}.`,
    );
  }
}

function twiceAsLong(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(array.length * 2);
  longer.set(array);
  return longer;
}

const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
