import { posix } from "node:path";
import { Readable } from "node:stream";
import { createInflateRaw, inflateRawSync } from "node:zlib";
import { Damaged } from "./reading";

/** A sheet with cells. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** In the archive. */
  readonly path: string;
}

/** A cell that a reader of numbers as doubles would lose. */
export interface LossyCell {
  /** From 1. */
  readonly row: number;
  /** From 0. */
  readonly column: number;
  /** Such as `B2`. */
  readonly address: string;
  /** The digits of an integer as the file has them. Undefined for a formula without a stored value. */
  readonly digits?: string;
}

/** The parts of a workbook that its library does not tell: the states of the sheets, and the text of cells. */
export class Workbook {
  private readonly parts: ReadonlyMap<string, Packed>;

  /** @param file whatever it is: without an archive in it, the workbook has no sheets */
  constructor(file: Buffer) {
    this.parts = partsOf(file);
  }

  /** In the order of their tabs. */
  get sheets(): Sheet[] {
    const root = this.relations("").find(({ type }) => type.endsWith("/officeDocument"));
    if (root === undefined) {
      return [];
    }
    const relations = this.relations(root.path);
    return this.elements(root.path, "sheet").flatMap((attributes) => {
      const id = [...attributes].find(([name]) => name.endsWith(":id"))?.[1];
      const relation = relations.find((each) => each.id === id && each.type.endsWith("/worksheet"));
      const isHidden = /hidden$/i.test(attributes.get("state") ?? "");
      return relation === undefined ? [] : [{ name: attributes.get("name") ?? "", isHidden, path: relation.path }];
    });
  }

  /**
   * In the order of the sheet, in constant memory.
   * @throws Damaged for an integer whose last digits the file does not have
   */
  async *lossyCells({ path }: Sheet): AsyncGenerator<LossyCell> {
    const part = this.parts.get(path);
    if (part === undefined) {
      return;
    }
    const pieces: AsyncIterable<Buffer> = part.isDeflated
      ? Readable.from([part.bytes]).pipe(createInflateRaw())
      : Readable.from([part.bytes]);
    const decoder = new TextDecoder();
    let rest = "";
    let prefix: string | undefined;
    for await (const piece of pieces) {
      rest += decoder.decode(piece, { stream: true });
      prefix ??= /<([\w.-]{1,99}:)?worksheet\b/.exec(rest)?.[1] ?? "";
      const last = cellBefore(rest, prefix, rest.length);
      if (last > 0) {
        yield* lossyIn(rest.slice(0, last), prefix);
        rest = rest.slice(last);
      }
    }
    yield* lossyIn(rest, prefix ?? "");
  }

  private relations(of: string): { id: string; type: string; path: string }[] {
    const { dir, base } = posix.parse(of);
    return this.elements(posix.join(dir, "_rels", `${base}.rels`), "Relationship").map((attributes) => {
      const [id = "", type = "", target = ""] = ["Id", "Type", "Target"].map((name) => attributes.get(name));
      return { id, type, path: target.startsWith("/") ? target.slice(1) : posix.join(dir, target) };
    });
  }

  /** The attributes of all elements of a name. */
  private elements(path: string, name: string): Map<string, string>[] {
    const part = this.parts.get(path);
    const xml = part === undefined ? "" : String(part.isDeflated ? inflateRawSync(part.bytes) : part.bytes);
    return [...xml.matchAll(/<(?:[\w.-]{1,99}:)?(\w{1,99})(\s[^<>]*)>/g)]
      .filter(([, tag]) => tag === name)
      .map(([, , text = ""]) => {
        const found = text.matchAll(/\s([\w:.-]{1,99})=(?:"([^"]*)"|'([^']*)')/g);
        return new Map([...found].map(([, key = "", value, other = ""]) => [key, unescaped(value ?? other)]));
      });
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return entities[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : whole);
  });
}

interface Packed {
  readonly bytes: Buffer;
  readonly isDeflated: boolean;
}

/** The files of a ZIP archive, by its directory at the end. */
function partsOf(zip: Buffer): Map<string, Packed> {
  const parts = new Map<string, Packed>();
  const end = zip.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0) {
    return parts;
  }
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0 && at + 46 <= end; left--) {
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    if (local + 30 <= end) {
      const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const bytes = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
      parts.set(zip.toString("utf8", at + 46, nameEnd), { bytes, isDeflated: zip.readUInt16LE(at + 10) === 8 });
    }
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return parts;
}

/** A number that a double may not hold, or a formula. */
const mayBeLossy = /\d[\d.]{14,}|<(?:[\w.-]{1,99}:)?f[\s/>]/g;
/** Significant digits that Excel keeps. */
const mostDigits = 15;

function* lossyIn(xml: string, prefix: string): Generator<LossyCell> {
  let done = -1;
  for (const { index } of xml.matchAll(mayBeLossy)) {
    const begin = cellBefore(xml, prefix, index);
    const end = xml.indexOf(`</${prefix}c>`, begin);
    if (begin > done && index < end) {
      done = begin;
      const cell = lossyCell(xml.slice(begin, end));
      if (cell !== undefined) {
        yield cell;
      }
    }
  }
}

/** Where the last cell before a place begins; -1 if there is none. */
function cellBefore(xml: string, prefix: string, place: number): number {
  return Math.max(xml.lastIndexOf(`<${prefix}c `, place), xml.lastIndexOf(`<${prefix}c>`, place));
}

function lossyCell(xml: string): LossyCell | undefined {
  const [tag = ""] = /^[^>]*>/.exec(xml) ?? [];
  const type = /\st=["'](\w+)/.exec(tag)?.[1] ?? "n";
  const [, letters = "", digitsOfRow = ""] = /\sr=["']([A-Z]{1,3})(\d{1,7})["']/.exec(tag) ?? [];
  const address = `${letters}${digitsOfRow}`;
  const place = { row: Number(digitsOfRow), column: columnOf(letters), address };
  const value = /<(?:[\w.-]{1,99}:)?v(?:\s[^<>]*)?>([^<]*)</.exec(xml)?.[1]?.trim() ?? "";
  if (type !== "n" || (value !== "" && Number.isSafeInteger(Number(value)))) {
    return undefined;
  }
  if (value === "") {
    return place;
  }
  const isInteger = /^-?\d+$/.test(value);
  const [mantissa = ""] = value.replace(/[-.]/g, "").split(/e/i);
  if (
    Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER &&
    (isInteger ? address === "" : mantissa.length >= mostDigits)
  ) {
    throw new Damaged(
      `${address === "" ? "a cell without an address" : `cell ${address}`} has an integer of more than ${mostDigits} digits that is not exact. Write such ids as text`,
    );
  }
  return isInteger ? { ...place, digits: value } : undefined;
}

function columnOf(letters: string): number {
  return [...letters].reduce((before, letter) => before * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
