import type { PreparedRequest } from "../contract/requests";
import { hideWords } from "./hideWords";

/**
 * An error of the service can repeat the request. Property values, loop items and start URLs can be secrets, so each
 * value that the service repeats as a whole is hidden. Ids, types and names of properties stay visible, because they
 * show where the fault is.
 */
export function hideRequestValues(text: string, request: PreparedRequest): string {
  if (request.upload !== undefined) return hideUrls(text, request.taskId);
  if (request.json === undefined) return text;
  const { values, ids } = contentOf(request.json, new Set(request.operation.values));
  const words = [...values].filter((value) => isWord(value) && !ids.has(value));
  return hideWords(text, words, hidden, longestText);
}

/** A single character is no secret, and the message can have it as a word of its own. */
function isWord(value: string): boolean {
  return [...value.trim()].length > 1;
}

const hidden = "[hidden]";

/** Maximum number of characters to search: a request can have a million values, and only 300 characters are shown. */
const longestText = 2000;

function contentOf(json: string, valueMembers: ReadonlySet<string>): { values: Set<string>; ids: Set<string> } {
  const values = new Set<string>();
  const ids = new Set<string>();
  const visit = (content: unknown, member: string): void => {
    if (typeof content === "string") {
      (valueMembers.has(member) ? values : ids).add(content);
    } else if (Array.isArray(content)) {
      for (const entry of content) visit(entry, member);
    } else if (typeof content === "object" && content !== null) {
      for (const [name, entry] of Object.entries(content)) visit(entry, name);
    }
  };
  visit(JSON.parse(json), "");
  return { values, ids };
}

/** The URLs of a file are not in memory, so everything is hidden that could be a part of one. */
function hideUrls(text: string, taskId = ""): string {
  const pieces = text.slice(0, longestText).split(/(\s+)/);
  return pieces
    .map((piece) => (partOfUrl.test(piece.replaceAll(taskId, "")) && !errorCode.test(piece) ? hidden : piece))
    .join("");
}

const partOfUrl = /[/?=&%@\\]|[\p{L}\p{N}][.:][\p{L}\p{N}]/u;
/** As in `Invalid.Token`. */
const errorCode = /^[A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)*$/;
