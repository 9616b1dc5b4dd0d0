import { createReadStream } from "node:fs";
import { ResourceError } from "../../resource";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openObject = 0x7b;
const openList = 0x5b;
const closeObject = 0x7d;
const closeList = 0x5d;

/**
 * The rows of a file of one row a line, some at a time. Read as Latin-1, which keeps each byte as one character: so UTF-8 is neither decoded nor
 * encoded. The pieces are small, because V8 frees large strings late.
 */
export async function* rowsOf(path: string): AsyncGenerator<string> {
  yield* wholeLines(createReadStream(path, { encoding: "latin1", highWaterMark: 64 * 1024 }));
}

/**
 * The same text, cut only at the ends of lines.
 * @param isGrowing called with the length of an incomplete line; can refuse it
 */
export async function* wholeLines(
  texts: AsyncIterable<string>,
  isGrowing: (length: number) => void = () => undefined,
): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      yield rest + text.slice(0, end);
      rest = "";
    }
    rest += text.slice(end);
    isGrowing(rest.length);
  }
  if (rest !== "") {
    yield rest;
  }
}

/**
 * Goes through the members of JSON objects without parsing their values, so that each value stays as it was sent. The objects must be valid JSON.
 *
 * The text is UTF-8 read as Latin-1, and so are the names and values.
 */
export class JsonRows {
  private readonly firstEscape: number;
  private at = 0;
  private nameFrom = 0;
  private nameTo = 0;
  private valueFrom = 0;

  /** @param text objects with white space between them */
  constructor(private readonly text: string) {
    this.firstEscape = text.indexOf("\\");
  }

  /** Goes to the next object. Returns whether there is one. */
  nextRow(): boolean {
    this.skipSpace();
    this.at++;
    return this.at < this.text.length;
  }

  /** Goes to the next member of the object. Returns whether there is one. */
  nextMember(): boolean {
    this.skipSpace();
    if (this.code() === comma) {
      this.at++;
      this.skipSpace();
    }
    if (this.code() !== quote) {
      this.at++;
      return false;
    }
    this.nameFrom = this.at + 1;
    this.skipString();
    this.nameTo = this.at - 1;
    this.skipSpace();
    this.at++;
    this.skipSpace();
    this.valueFrom = this.at;
    this.skipValue();
    return true;
  }

  /** Whether the member has this name. Takes less time than a comparison with {@link name}. */
  isNamed(name: string | undefined): boolean {
    return (
      name !== undefined &&
      this.nameTo - this.nameFrom === name.length &&
      this.text.startsWith(name, this.nameFrom) &&
      (this.firstEscape < 0 || !name.includes("\\"))
    );
  }

  get name(): string {
    return this.contentOf(this.nameFrom, this.nameTo);
  }

  get isString(): boolean {
    return this.text.charCodeAt(this.valueFrom) === quote;
  }

  get isNull(): boolean {
    return this.at - this.valueFrom === 4 && this.text.startsWith("null", this.valueFrom);
  }

  /** The content of a string; an empty string for null; the JSON of any other value. */
  get value(): string {
    const { text, valueFrom, at } = this;
    if (this.isString) {
      return this.contentOf(valueFrom + 1, at - 1);
    }
    const value = text.slice(valueFrom, at);
    return value === "null" ? "" : value;
  }

  private code(): number {
    return this.text.charCodeAt(this.at);
  }

  private skipSpace(): void {
    while (this.code() <= 0x20) {
      this.at++;
    }
  }

  private skipString(): void {
    const { text } = this;
    let end = text.indexOf('"', this.at + 1);
    while (this.firstEscape >= 0 && this.firstEscape < end && isEscaped(text, end)) {
      end = text.indexOf('"', end + 1);
    }
    if (end < 0) {
      throw incomplete();
    }
    this.at = end + 1;
  }

  private skipValue(): void {
    let depth = 0;
    do {
      const code = this.code();
      if (code === quote) {
        this.skipString();
      } else if (depth === 0 && code !== openObject && code !== openList) {
        this.skipScalar();
      } else {
        if (Number.isNaN(code)) {
          throw incomplete();
        }
        depth += code === openObject || code === openList ? 1 : code === closeObject || code === closeList ? -1 : 0;
        this.at++;
      }
    } while (depth > 0);
  }

  private skipScalar(): void {
    let code = this.code();
    while (code > 0x20 && code !== comma && code !== closeObject) {
      this.at++;
      code = this.code();
    }
  }

  private contentOf(from: number, to: number): string {
    const content = this.text.slice(from, to);
    return this.firstEscape >= 0 && this.firstEscape < to && content.includes("\\") ? unescaped(content) : content;
  }
}

/** The string behind UTF-8 that was read as Latin-1. */
export function utf8(latin: string): string {
  return /[^\0-\x7f]/.test(latin) ? Buffer.from(latin, "latin1").toString("utf8") : latin;
}

/** The service's rows were checked when they came, so somebody else changed the file. */
function incomplete(): ResourceError {
  return new ResourceError(
    "A row in the temporary file is not complete JSON: the file was changed. No file was written. Run the export again.",
  );
}

/** Whether the quotation mark belongs to the string: then an odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) {
    before--;
  }
  return (at - before) % 2 === 0;
}

function unescaped(content: string): string {
  const json = Buffer.from(`"${content}"`, "latin1").toString("utf8");
  return Buffer.from(JSON.parse(json) as string, "utf8").toString("latin1");
}
