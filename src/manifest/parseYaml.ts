import type { ListNode, ManifestFile, MapNode, Node, Place } from "./nodes";
import { pathWithin, placeOfKey } from "./nodes";
import type { Problems } from "./problems";
import type { CST, Document, Pair, YAMLError, Node as YamlNode } from "./yaml";
import { Composer, isAlias, isMap, isPair, isScalar, isSeq, Parser, Scalar } from "./yaml";

/**
 * YAML 1.2 by its library. All scalars stay text (the failsafe schema), so that no value changes its type. The library alone would not do: it is recursive, it
 * refuses the hundredth use of one anchor, its check of keys takes quadratic time, and its values do not show what was quoted.
 */

const mostLevels = 100;
/** How many values aliases, merge keys and defaults can add to one file. The limit stops a small file that stands for billions of values. */
const mostAdded = 2_000_000;

/** Counts what aliases, merge keys and defaults add to a file. */
export class Added {
  private count = 0;
  /** The number of values and the levels of each list and map, those behind aliases included. */
  private readonly extents = new Map<Node, Extent>();

  extentOf(node: Node): Extent {
    return this.extents.get(node) ?? { values: 1, levels: 1 };
  }

  /** @throws TooLarge */
  add(node: Node): void {
    this.count += this.extentOf(node).values;
    if (this.count > mostAdded) {
      throw new TooLarge(`aliases, merge keys and defaults add more than ${mostAdded} values`);
    }
  }

  /**
   * Notes that a list or a map has got an inner value.
   * @throws TooLarge
   */
  grow(outer: Node, inner: Node): void {
    const [{ values, levels }, added] = [this.extentOf(outer), this.extentOf(inner)];
    const extent = { values: values + added.values, levels: Math.max(levels, added.levels + 1) };
    if (extent.levels > mostLevels) {
      throw new TooLarge(`aliases nest more than ${mostLevels} levels`);
    }
    this.extents.set(outer, extent);
  }
}

interface Extent {
  values: number;
  levels: number;
}

export class TooLarge extends Error {}

/**
 * The documents of a file that contain anything. What is not valid YAML becomes problems.
 * @throws TooLarge
 */
export function parseYaml(file: ManifestFile, added: Added, problems: Problems): Node[] {
  const tokens = [...new Parser().parse(file.text)];
  const deepest = tokens.map((token) => tooDeep(token, 0)).find((token) => token !== undefined);
  const start = { file, offset: 0, path: "" };
  if (deepest !== undefined) {
    // The composer is recursive. It must not even begin: at the end of its stack, V8 can stop the whole process.
    const reason = `is nested too deeply: at most ${mostLevels} levels are allowed`;
    problems.add({ ...start, offset: deepest.offset }, reason);
    return [];
  }
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
  const documents = [...composer.compose(tokens)];
  const found = [...composer.streamInfo().errors, ...documents.flatMap((each) => each.errors)];
  const errors = found.filter((error) => !isWrong(error, file.text));
  const end = file.text.trimEnd().length;
  let lastLine = 0;
  for (const { code, message, pos } of errors) {
    const offset = Math.min(pos[0], end);
    const { line } = file.lines.linePos(offset);
    // A second error in a line is most often a consequence of the first.
    if (line !== lastLine) {
      problems.add({ ...start, offset }, `is not valid YAML: ${explained(code, message)}`);
    }
    lastLine = line;
  }
  for (const { directives } of documents) {
    if (directives?.yaml.explicit === true && directives.yaml.version !== "1.2") {
      problems.add(start, `must be YAML 1.2; got the directive %YAML ${directives.yaml.version}`);
    }
  }
  // With an error, the rest of the tree is a guess.
  return errors.length > 0 ? [] : documents.flatMap((each) => new Tree(added, problems).of(each, start) ?? []);
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

/** Converts the nodes of one document: resolves aliases and merge keys, and checks keys and tags. */
class Tree {
  /** The values with an anchor, up to now. `undefined` while the value is being read. */
  private readonly anchors = new Map<string, Node | undefined>();

  constructor(
    private readonly added: Added,
    private readonly problems: Problems,
  ) {}

  of({ contents }: Document.Parsed, start: Place): Node | undefined {
    const isEmpty =
      contents === null || (isScalar(contents) && contents.type === Scalar.PLAIN && contents.value === "");
    return isEmpty ? undefined : this.node(contents, start);
  }

  /** @param at the offset counts where the library gives none, as for a value that is left out */
  private node(yaml: YamlNode | null, at: Place): Node {
    const place = { ...at, offset: yaml?.range?.[0] ?? at.offset };
    if (yaml === null || isAlias(yaml)) {
      return yaml === null ? { is: "scalar", text: "", isPlain: true, ...place } : this.aliased(yaml.source, place);
    }
    const { anchor } = yaml;
    if (anchor !== undefined) {
      this.anchors.set(anchor, undefined);
    }
    const node = this.content(yaml, place);
    if (anchor !== undefined) {
      this.anchors.set(anchor, node);
    }
    return node;
  }

  private aliased(name: string, place: Place): Node {
    const node = this.anchors.get(name);
    if (node === undefined) {
      const reason = this.anchors.has(name)
        ? `contains itself: the alias *${name} is inside the value of its anchor`
        : `has the alias *${name}, but no anchor &${name} stands before it`;
      return this.broken(place, reason);
    }
    this.added.add(node);
    return node;
  }

  private content(yaml: YamlNode, place: Place): Node {
    this.checkTag(yaml, place);
    if (isMap(yaml)) {
      return this.map(yaml.items as YamlPair[], place);
    }
    if (isSeq(yaml)) {
      return this.list(yaml.items as (YamlNode | YamlPair)[], place);
    }
    const { value, type, tag } = yaml as Scalar;
    const text = String(value ?? "");
    if (/\p{Cs}/u.test(text)) {
      return this.broken(place, "has one half of a surrogate pair, such as \\ud800, which is not a character");
    }
    return { is: "scalar", text, isPlain: type === Scalar.PLAIN && tag === undefined, ...place };
  }

  private list(items: readonly (YamlNode | YamlPair)[], place: Place): ListNode {
    const list: ListNode = { is: "list", items: [], ...place };
    for (const [index, item] of items.entries()) {
      const at = { ...place, path: pathWithin(place.path, index) };
      // `[a: b]` is a list with a map of one entry.
      const value = isPair(item) ? this.map([item], { ...at, offset: offsetOf(item.key) }) : this.node(item, at);
      list.items.push(value);
      this.added.grow(list, value);
    }
    return list;
  }

  private map(pairs: readonly YamlPair[], place: Place): MapNode {
    const map: MapNode = { is: "map", entries: new Map(), ...place };
    const merged: MapNode[] = [];
    for (const { key, value } of pairs) {
      const keyOffset = offsetOf(key);
      if (isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN) {
        merged.push(...this.mergedMaps(value, placeOfKey(map, "<<", keyOffset)));
        continue;
      }
      const name = this.nameOf(key, { ...place, offset: keyOffset });
      if (name === undefined) {
        continue;
      }
      const at = placeOfKey(map, name, keyOffset);
      const node = this.node(value, { ...at, offset: keyOffset + name.length + 1 });
      const first = map.entries.get(name);
      if (first === undefined) {
        map.entries.set(name, { keyOffset, value: node });
        this.added.grow(map, node);
      } else {
        const { line } = place.file.lines.linePos(first.keyOffset);
        this.problems.add(at, `is given twice; line ${line} has it already`);
      }
    }
    for (const { entries } of merged) {
      for (const [name, entry] of entries) {
        if (!map.entries.has(name)) {
          map.entries.set(name, entry);
          this.added.grow(map, entry.value);
        }
      }
    }
    return map;
  }

  private nameOf(key: YamlNode | null, place: Place): string | undefined {
    const node = key === null ? undefined : this.node(key, place);
    if (node?.is !== "scalar") {
      this.problems.add(
        place,
        `has a key that is not a string; got ${node === undefined ? "nothing" : `a ${node.is}`}`,
      );
    } else if (node.text === "" && !node.isBroken) {
      this.problems.add(place, "has a key that is empty");
    } else {
      return node.isBroken ? undefined : node.text;
    }
    return undefined;
  }

  /** The maps of a merge key; the first one counts most. */
  private mergedMaps(value: YamlNode | null, place: Place): MapNode[] {
    const node = this.node(value, place);
    const maps = node.is === "list" ? node.items : [node];
    const wrong = maps.find(({ is }) => is !== "map");
    if (wrong !== undefined) {
      const got = wrong.is === "scalar" ? "single value" : wrong.is;
      this.problems.add(place, `must be a map or a list of maps; got a ${got}`);
    }
    return maps.filter((each) => each.is === "map");
  }

  private checkTag(yaml: YamlNode, place: Place): void {
    const { tag } = yaml;
    const expected = isScalar(yaml) ? "str" : isSeq(yaml) ? "seq" : "map";
    if (tag !== undefined && tag !== `${coreTags}${expected}` && tag !== "!") {
      const name = tag.startsWith(coreTags) ? `!!${tag.slice(coreTags.length)}` : tag;
      this.problems.add(place, `has the tag ${name}; only !!str is allowed`);
    }
  }

  private broken(place: Place, reason: string): Node {
    this.problems.add(place, reason);
    return { is: "scalar", text: "", isPlain: false, isBroken: true, ...place };
  }
}

type YamlPair = Pair<YamlNode, YamlNode | null>;

const coreTags = "tag:yaml.org,2002:";

function offsetOf(node: YamlNode | null): number {
  return node?.range?.[0] ?? 0;
}
