/**
 * Hides words that are known, such as credentials and values of a request, in foreign text. It searches the text as it
 * is, and without the encodings in which a service can repeat a word.
 */

/** A shorter word occurs within others by chance: it is hidden only as a whole word. */
const shortestPart = 4;

/**
 * Replaces the words wherever they occur, in any letter case, also in percent-encoding, in a form, as entities of HTML
 * and in a string of JSON.
 * @param most characters of the text that are kept; a word that begins within them is compared as a whole
 */
export function hideWords(text: string, words: readonly string[], replacement: string, most: number): string {
  const hiding = new Hiding(text);
  const longest = words.reduce((length, word) => Math.max(length, word.length), 0);
  const [raw, plain] = [asItIs(text), decoded(text)].map((each) => ({
    ...each,
    text: each.text.slice(0, most + longest),
  }));
  for (const word of words.flatMap(inForms)) {
    hiding.hide(lowerCase(word), raw as Reading);
    hiding.hide(decodedText(word), plain as Reading);
  }
  return hiding.shown(replacement, most);
}

/** A form writes a space as a plus. */
function inForms(word: string): string[] {
  return word.includes(" ") ? [word, word.replaceAll(" ", "+")] : [word];
}

/** Shorter strings are not hidden: they are hardly credentials, and hiding them would make messages unreadable. */
const shortestCredential = 6;
/** So many characters of a credential in a row are hidden: services show the beginning or the end of a token. */
const pieceLength = 12;

/** Hides the credentials in use, because a service can repeat them in its messages. */
export class Redactor {
  readonly #raw = new Set<string>();
  readonly #joined = new Set<string>();
  readonly #pieces = new Set<string>();

  add(word: string | undefined): void {
    if (word === undefined || word.length < shortestCredential) return;
    for (const form of formsOf(word)) {
      this.#raw.add(lowerCase(form));
      this.#joined.add(withoutSpaces(decodedText(form)));
    }
    const text = withoutSpaces(decodedText(word));
    for (let at = 0; at + pieceLength <= text.length; at += 1) this.#pieces.add(text.slice(at, at + pieceLength));
  }

  /** Hides the credentials. An arrow function, because it is passed as a callback. */
  readonly scrub = (text: string): string => {
    const hiding = new Hiding(text);
    const raw = asItIs(text);
    for (const form of this.#raw) hiding.hide(form, raw);
    // A line break within a word does not matter.
    const whole = replaced(decoded(text), / /g, () => "");
    for (const form of this.#joined) hiding.hide(form, whole);
    for (let at = 0; at + pieceLength <= whole.text.length; at += 1) {
      if (this.#pieces.has(whole.text.slice(at, at + pieceLength))) hiding.fill(whole, at, pieceLength);
    }
    return hiding.shown("[secret]");
  };
}

/**
 * The forms in which a credential is hidden. Each is found as it is, and in every encoding that {@link decoded} reads,
 * also broken by white space.
 */
function formsOf(word: string): string[] {
  const bytes = Buffer.from(word);
  // The bytes before a word shift its base64 characters, and what is behind it changes the last one.
  const base64 = [0, 1, 2].flatMap((shift) => {
    const bits = 8 * (shift + bytes.length);
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    return [Math.floor(bits / 6), Math.ceil(bits / 6)].map((end) => whole.slice(Math.ceil((8 * shift) / 6), end));
  });
  const inUrls = base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_"));
  return [...inForms(word), bytes.toString("hex"), ...base64, ...inUrls];
}

/** A text in lower case, without some encodings, and the part of the original text that each character stands for. */
interface Reading {
  text: string;
  begins: Int32Array;
  ends: Int32Array;
}

/** Which characters of a text are hidden. */
class Hiding {
  readonly #isHidden: Uint8Array;

  constructor(private readonly text: string) {
    this.#isHidden = new Uint8Array(text.length);
  }

  hide(word: string, reading: Reading): void {
    const { text, begins, ends } = reading;
    for (let at = text.indexOf(word); at >= 0 && word !== ""; at = text.indexOf(word, at + word.length)) {
      const around = `${this.text[(begins[at] ?? 0) - 1] ?? ""}${this.text[ends[at + word.length - 1] ?? 0] ?? ""}`;
      if (word.length >= shortestPart || !/[\p{L}\p{N}]/u.test(around)) this.fill(reading, at, word.length);
    }
  }

  fill({ begins, ends }: Reading, at: number, length: number): void {
    this.#isHidden.fill(1, begins[at], ends[at + length - 1]);
  }

  shown(replacement: string, most = this.text.length): string {
    let shown = "";
    for (let at = 0; at >= 0 && at < most; ) {
      const begin = this.#isHidden.indexOf(1, at);
      shown += this.text.slice(at, Math.min(begin < 0 ? most : begin, most));
      if (begin >= 0 && begin < most) shown += replacement;
      at = begin < 0 ? -1 : this.#isHidden.indexOf(0, begin);
    }
    return shown;
  }
}

function asItIs(text: string): Reading {
  const [begins, ends] = [new Int32Array(text.length), new Int32Array(text.length)];
  for (let at = 0; at < text.length; at += 1) {
    begins[at] = at;
    ends[at] = at + 1;
  }
  return { text: lowerCase(text), begins, ends };
}

/** A bound for text that was encoded again and again: each pass over it takes off one encoding. */
const mostEncodings = 4;

/** The encodings of HTML, of addresses and forms, and of strings in JSON and in programs. */
const encodings = new RegExp(
  [
    /&(?:#x(?<entity>[\da-f]{1,8})|#(?<decimal>\d{1,8})|(?<name>[a-z]{2,8}));?/,
    /%(?<ascii>[0-7][\da-f])|(?<bytes>(?:%[89a-f][\da-f]){1,8})/,
    /\\u(?<unit>[\da-f]{4})|\\x(?<byte>[\da-f]{2})|\\(?<escaped>[^uxnrtbf])/,
    /(?<half>\p{Cs})|\\[nrtbf]|[\s\p{Cc}\p{Cf}]+/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "giu",
);
const mayHaveEncodings = /[&%\\\p{C}]|[^\S ]| {2}/u;

/** The text without these encodings. White space and invisible characters of any length are one space. */
function decoded(text: string): Reading {
  let reading = asItIs(text);
  for (let pass = 0; pass < mostEncodings && mayHaveEncodings.test(reading.text); pass += 1) {
    reading = replaced(reading, encodings, decodedMatch);
  }
  return reading;
}

/** The same without places: a request can have a million words. */
function decodedText(word: string): string {
  let text = lowerCase(word);
  for (let pass = 0; pass < mostEncodings && mayHaveEncodings.test(text); pass += 1) {
    text = text.replace(encodings, (all, ...rest) => decodedMatch(all, rest.at(-1)));
  }
  return text;
}

function withoutSpaces(text: string): string {
  return text.replaceAll(" ", "");
}

function decodedMatch(all: string, groups: Record<string, string | undefined> = {}): string {
  const { entity, decimal, name, ascii, bytes, unit, byte, escaped, half } = groups;
  const hex = entity ?? ascii ?? unit ?? byte;
  if (hex !== undefined || decimal !== undefined) {
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0x10ffff ? all : lowerCase(String.fromCodePoint(point));
  }
  if (bytes !== undefined) return lowerCase(Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
  if (name !== undefined) return named.get(name) ?? all;
  return escaped ?? (half === undefined ? " " : "\ufffd");
}

/** The characters of ASCII that have a name in HTML, in lower case. */
const named = new Map(
  (
    "tab:\t newline:\n nbsp:\u00a0 excl:! quot:\" num:# dollar:$ percnt:% amp:& apos:' lpar:( rpar:) ast:* midast:* plus:+ comma:, hyphen:- dash:- " +
    "period:. sol:/ colon:: semi:; lt:< equals:= gt:> quest:? commat:@ lsqb:[ lbrack:[ bsol:\\ rsqb:] rbrack:] hat:^ lowbar:_ underbar:_ grave:` " +
    "lcub:{ lbrace:{ verbar:| vert:| rcub:} rbrace:}"
  )
    .split(" ")
    .map((each): [string, string] => [each.slice(0, each.indexOf(":")), each.slice(each.indexOf(":") + 1)]),
);

/** The text with other characters in place of what matches. Each stands for the whole match. */
function replaced({ text, begins, ends }: Reading, pattern: RegExp, by: typeof decodedMatch): Reading {
  const now: Reading = { text: "", begins: new Int32Array(text.length), ends: new Int32Array(text.length) };
  let done = 0;
  const keepUpTo = (at: number): void => {
    now.begins.set(begins.subarray(done, at), now.text.length);
    now.ends.set(ends.subarray(done, at), now.text.length);
    now.text += text.slice(done, at);
  };
  for (const match of text.matchAll(pattern)) {
    keepUpTo(match.index);
    done = match.index + match[0].length;
    const characters = by(match[0], match.groups);
    const next = now.text.length + characters.length;
    now.begins.fill(begins[match.index] ?? 0, now.text.length, next);
    now.ends.fill(ends[done - 1] ?? 0, now.text.length, next);
    now.text += characters;
  }
  keepUpTo(text.length);
  return now;
}

/** In lower case and of the same length. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
