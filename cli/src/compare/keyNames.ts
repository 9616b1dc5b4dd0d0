import { hideSecrets } from "../../../src/service/errors/secretShapes";
import { differenceOf, shortlyBefore } from "../output/difference";
import type { Key } from "./keyedRows";

/** What a key is called in a report. */
export type KeyNames = (key: Key) => string;

/**
 * A long key, such as an address, is cut where it says least: what all keys begin with is left out, and then its
 * middle. If two keys are alike after the cut, all are cut less.
 */
export function keyNames(keys: readonly Key[], most: number): KeyNames {
  const shown = keys.map((key) => key.map(hideSecrets));
  const different = new Set(shown.map((key) => key.join("\0"))).size;
  const begins = (keys[0] ?? []).map((_part, index) => commonLength(shown.map((key) => key[index] ?? "")));
  const cutTo =
    (length: number): KeyNames =>
    (key) =>
      key.map((part, index) => shortened(hideSecrets(part), begins[index] ?? 0, length)).join(", ");
  // With both marks of a cut, a name fits in a cell of the terminal, and then in one of Markdown.
  const lengths = [most, 2 * most - 2, 4 * most - 2];
  const fits = lengths.find((length) => new Set(keys.map(cutTo(length))).size === different);
  return cutTo(fits ?? most);
}

function commonLength(texts: readonly string[]): number {
  const [first = ""] = texts;
  const ends = new Set(texts).size < 2 ? [] : texts.map((text) => differenceOf(first, text));
  return Math.min(...ends, ends.length === 0 ? 0 : first.length);
}

/** @param begin length of what all texts beside this one begin with */
function shortened(text: string, begin: number, most: number): string {
  if ([...text].length <= most) {
    return text;
  }
  const from = shortlyBefore(text, begin);
  const rest = [...text.slice(from)];
  const half = Math.floor(most / 2);
  const middle = rest.length > most ? [...rest.slice(0, most - half), "…", ...rest.slice(-half)] : rest;
  return `${from > 0 ? "…" : ""}${middle.join("")}`;
}
