import { readFileSync } from "node:fs";
import type { Document, LineCounter } from "yaml";
import { yamlLibrary } from "../contract";

/** Where a value is in its file, for messages; undefined if that is not known. */
export type PlaceOf = (path: readonly string[]) => string | undefined;

/** The content of a YAML or JSON file. */
export interface FileContent {
  value: unknown;
  placeOf: PlaceOf;
}

/** @throws Error if the file cannot be read, without content of the file, which can be a credential. */
export function readYamlFile(file: string): FileContent {
  const text = readFileSync(file, "utf8");
  try {
    // JSON is YAML too, but reading it as YAML takes many times as long.
    return { value: JSON.parse(text), placeOf: () => undefined };
  } catch {
    return readYaml(text);
  }
}

function readYaml(text: string): FileContent {
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const [start] = problem.linePos ?? [];
    throw new Error(`not valid YAML (${problem.code}, line ${start?.line ?? "?"}, column ${start?.col ?? "?"})`);
  }
  return { value: document.toJS(), placeOf: (path) => placeIn(document, lines, path) };
}

/** The place of a value or, if it has none, of what contains it. */
function placeIn(document: Document, lines: LineCounter, path: readonly string[]): string | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const keys = path.slice(0, length).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node: unknown = length === 0 ? document.contents : document.getIn(keys, true);
    if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) continue;
    const { line, col } = lines.linePos(node.range[0]);
    return `line ${line}, column ${col}`;
  }
  return undefined;
}
