import type { YAMLError } from "../yaml";
import { CST } from "../yaml";

/** Something in a file, and what is wrong with it. */
export interface Finding {
  readonly offset: number;
  readonly reason: string;
}

/** Text that YAML reads in another way than its author means. It explains a problem of the same value. */
export interface Slip extends Finding {
  /** Whether the problem says nothing more than the slip. */
  readonly isCause: boolean;
  /** Whether it is a warning where the value has no problem. */
  readonly warns: boolean;
}

/** The slips of a document by the offsets of the values and keys that have them. */
export function slipsIn(document: CST.Document, text: string): Map<number, Slip> {
  const slips = new Map<number, Slip>();
  const add = (offset: number, slip: Slip | undefined): void => {
    if (slip !== undefined && !slips.has(offset)) {
      slips.set(offset, slip);
    }
  };
  CST.visit(document, ({ key, sep = [], value }, path) => {
    for (const token of [key, value]) {
      if (token?.type === "scalar") {
        const slip = slipOf(token, text) ?? (isInList(document, path) ? undefined : slipOfEntry(token, text));
        add(token.offset, slip ?? slipOfComment(token.end ?? []));
      }
    }
    const slip = slipOfComment(sep);
    add(slip?.offset ?? 0, slip);
  });
  return slips;
}

/** White space that YAML does not take for a space: at the beginning or end of a line, or behind `name:` or `-`. */
const specialSpace =
  /^[\u00a0\u2000-\u200b\u202f\u3000\ufeff]|(?<=^(?:[\w.]+:|-))[\u00a0\u2000-\u200b\u202f\u3000\ufeff]|[\u00a0\u2000-\u200b\u202f\u3000\ufeff]$/m;

function slipOf({ offset, source }: CST.FlowScalar, text: string): Slip | undefined {
  const at = specialSpace.exec(source)?.index;
  if (at !== undefined) {
    const code = source.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
    const name = code === "00A0" ? "a no-break space" : "a special space";
    const reason = `has ${name} (U+${code}) where YAML needs a plain space`;
    return { offset: offset + at, reason, isCause: true, warns: at === 0 || at === source.length - 1 };
  }
  if (/^[“”„‟‘’‚‛＂]/.test(source)) {
    const reason = `begins with ${source.charAt(0)}, which is no quote in YAML but a part of the value: the value ends before " #", in {…} and […] before a comma. Write " or '`;
    return { offset, reason, isCause: false, warns: true };
  }
  const reason = `has a variable without quotes in {…} or […]: write "\${name}", in quotes`;
  return source.endsWith("$") && text.charAt(offset + source.length) === "{"
    ? { offset, reason, isCause: true, warns: false }
    : undefined;
}

function slipOfEntry({ offset, source }: CST.FlowScalar, text: string): Slip | undefined {
  const [before] = /^[\w.]+:(?=[^\s/])|^-(?=\S)/.exec(source) ?? [];
  const reason = `needs a space behind "${before}"`;
  return before !== undefined && beginsEntry(offset, text)
    ? { offset, reason, isCause: true, warns: false }
    : undefined;
}

/** No list of a manifest has maps, and `localhost:80/a` is an item without its scheme. */
function isInList(document: CST.Document, path: CST.VisitPath): boolean {
  const parent = path.length === 0 ? undefined : CST.visit.parentCollection(document, path);
  return parent?.type === "block-seq" || (parent?.type === "flow-collection" && parent.start.type === "flow-seq-start");
}

/** Whether only a bracket, a comma or a hyphen stands before it in its line. */
function beginsEntry(offset: number, text: string): boolean {
  let before = offset - 1;
  while (text.charAt(before) === " ") {
    before--;
  }
  return before < 0 || "\n{[,-".includes(text.charAt(before));
}

/** A comment without a space behind its `#` is often the rest of the value in its line. */
function slipOfComment(behind: readonly CST.SourceToken[]): Slip | undefined {
  const end = behind.findIndex(({ type }) => type === "newline");
  const inLine = end < 0 ? behind : behind.slice(0, end);
  const comment = inLine.find(({ type, source }) => type === "comment" && /^#[^\s#]/.test(source));
  const reason = 'ends before " #", where a comment begins. Put the value in quotes, or a space behind the #';
  return comment && { offset: comment.offset, reason, isCause: false, warns: true };
}

/** What is wrong where the library found an error of the syntax. */
export function syntaxProblem({ code, message, pos }: YAMLError, tokens: readonly CST.Token[], text: string): Finding {
  const [offset] = pos;
  const open =
    / end with a [\]}]/.test(message) || message.startsWith("Missing closing") ? opener(tokens, offset) : offset;
  const character = text.charAt(open);
  return {
    offset: open,
    reason:
      open < offset
        ? `the ${character} that begins here has no end`
        : inOurWords(code, message, character, text[offset + 1]),
  };
}

function inOurWords(code: string, message: string, character: string, next = ""): string {
  switch (code) {
    case "BAD_ALIAS":
      return `${character} alone is no value: put it in quotes`;
    case "BAD_DQ_ESCAPE":
      return `\\${next} is no escape sequence in double quotes: write \\\\ for a backslash, or put the value in single quotes`;
    case "BAD_INDENT":
      return "the line begins at another column than the lines above it";
    case "BAD_SCALAR_START":
      return `a value that begins with ${character} needs quotes`;
    case "BLOCK_AS_IMPLICIT_KEY":
      return "a map cannot begin inside a value; quote the value, or begin the map on a new line";
    case "TAB_AS_INDENT":
      return "tabs are not allowed as indentation: write spaces";
    case "UNEXPECTED_TOKEN":
      return /[\]}]/.test(character)
        ? `the ${character} has no ${character === "}" ? "{" : "["} before it`
        : "the value has ended before this: put the whole value in quotes";
    default:
      if (message.startsWith("Missing , ")) {
        return "a comma is missing before this, or quotes around the whole value";
      }
      return /mplicit/.test(message)
        ? 'the line has no colon with a space behind it: write "name: value", or "- value" in a list'
        : message.charAt(0).toLowerCase() + message.slice(1);
  }
}

/** Where the last bracket or quote before an offset is that has no end. */
function opener(tokens: readonly CST.Token[], offset: number): number {
  let last = offset;
  for (const document of tokens) {
    document.type === "document" &&
      CST.visit(document, ({ key, value }) => {
        for (const token of [key, value]) {
          if (token && isOpen(token, offset)) {
            last = token.offset;
          }
        }
      });
  }
  return last;
}

function isOpen(token: CST.Token, offset: number): boolean {
  if (token.type !== "flow-collection") {
    return token.type.endsWith("-quoted-scalar") && "source" in token && token.offset + token.source.length === offset;
  }
  const end = token.start.type === "flow-map-start" ? "flow-map-end" : "flow-seq-end";
  return token.offset <= offset && token.end[0]?.type !== end;
}
