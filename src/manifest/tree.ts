import type { SourceFile } from "./sourceFile";

/** The content of a manifest with the position of each value. Scalars are kept as they are written: the description of an argument decides their type. */
export type Node = ScalarNode | ListNode | MapNode;

interface Place {
  readonly file: SourceFile;
  /** Where the value begins in the text. */
  readonly offset: number;
  readonly parent: Node | undefined;
  /** The key of a map or the index of a list. */
  readonly key: string | number | undefined;
  /** Number of values, those behind aliases included. */
  size: number;
  /** Levels of nesting, those behind aliases included. */
  height: number;
}

export interface ScalarNode extends Place {
  readonly is: "scalar";
  /** Without quotes and escapes; a plain scalar is as written. */
  readonly text: string;
  /** Without quotes and not a block. Only plain scalars can be null, a boolean or a number. */
  readonly isPlain: boolean;
  /** Stands for a value that could not be read, which is a problem already. */
  readonly isBroken?: boolean;
}

export interface ListNode extends Place {
  readonly is: "list";
  readonly items: Node[];
}

export interface MapNode extends Place {
  readonly is: "map";
  readonly entries: Map<string, Entry>;
}

export interface Entry {
  /** Where the key begins. */
  readonly keyOffset: number;
  readonly value: Node;
}

/** The path of a value in its document. The path of an aliased value is where its anchor is. */
export function pathOf(node: Node): string {
  if (node.parent === undefined) {
    return "";
  }
  return childPath(pathOf(node.parent), node.key ?? "");
}

/** Keys may be of any length and have line breaks, which a message cannot show. */
function shownKey(key: string): string {
  const short = key.length > longestKey ? `${key.slice(0, longestKey)}…` : key;
  return /[\p{Cc}]/u.test(short) ? JSON.stringify(short) : short;
}

const longestKey = 80;

export function childPath(path: string, key: string | number): string {
  if (typeof key === "number") {
    return `${path}[${key}]`;
  }
  return path === "" ? shownKey(key) : `${path}.${shownKey(key)}`;
}

/** Whether a value is null: empty, `~` or `null`, without quotes. */
export function isNull(node: Node): boolean {
  return node.is === "scalar" && node.isPlain && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** The value of a key. A null is as good as no value. */
export function givenAt(node: MapNode, key: string): Node | undefined {
  const value = node.entries.get(key)?.value;
  return value === undefined || isNull(value) ? undefined : value;
}

/**
 * The defaults with the values of a task on top. Maps merge; lists and single values replace. The result shares all parts that are not merged.
 * @param count is told how many entries are copied
 */
export function merge(defaults: MapNode, over: MapNode, count: (entries: number) => void): MapNode {
  count(defaults.entries.size + over.entries.size);
  const entries = new Map(defaults.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.value;
    const { value } = entry;
    const merged = below?.is === "map" && value.is === "map" ? merge(below, value, count) : value;
    entries.set(key, merged === value ? entry : { ...entry, value: merged });
  }
  return { ...over, entries };
}

/** The most specific value that a property path names, as far as the path can be followed, and the rest of the path. */
export function closestTo(node: Node, path: string): { node: Node; rest: string } {
  const children: [string, Node][] =
    node.is === "map"
      ? [...node.entries].map(([key, { value }]) => [key, value])
      : node.is === "list"
        ? node.items.map((item, index) => [`[${index}]`, item])
        : [];
  const fitting = children.filter(([key]) => path.startsWith(key) && /^(?:$|[.[, ])/.test(path.slice(key.length)));
  const [best] = fitting.sort(([a], [b]) => b.length - a.length);
  if (best === undefined) {
    return { node, rest: path };
  }
  const rest = path.slice(best[0].length);
  return closestTo(best[1], rest.startsWith(".") ? rest.slice(1) : rest);
}
