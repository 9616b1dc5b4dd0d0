import type { PreparedRequest } from "../contract/requests";
import type { Failure } from "./failures";

/**
 * Services like to repeat in an error what they were sent. Property values, loop items and start URLs may be secrets of whoever calls, so
 * the service's words are kept and those values taken out. Ids, types and the names of properties stay: they tell where the fault is.
 */
export async function withoutRequestValues(
  failure: Failure | undefined,
  request: PreparedRequest,
): Promise<Failure | undefined> {
  if (failure === undefined || (failure.said === undefined && failure.code === undefined)) return failure;
  const texts = [failure.said, failure.code].filter((text) => text !== undefined);
  const content = contentOf(request);
  const found = new Set<string>();
  const words = new Set(texts.flatMap(wordsOf).filter((word) => !content.ids.has(word)));
  for (const word of words) {
    if (content.values.some((value) => holds(value, word))) found.add(word);
  }
  if (request.upload !== undefined) await addFromFile(request.upload.file.open, words, found);
  const clean = (text: string) => hide(text, content, found);
  const { code, problem } = failure;
  const said = failure.said === undefined ? undefined : clean(failure.said);
  const told = said === undefined ? problem : problem.replace(failure.said ?? "", () => said);
  if (code === undefined) return { ...failure, problem: told, said };
  const plainCode = clean(code);
  return { ...failure, problem: told.replace(code, () => plainCode), said, code: plainCode };
}

/** A shorter word stands in a value by chance; such a value is hidden only where it stands as a whole. */
const shortestPart = 4;

/** Members of requests whose texts are the caller's own; all others name something of the service's. */
const valueMembers = new Set(["value", "loopItems", "refresh_token"]);

/** All in small letters, for services change the case of hosts. */
interface Content {
  values: string[];
  ids: Set<string>;
}

function contentOf({ json, upload }: PreparedRequest): Content {
  const values: string[] = [];
  const ids = new Set<string>();
  const visit = (content: unknown, member: string): void => {
    if (typeof content === "string") {
      if (valueMembers.has(member)) values.push(content.toLowerCase());
      else ids.add(content.toLowerCase());
    } else if (Array.isArray(content)) {
      for (const entry of content) visit(entry, member);
    } else if (typeof content === "object" && content !== null) {
      for (const [name, entry] of Object.entries(content)) visit(entry, name);
    }
  };
  if (json !== undefined) visit(JSON.parse(json), "");
  if (upload !== undefined) ids.add(upload.taskId.toLowerCase());
  return { values: values.filter((value) => value.trim() !== ""), ids };
}

function holds(value: string, word: string): boolean {
  return value === word || (word.length >= shortestPart && value.includes(word));
}

/** A piece of text between blanks, without the quotes and stops around it, and the words in it. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).flatMap(partsOf);
}

function partsOf(piece: string): string[] {
  const forms = new Set([piece, decoded(piece)].map((form) => form.toLowerCase()));
  return [...forms].flatMap((form) => [
    form.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""),
    ...(form.match(/[\p{L}\p{N}]{4,}/gu) ?? []),
  ]);
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

function hide(text: string, { values, ids }: Content, found: ReadonlySet<string>): string {
  const lower = text.toLowerCase();
  const whole = values.filter(
    (value) => value.length >= shortestPart && value.length <= lower.length && lower.includes(value) && !ids.has(value),
  );
  let clean = text;
  // Whole values first, the longest before its parts: one with blanks in it stands in no single piece.
  for (const value of whole.sort((a, b) => b.length - a.length)) {
    clean = clean.replace(new RegExp(value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi"), hidden);
  }
  const pieces = clean.split(/(\s+)/).map((piece) => {
    const parts = partsOf(piece);
    return parts.some((part) => found.has(part)) && !ids.has(parts[0] ?? "") ? hidden : piece;
  });
  return pieces.join("");
}

const hidden = "[hidden]";

/** The file is not kept in memory, so it is read once more, in pieces that overlap by the length of the longest word. */
async function addFromFile(
  open: () => AsyncIterable<Buffer | string>,
  words: Iterable<string>,
  found: Set<string>,
): Promise<void> {
  const missing = new Set([...words].filter((word) => word.length >= shortestPart));
  const overlap = Math.max(0, ...[...missing].map((word) => word.length));
  let rest = "";
  try {
    const decoder = new TextDecoder();
    for await (const chunk of open()) {
      const text = rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).toLowerCase();
      for (const word of missing) {
        if (text.includes(word)) {
          found.add(word);
          missing.delete(word);
        }
      }
      if (missing.size === 0) return;
      rest = text.slice(-overlap);
    }
  } catch {
    // What cannot be read cannot be compared: then nothing that the service said is repeated.
    for (const word of missing) found.add(word);
  }
}
