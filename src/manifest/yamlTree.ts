import type { Problems } from "./problems";
import type { SourceFile } from "./sourceFile";
import type { ListNode, MapNode, Node, ScalarNode } from "./tree";
import { childPath, pathOf } from "./tree";
import type { CST, Document, Pair, YAMLError, Node as YamlNode } from "./yaml";
import { Composer, isAlias, isMap, isPair, isScalar, isSeq, Parser, Scalar } from "./yaml";

/** YAML 1.2 as a tree. All scalars stay text (the failsafe schema), so that no value changes its type. */

const mostLevels = 100;
/** How many values aliases, merge keys and defaults may add to one file. It stops a small file that stands for billions of values. */
const mostAdded = 2_000_000;

/** Counts what aliases, merge keys and defaults add to a file. */
export class Added {
  private count = 0;

  /** @throws TooLarge */
  add(values: number): void {
    this.count += values;
    if (this.count > mostAdded) {
      throw new TooLarge(`aliases, merge keys and defaults add more than ${mostAdded} values`);
    }
  }
}

export class TooLarge extends Error {}

/** The documents of a file that contain anything. What is not valid YAML becomes problems. */
export function parseYaml(file: SourceFile, added: Added, problems: Problems): Node[] {
  const reading: Reading = { file, added, problems };
  try {
    return documentsOf(reading);
  } catch (error) {
    if (error instanceof TooLarge) {
      problems.addAt(file, 0, "", `is refused: ${error.message}`);
      return [];
    }
    throw error;
  }
}

interface Reading {
  file: SourceFile;
  added: Added;
  problems: Problems;
}

function documentsOf(reading: Reading): Node[] {
  const { file, problems } = reading;
  const tokens = [...new Parser().parse(file.text)];
  const deepest = tokens.map((token) => tooDeep(token, 0)).find((token) => token !== undefined);
  if (deepest !== undefined) {
    // The composer is recursive. It must not even begin: at the end of its stack, V8 may stop the whole process.
    problems.addAt(file, deepest.offset, "", `is nested too deeply: at most ${mostLevels} levels are allowed`);
    return [];
  }
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
  const documents = [...composer.compose(tokens)];
  const found = [...composer.streamInfo().errors, ...documents.flatMap((each) => [...each.errors])];
  const errors = found.filter((error) => !isWrong(error, file.text));
  const end = file.text.trimEnd().length;
  let lastLine = 0;
  for (const { code, message, pos } of errors) {
    const at = Math.min(pos[0], end);
    const { line } = file.positionOf(at);
    if (line === lastLine) {
      // Most often a consequence of the one before.
      continue;
    }
    lastLine = line;
    problems.addAt(file, at, "", `is not valid YAML: ${explained(code, message)}`);
  }
  for (const { directives } of documents) {
    if (directives?.yaml.explicit === true && directives.yaml.version !== "1.2") {
      problems.addAt(file, 0, "", `must be YAML 1.2; got the directive %YAML ${directives.yaml.version}`);
    }
  }
  // With an error, the rest of the tree is a guess.
  return errors.length > 0 ? [] : documents.flatMap((each) => new Tree(reading).of(each) ?? []);
}

/** The library misses the line break before a comment that stands behind a value of a flow map, at the beginning of a line. */
function isWrong({ message, pos: [at] }: YAMLError, text: string): boolean {
  return message.startsWith("Comments must be separated") && text[at - 1] === "\n";
}

/** Words for errors that the parser describes in terms of its own. */
function explained(code: string, message: string): string {
  switch (code) {
    case "TAB_AS_INDENT":
      return "a tab cannot indent; use spaces";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "a map cannot begin inside a value; quote the value, or begin the map on a new line";
    default:
      break;
  }
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  if (quote !== undefined) {
    return `a string that begins with ${quote} must end with ${quote}`;
  }
  const bracket = /must be sufficiently indented and end with a ([\]}])/.exec(message)?.[1];
  if (bracket !== undefined) {
    return bracket === "]" ? "a list that begins with [ must end with ]" : "a map that begins with { must end with }";
  }
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** A token below the allowed depth, found without going below it. */
function tooDeep(token: CST.Token, level: number): CST.Token | undefined {
  if (level > mostLevels) {
    return token;
  }
  if (token.type === "document") {
    return token.value && tooDeep(token.value, level);
  }
  if (!("items" in token)) {
    return undefined;
  }
  for (const { key, value } of token.items) {
    const deep = (key && tooDeep(key, level + 1)) ?? (value && tooDeep(value, level + 1));
    if (deep) {
      return deep;
    }
  }
  return undefined;
}

interface From {
  parent: Node | undefined;
  key: string | number | undefined;
}

/** Converts the nodes of one document. */
class Tree {
  /** The values with an anchor, up to now. `undefined` while the value is being read. */
  private readonly anchors = new Map<string, Node | undefined>();

  constructor(private readonly reading: Reading) {}

  of(document: Document.Parsed): Node | undefined {
    const { contents } = document;
    const isEmpty =
      contents === null || (isScalar(contents) && contents.type === Scalar.PLAIN && contents.value === "");
    return isEmpty ? undefined : this.node(contents, { parent: undefined, key: undefined });
  }

  private node(yaml: YamlNode, from: From): Node {
    if (isAlias(yaml)) {
      return this.aliased(yaml.source, offsetOf(yaml), from);
    }
    const anchor = "anchor" in yaml ? yaml.anchor : undefined;
    if (anchor !== undefined) {
      this.anchors.set(anchor, undefined);
    }
    const node = this.content(yaml, from);
    if (anchor !== undefined) {
      this.anchors.set(anchor, node);
    }
    return node;
  }

  private aliased(name: string, offset: number, from: From): Node {
    const node = this.anchors.get(name);
    if (node === undefined) {
      const path = from.parent === undefined ? "" : childPath(pathOf(from.parent), from.key ?? "");
      const reason = this.anchors.has(name)
        ? `contains itself: the alias *${name} is inside the value of its anchor`
        : `has the alias *${name}, but no anchor &${name} stands before it`;
      this.reading.problems.addAt(this.reading.file, offset, path, reason);
      return { ...this.scalar("", false, offset, from), isBroken: true };
    }
    this.reading.added.add(node.size);
    return node;
  }

  private content(yaml: YamlNode, from: From): Node {
    const offset = offsetOf(yaml);
    this.checkTag(yaml, offset, from);
    if (isScalar(yaml)) {
      return this.scalar(this.textOf(yaml), yaml.type === Scalar.PLAIN && yaml.tag === undefined, offset, from);
    }
    if (isSeq(yaml)) {
      const { parent, key } = from;
      const list: ListNode = {
        is: "list",
        items: [],
        file: this.reading.file,
        offset,
        parent,
        key,
        size: 1,
        height: 1,
      };
      yaml.items.forEach((item, index) => {
        const value = isPair(item)
          ? this.onlyEntry(item as YamlPair, { parent: list, key: index })
          : this.node(item as YamlNode, { parent: list, key: index });
        list.items.push(value);
        this.grow(list, value);
      });
      return list;
    }
    if (isMap(yaml)) {
      const map = this.emptyMap(offset, from);
      this.fill(map, yaml.items as YamlPair[]);
      return map;
    }
    return this.scalar("", true, offset, from);
  }

  private textOf({ type, value, range }: Scalar): string {
    if (type === Scalar.QUOTE_DOUBLE && range) {
      // The library joins such a string of single characters, and its first use joins them again. Without escapes, the file has the same text.
      const written = this.reading.file.text.slice(range[0] + 1, range[1] - 1);
      if (!/[\\\n]/.test(written)) {
        return written;
      }
    }
    return String(value ?? "");
  }

  /** `[a: b]`, a list with a map of one entry. */
  private onlyEntry(pair: YamlPair, from: From): Node {
    const map = this.emptyMap(offsetOf(pair.key), from);
    this.fill(map, [pair]);
    return map;
  }

  private fill(map: MapNode, pairs: readonly YamlPair[]): void {
    const { file, problems, added } = this.reading;
    const merged: MapNode[] = [];
    for (const { key, value } of pairs) {
      const keyOffset = offsetOf(key);
      if (isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN) {
        merged.push(...this.mergedMaps(value, { parent: map, key: "<<" }, keyOffset));
        continue;
      }
      const name = this.nameOf(key, map);
      if (name === undefined) {
        continue;
      }
      const node = this.valueOf(value, { parent: map, key: name }, keyOffset + name.length + 1);
      if (map.entries.has(name)) {
        const { line } = file.positionOf(map.entries.get(name)?.keyOffset ?? 0);
        problems.addAt(file, keyOffset, childPath(pathOf(map), name), `is given twice; line ${line} has it already`);
        continue;
      }
      map.entries.set(name, { keyOffset, value: node });
      this.grow(map, node);
    }
    for (const { entries } of merged) {
      added.add(entries.size);
      for (const [name, entry] of entries) {
        if (!map.entries.has(name)) {
          map.entries.set(name, entry);
          this.grow(map, entry.value);
        }
      }
    }
  }

  private valueOf(value: YamlNode | null, from: From, offset: number): Node {
    return value === null ? this.scalar("", true, offset, from) : this.node(value, from);
  }

  private nameOf(key: YamlNode | null, map: MapNode): string | undefined {
    const { file, problems } = this.reading;
    const node = key === null ? undefined : this.node(key, { parent: map, key: "" });
    if (node?.is !== "scalar") {
      const what = node === undefined ? "nothing" : `a ${node.is}`;
      problems.addAt(file, offsetOf(key), pathOf(map), `has a key that is not a string; got ${what}`);
      return undefined;
    }
    if (node.text === "") {
      problems.addAt(file, offsetOf(key), pathOf(map), "has a key that is empty");
      return undefined;
    }
    return node.text;
  }

  /** The maps of a merge key; the first one counts most. */
  private mergedMaps(value: YamlNode | null, from: From, keyOffset: number): MapNode[] {
    const node = this.valueOf(value, from, keyOffset);
    const maps = node.is === "list" ? node.items : [node];
    const wrong = maps.find(({ is }) => is !== "map");
    if (wrong !== undefined) {
      const reason = `must be a map or a list of maps; got a ${wrong.is === "scalar" ? "single value" : wrong.is}`;
      this.reading.problems.addAt(this.reading.file, keyOffset, childPath(pathOf(from.parent as Node), "<<"), reason);
    }
    return maps.filter((each) => each.is === "map");
  }

  private checkTag(yaml: YamlNode, offset: number, from: From): void {
    const { tag } = yaml;
    const expected = isScalar(yaml) ? "str" : isSeq(yaml) ? "seq" : "map";
    if (tag !== undefined && tag !== `${coreTags}${expected}` && tag !== "!") {
      const path = from.parent === undefined ? "" : childPath(pathOf(from.parent), from.key ?? "");
      const name = tag.startsWith(coreTags) ? `!!${tag.slice(coreTags.length)}` : tag;
      this.reading.problems.addAt(this.reading.file, offset, path, `has the tag ${name}; only !!str is allowed`);
    }
  }

  private scalar(text: string, isPlain: boolean, offset: number, { parent, key }: From): ScalarNode {
    return { is: "scalar", text, isPlain, file: this.reading.file, offset, parent, key, size: 1, height: 1 };
  }

  private emptyMap(offset: number, { parent, key }: From): MapNode {
    return { is: "map", entries: new Map(), file: this.reading.file, offset, parent, key, size: 1, height: 1 };
  }

  private grow(outer: Node, inner: Node): void {
    outer.size += inner.size;
    outer.height = Math.max(outer.height, inner.height + 1);
    if (outer.height > mostLevels) {
      throw new TooLarge(`aliases nest more than ${mostLevels} levels`);
    }
  }
}

type YamlPair = Pair<YamlNode, YamlNode | null>;

const coreTags = "tag:yaml.org,2002:";

function offsetOf(node: { range?: readonly number[] | null } | null): number {
  return node?.range?.[0] ?? 0;
}
