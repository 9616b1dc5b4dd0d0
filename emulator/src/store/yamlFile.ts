import { readFileSync, statSync } from "node:fs";
import type { Document, LineCounter, Node } from "yaml";
import { yamlLibrary } from "../contract";

/**
 * Where a value is in its file, for messages; undefined if that is not known.
 * @param part `key`: the place of the value's name, for a name that is wrong. Default: `value`.
 */
export type PlaceOf = (path: readonly string[], part?: "key" | "value") => string | undefined;

/** The content of a YAML or JSON file. */
export interface FileContent {
  value: unknown;
  placeOf: PlaceOf;
}

/** JSON with more characters has no places: it would be read for seconds. */
const longestJsonWithPlaces = 1024 * 1024;

/** @throws Error if the file cannot be read, without content of the file, which can be a credential. */
export function readYamlFile(file: string): FileContent {
  const content = readContent(file);
  if (content.value === undefined || content.value === null) throw new Error("the file is empty");
  return content;
}

function readContent(file: string): FileContent {
  const text = readText(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return readYaml(text);
  }
  // JSON is YAML too, but reading it as YAML takes many times as long, so only a problem is worth it.
  let places: PlaceOf | undefined;
  return {
    value,
    placeOf(path, part) {
      if (text.length > longestJsonWithPlaces) return undefined;
      places ??= placesIn(text).placeOf;
      return places(path, part);
    },
  };
}

function readText(file: string): string {
  // A pipe without a writer would be waited for, and a device can have no end.
  if (!statSync(file).isFile()) throw new Error("not a regular file");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw error instanceof TypeError ? new Error("the file is not UTF-8") : error;
  }
}

function placesIn(text: string): { document: Document.Parsed; placeOf: PlaceOf } {
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return { document, placeOf: (path, part = "value") => placeIn(document, lines, path, part) };
}

function readYaml(text: string): FileContent {
  const { document, placeOf } = placesIn(text);
  const [problem] = document.errors;
  if (problem !== undefined) {
    const [start] = problem.linePos ?? [];
    throw new Error(`not valid YAML (${problem.code}, line ${start?.line ?? "?"}, column ${start?.col ?? "?"})`);
  }
  return { value: document.toJS(), placeOf };
}

/** The place of a value or, if it has none, of what contains it. */
function placeIn(
  document: Document,
  lines: LineCounter,
  path: readonly string[],
  part: "key" | "value",
): string | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node =
      part === "key" && length === path.length ? keyAt(document, path) : nodeAt(document, path.slice(0, length));
    const { range } = (node ?? {}) as { range?: Node["range"] };
    if (!Array.isArray(range)) continue;
    const { line, col } = lines.linePos(range[0]);
    return `line ${line}, column ${col}`;
  }
  return undefined;
}

function nodeAt(document: Document, path: readonly string[]): unknown {
  if (path.length === 0) return document.contents;
  return document.getIn(
    path.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
    true,
  );
}

/** The node of the last name of a path. */
function keyAt(document: Document, path: readonly string[]): unknown {
  const map = nodeAt(document, path.slice(0, -1));
  if (!yamlLibrary().isMap(map)) return undefined;
  return map.items.find(({ key }) => yamlLibrary().isScalar(key) && String(key.value) === path.at(-1))?.key;
}
