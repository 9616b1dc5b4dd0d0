import type { Place } from "./problems";
import { ManifestFile } from "./problems";
import type { DeclaredTask, Manifests } from "./readManifests";
import type { Node, YAMLMap } from "./yaml";
import { Composer, isMap, isScalar, isSeq, Parser, Scalar, visit } from "./yaml";

/** A file before and after a rename. If the name of the task is the name of the file, the file gets another name. */
export interface RenamedFile {
  before: ManifestFile;
  after: ManifestFile;
}

/** The form of a manifest does not allow the change. The message says what to write. */
export class CannotRename extends Error {}

interface Names {
  old: string;
  name: string;
}

/** A text in place of what stands between two offsets. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * Gives a task another name, and notes the earlier one in `was`, so that the engine does not take it for a new task. Everything else in the files stays as
 * it is written. The caller checks the result.
 * @param manifests without problems
 * @throws CannotRename
 */
export function renameTask({ references }: Manifests, task: DeclaredTask, name: string): RenamedFile[] {
  const { file } = task.at;
  const edits = new Map([[file, editsOfTask(task, name)]]);
  for (const { at } of references.filter((reference) => reference.name === task.name)) {
    const edit = replaceScalar(scalarAt(at), at, { old: task.name, name });
    const known = edits.get(at.file) ?? [];
    // Several aliases of one value have one place.
    edits.set(at.file, known.some(({ from }) => from === edit.from) ? known : [...known, edit]);
  }
  return [...edits].map(([before, found]) => {
    const isRenamed = task.at.path === "" && before === file;
    const newName = isRenamed ? pathWithName(before.name, name) : before.name;
    return { before, after: new ManifestFile(newName, applied(before.text, found)) };
  });
}

/** The path with another name before the ending. */
function pathWithName(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) + name + path.slice(path.lastIndexOf("."));
}

function editsOfTask({ at, name: old, was }: DeclaredTask, name: string): Edit[] {
  const document = documentsOf(at.file).findLast(({ range }) => (range?.[0] ?? 0) <= at.offset);
  const names = { old, name };
  if (at.path === "" || at.path === "name") {
    const ofName = at.path === "" ? [] : [replaceScalar(pairOf(document, "name")?.value, at, names)];
    return [...ofName, noteEarlier(document, at, was, names)];
  }
  const tasks = pairOf(document, "tasks")?.value;
  const pair = isMap(tasks) ? pairOf(tasks, old) : undefined;
  return [replaceScalar(pair?.key, at, names), noteEarlier(pair?.value, at, was, names)];
}

function documentsOf({ text }: ManifestFile): YAMLMap[] {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
  return [...composer.compose(new Parser().parse(text))].flatMap(({ contents }) => (isMap(contents) ? [contents] : []));
}

function scalarAt({ file, offset }: Place): Scalar | undefined {
  let found: Scalar | undefined;
  for (const document of documentsOf(file)) {
    visit(document, {
      Scalar(_, node) {
        found = node.range?.[0] === offset ? node : found;
      },
    });
  }
  return found;
}

/** @throws CannotRename if the scalar is not written in one line, or has a variable */
function replaceScalar(node: Node | null | undefined, { file, offset }: Place, { old, name }: Names): Edit {
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL);
  if (!isScalar(node) || isBlock || node.value !== old || !node.range) {
    const { line, col } = file.lines.linePos(offset);
    throw new CannotRename(`${file.name}:${line}:${col}: the name is not written as "${old}" there.`);
  }
  const [from, to] = node.range;
  return { from, to, text: written(name) };
}

function noteEarlier(
  map: Node | null | undefined,
  { file: { name: fileName, text } }: Place,
  was: readonly string[],
  { old, name }: Names,
): Edit {
  const list = `[${[...was.filter((each) => each !== name), old].map(written).join(", ")}]`;
  const [first] = isMap(map) ? pairsOf(map) : [];
  if (!isMap(map) || !first?.key.range) {
    throw new CannotRename(
      `${fileName}: the task has no map of its own to note its earlier name in. Give it one with "was: ${list}".`,
    );
  }
  const given = pairOf(map, "was");
  if (given === undefined) {
    const [from] = first.key.range;
    const column = from - (text.lastIndexOf("\n", from - 1) + 1);
    const separator = map.flow === true ? ", " : `${lineBreakOf(text)}${" ".repeat(column)}`;
    return { from, to: from, text: `was: ${list}${separator}` };
  }
  const added = was.includes(name) ? undefined : addedItem(text, given.value, old);
  if (added !== undefined) {
    return added;
  }
  const end = isSeq(given.value) ? given.value.range?.[1] : undefined;
  if (end === undefined || !given.key.range) {
    throw new CannotRename(`${fileName}: was is not a list there. Write "was: ${list}".`);
  }
  const colon = text.indexOf(":", given.key.range[1]) + 1;
  return { from: colon, to: colon + text.slice(colon, end).trimEnd().length, text: ` ${list}` };
}

/** One more item at the end of a list, with all that stands between the others. Undefined if the list is not written so that this is simple. */
function addedItem(text: string, list: Node | null, name: string): Edit | undefined {
  const last = isSeq(list) ? (list.items.at(-1) as Node | undefined) : undefined;
  if (!isSeq(list) || !isScalar(last) || !last.range) {
    return undefined;
  }
  const [from, to] = last.range;
  if (list.flow === true) {
    const isLast = /^\s*$/.test(text.slice(to, (list.range?.[1] ?? to) - 1));
    return isLast ? { from: to, to, text: `, ${written(name)}` } : undefined;
  }
  const indent = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
  const lineEnd = text.slice(to).search(/\r?\n|$/) + to;
  return /^ *- +$/.test(indent)
    ? { from: lineEnd, to: lineEnd, text: `${lineBreakOf(text)}${indent}${written(name)}` }
    : undefined;
}

function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

interface YamlPair {
  key: Node;
  value: Node | null;
}

function pairsOf(map: YAMLMap | undefined): YamlPair[] {
  return (map?.items ?? []) as unknown as YamlPair[];
}

function pairOf(map: YAMLMap | undefined, name: string): YamlPair | undefined {
  return pairsOf(map).find(({ key }) => isScalar(key) && key.value === name);
}

/** A name as a scalar of any place. */
function written(name: string): string {
  const isPlain = /^[A-Za-z\d][\w.-]*$/.test(name) && !/^null$/i.test(name);
  return isPlain ? name : JSON.stringify(name.replaceAll("${", () => "$${"));
}

function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((before, { from, to, text: by }) => before.slice(0, from) + by + before.slice(to), text);
}
