import type { Place } from "./nodes";
import { ManifestFile } from "./nodes";
import type { DeclaredTask, Manifests } from "./readManifests";
import type { Node, YAMLMap } from "./yaml";
import { Composer, isMap, isPair, isScalar, isSeq, Parser, Scalar } from "./yaml";

/** A file before and after a rename. If the name of the task is the name of the file, the file gets another name. */
export interface RenamedFile {
  before: ManifestFile;
  after: ManifestFile;
}

/** The form of a manifest does not allow the change. The message says what to write. */
export class CannotRename extends Error {}

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
  const own = new Source(file);
  const isNamedByFile = own.nameOf(task.at) === undefined;
  const edits = new Map([[file, own.rename(task, name)]]);
  for (const { at } of references.filter((reference) => reference.name === task.name)) {
    const edit = new Source(at.file).replaceScalar(at.offset, task.name, name);
    const known = edits.get(at.file) ?? [];
    // Several aliases of one value have one place.
    edits.set(at.file, known.some(({ from }) => from === edit.from) ? known : [...known, edit]);
  }
  return [...edits].map(([before, found]) => {
    const isRenamed = isNamedByFile && before === file;
    const newName = isRenamed ? pathWithName(before.name, name) : before.name;
    return { before, after: new ManifestFile(newName, applied(before.text, found)) };
  });
}

/** The path with another name before the ending. */
function pathWithName(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) + name + path.slice(path.lastIndexOf("."));
}

/** A file as the library parses it, with the place of each value. */
class Source {
  private readonly maps: YAMLMap[];

  constructor(private readonly file: ManifestFile) {
    const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    const documents = [...composer.compose(new Parser().parse(file.text))];
    this.maps = documents.flatMap(({ contents }) => (isMap(contents) ? [contents] : []));
  }

  /** Where the name of a task stands: a key of `tasks` or a `name`. Undefined if the file has the name. */
  nameOf({ path, offset }: Place): Node | undefined {
    return path === "name"
      ? (pairOf(this.documentAt(offset), "name")?.value ?? undefined)
      : this.nodes().find((node) => isScalar(node) && node.range?.[0] === offset);
  }

  rename({ at, name: old, was }: DeclaredTask, name: string): Edit[] {
    const node = this.nameOf(at);
    const map = at.path === "name" ? this.documentAt(at.offset) : this.valueOfKey(at.offset);
    const ofName = node === undefined ? [] : [this.replaceScalar(node.range?.[0] ?? 0, old, name)];
    return [...ofName, this.noteEarlier(map, was, { old, name })];
  }

  /** @throws CannotRename if the scalar is not written in one line, or has a variable */
  replaceScalar(offset: number, old: string, name: string): Edit {
    const node = this.nodes().find((each) => isScalar(each) && each.range?.[0] === offset);
    const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL);
    if (!isScalar(node) || isBlock || node.value !== old || node.range === undefined || node.range === null) {
      const { line, col } = this.file.lines.linePos(offset);
      throw new CannotRename(`${this.file.name}:${line}:${col}: the name is not written as "${old}" there.`);
    }
    const [from, to] = node.range;
    return { from, to, text: written(name) };
  }

  private noteEarlier(
    map: Node | null | undefined,
    was: readonly string[],
    { old, name }: { old: string; name: string },
  ): Edit {
    const list = `[${[...was.filter((each) => each !== name), old].map(written).join(", ")}]`;
    const { text } = this.file;
    const [first] = isMap(map) ? pairsOf(map) : [];
    if (!isMap(map) || first?.key.range === undefined || first.key.range === null) {
      throw new CannotRename(
        `${this.file.name}: the task has no map of its own to note its earlier name in. Give it one with "was: ${list}".`,
      );
    }
    const given = pairOf(map, "was");
    if (given === undefined) {
      const [from] = first.key.range;
      const column = from - (text.lastIndexOf("\n", from - 1) + 1);
      const separator = map.flow === true ? ", " : `${this.lineBreak}${" ".repeat(column)}`;
      return { from, to: from, text: `was: ${list}${separator}` };
    }
    const added = was.includes(name) ? undefined : this.addedItem(given.value, old);
    if (added !== undefined) {
      return added;
    }
    const end = isSeq(given.value) ? given.value.range?.[1] : undefined;
    if (end === undefined || given.key.range === undefined || given.key.range === null) {
      throw new CannotRename(`${this.file.name}: was is not a list there. Write "was: ${list}".`);
    }
    const colon = text.indexOf(":", given.key.range[1]) + 1;
    return { from: colon, to: colon + text.slice(colon, end).trimEnd().length, text: ` ${list}` };
  }

  /** One more item at the end of a list, with all that stands between the others. Undefined if the list is not written so that this is simple. */
  private addedItem(list: Node | null, name: string): Edit | undefined {
    const { text } = this.file;
    const last = isSeq(list) ? (list.items.at(-1) as Node | undefined) : undefined;
    if (!isSeq(list) || !isScalar(last) || last.range === undefined || last.range === null) {
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
      ? { from: lineEnd, to: lineEnd, text: `${this.lineBreak}${indent}${written(name)}` }
      : undefined;
  }

  private get lineBreak(): string {
    return this.file.text.includes("\r\n") ? "\r\n" : "\n";
  }

  private documentAt(offset: number): YAMLMap | undefined {
    return this.maps.findLast(({ range }) => (range?.[0] ?? 0) <= offset);
  }

  private valueOfKey(offset: number): Node | null | undefined {
    const pairs = this.nodes().flatMap((node) => (isMap(node) ? pairsOf(node) : []));
    return pairs.find(({ key }) => key.range?.[0] === offset)?.value;
  }

  private nodes(): Node[] {
    return this.maps.flatMap(nodesWithin);
  }
}

interface YamlPair {
  key: Node;
  value: Node | null;
}

function nodesWithin(node: Node | null): Node[] {
  if (isMap(node)) {
    return [node, ...pairsOf(node).flatMap(({ key, value }) => [...nodesWithin(key), ...nodesWithin(value)])];
  }
  if (isSeq(node)) {
    const items = node.items as unknown[];
    return [node, ...items.flatMap((item) => (isPair(item) ? [] : nodesWithin(item as Node)))];
  }
  return node === null ? [] : [node];
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
