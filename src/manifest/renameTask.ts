import { dirname, extname, join } from "node:path/posix";
import type { Place } from "./nodes";
import { ManifestFile } from "./nodes";
import { Added, parseYaml } from "./parseYaml";
import { Problems } from "./problems";
import type { DeclaredTask, Manifests } from "./readManifests";
import type { Node, YAMLMap } from "./yaml";
import { Composer, isMap, isPair, isScalar, isSeq, Parser } from "./yaml";

/** A file after a rename. */
export interface RenamedFile {
  /** As a {@link Place} names it. */
  name: string;
  text: string;
  /** What the file must be called, if the name of the task is the name of the file. */
  newName?: string;
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
 * it is written.
 * @param manifests without problems
 * @throws CannotRename
 */
export function renameTask({ references }: Manifests, task: DeclaredTask, name: string): RenamedFile[] {
  const { file } = task.at;
  const own = new Source(file);
  const nameNode = own.nameOf(task.at);
  const edits = new Map([[file, own.rename(task, name)]]);
  for (const { at } of references.filter((reference) => reference.name === task.name)) {
    const edit = new Source(at.file).replaceScalar(at.offset, task.name, name);
    const known = edits.get(at.file) ?? [];
    // Several aliases of one value have one place.
    edits.set(at.file, known.some(({ from }) => from === edit.from) ? known : [...known, edit]);
  }
  return [...edits].map(([each, found]) => ({
    name: each.name,
    text: applied(each, found),
    ...(each === file &&
      nameNode === undefined && { newName: join(dirname(each.name), `${name}${extname(each.name)}`) }),
  }));
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
    if (path !== "name") {
      return this.scalarAt(offset);
    }
    return (
      pairsOf(this.documentAt(offset)).find(({ key }) => isScalar(key) && key.value === "name")?.value ?? undefined
    );
  }

  rename({ at, name: old, was }: DeclaredTask, name: string): Edit[] {
    const node = this.nameOf(at);
    const map = at.path === "name" ? this.documentAt(at.offset) : this.valueOfKey(at.offset);
    const names = [...was.filter((each) => each !== name), old];
    const ofName = node === undefined ? [] : [this.replaceScalar(node.range?.[0] ?? 0, old, name)];
    return [...ofName, this.noteEarlier(map, names)];
  }

  /** @throws CannotRename if the scalar is not a literal one */
  replaceScalar(offset: number, old: string, name: string): Edit {
    const node = this.scalarAt(offset);
    if (!isScalar(node) || node.value !== old || node.range === undefined || node.range === null) {
      const { line, col } = this.file.lines.linePos(offset);
      throw new CannotRename(`${this.file.name}:${line}:${col}: the name is not written as "${old}" there.`);
    }
    const [from, to] = node.range;
    return { from, to, text: written(name) };
  }

  private noteEarlier(map: Node | null | undefined, names: readonly string[]): Edit {
    const list = `[${names.map(written).join(", ")}]`;
    const first = isMap(map) ? pairsOf(map)[0] : undefined;
    if (!isMap(map) || first?.key.range === undefined || first.key.range === null) {
      throw new CannotRename(
        `${this.file.name}: the task has no map of its own to note its earlier name in. Give it one with "was: ${list}".`,
      );
    }
    const given = pairsOf(map).find(({ key }) => isScalar(key) && key.value === "was")?.value;
    if (given?.range !== undefined && given.range !== null) {
      if (!isSeq(given)) {
        throw new CannotRename(`${this.file.name}: was is not a list there. Write "was: ${list}".`);
      }
      return { from: given.range[0], to: contentEnd(given), text: list };
    }
    const [from] = first.key.range;
    const column = from - (this.file.text.lastIndexOf("\n", from - 1) + 1);
    const separator = map.flow === true ? ", " : `${this.lineBreak}${" ".repeat(column)}`;
    return { from, to: from, text: `was: ${list}${separator}` };
  }

  private get lineBreak(): string {
    return this.file.text.includes("\r\n") ? "\r\n" : "\n";
  }

  private documentAt(offset: number): YAMLMap | undefined {
    return this.maps.findLast(({ range }) => (range?.[0] ?? 0) <= offset);
  }

  private valueOfKey(offset: number): Node | null | undefined {
    for (const node of this.nodes()) {
      const pair = isMap(node) ? pairsOf(node).find(({ key }) => key.range?.[0] === offset) : undefined;
      if (pair !== undefined) {
        return pair.value;
      }
    }
    return undefined;
  }

  private scalarAt(offset: number): Node | undefined {
    return this.nodes().find((node) => isScalar(node) && node.range?.[0] === offset);
  }

  private nodes(): Node[] {
    return this.maps.flatMap(nodesWithin);
  }
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

function pairsOf(map: YAMLMap | undefined): { key: Node; value: Node | null }[] {
  return (map?.items ?? []) as unknown as { key: Node; value: Node | null }[];
}

/** The range of a block list ends after the line break. */
function contentEnd(list: Node): number {
  const last = isSeq(list) && list.flow !== true ? (list.items.at(-1) as Node | undefined) : undefined;
  return last?.range?.[1] ?? list.range?.[1] ?? 0;
}

/** A name as a scalar of any place. */
function written(name: string): string {
  const isPlain = /^[A-Za-z\d][\w.-]*$/.test(name) && !/^null$/i.test(name);
  return isPlain ? name : JSON.stringify(name.replaceAll("${", () => "$${"));
}

/** @throws CannotRename if the result would not be valid */
function applied({ name, text }: ManifestFile, edits: readonly Edit[]): string {
  const changed = [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((before, { from, to, text: by }) => before.slice(0, from) + by + before.slice(to), text);
  const problems = new Problems();
  parseYaml(new ManifestFile(name, changed), new Added(), problems);
  if (problems.count > 0) {
    throw new CannotRename(
      `${name}: the name cannot be changed by this command in the form in which the file is written.`,
    );
  }
  return changed;
}
