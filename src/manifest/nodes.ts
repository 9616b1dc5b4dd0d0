import { LineCounter } from "./yaml";

/** The text of a file, and where its lines begin. */
export class ManifestFile {
  readonly lines = new LineCounter();

  constructor(
    /** As a user names it in an error. */
    readonly name: string,
    readonly text: string,
  ) {
    this.lines.addNewLine(0);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.lines.addNewLine(at + 1);
    }
  }
}

/** The content of a manifest with the place of each value. Scalars are text: the description of an argument determines their type. */
export type Node = ScalarNode | ListNode | MapNode;

/** Where a manifest has something. */
export interface Place {
  readonly file: ManifestFile;
  readonly offset: number;
  /** The path in the document, such as `tasks.novels.run`. That of an aliased value is where its anchor is. */
  readonly path: string;
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

/** The place of a key of a map. */
export function placeOfKey({ file, path }: MapNode, key: string, offset: number): Place {
  return { file, offset, path: pathWithin(path, key) };
}

/** The path of an entry or an item as a message shows it. Keys can be of any length and have line breaks. */
export function pathWithin(path: string, key: string | number): string {
  if (typeof key === "number") {
    return `${path}[${key}]`;
  }
  const short = key.length > longestKey ? `${key.slice(0, longestKey)}…` : key;
  const shown = /[\p{Cc}\p{Cs}]/u.test(short) ? JSON.stringify(short) : short;
  return path === "" ? shown : `${path}.${shown}`;
}

const longestKey = 80;

/** Whether a value is null: empty, `~` or `null`, without quotes. */
export function isNull(node: Node): boolean {
  return node.is === "scalar" && node.isPlain && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** The value of a key. A null counts as not given. */
export function givenAt(node: MapNode, key: string): Node | undefined {
  const value = node.entries.get(key)?.value;
  return value === undefined || isNull(value) ? undefined : value;
}

/** The defaults with the values of a task on top. Maps merge; lists and single values replace. The result shares all parts that are not merged. */
export function merge(defaults: MapNode, over: MapNode): MapNode {
  const entries = new Map(defaults.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.value;
    const { value } = entry;
    const merged = below?.is === "map" && value.is === "map" ? merge(below, value) : value;
    entries.set(key, merged === value ? entry : { ...entry, value: merged });
  }
  return { ...over, entries };
}
