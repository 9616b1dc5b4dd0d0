import { isUtf8 } from "node:buffer";
import { CliError } from "../../exitCodes";

/**
 * The text of pieces of a file, without a byte order mark. It is UTF-8 read as Latin-1, as in `JsonRows`: each byte is one character, and no character of
 * UTF-8 is cut.
 * @throws CliError if the bytes are not UTF-8
 */
export async function* latinTextOf(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  let isFirst = true;
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = bytes.length - incompleteAtTheEnd(bytes);
    rest = bytes.subarray(end);
    if (end === 0) {
      continue;
    }
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) {
      throw notUtf8(name, isFirst && isUtf16(whole));
    }
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("latin1");
    yield isFirst && text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
    isFirst = false;
  }
  if (rest.length > 0) {
    throw notUtf8(name, false);
  }
}

const byteOrderMark = "\u00ef\u00bb\u00bf";

/** How many of the last bytes are the beginning of a character. */
function incompleteAtTheEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
    if (byte < 0x80) {
      return 0;
    }
  }
  return 0;
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function notUtf8(name: string, isSixteen: boolean): CliError {
  return new CliError(`"${name}" is not UTF-8${isSixteen ? " but UTF-16" : ""}. Save it as UTF-8.`);
}
