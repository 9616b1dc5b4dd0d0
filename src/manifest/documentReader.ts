import type { ArgSpecs } from "../resources/args";
import { checkValue } from "../resources/args";
import type { Problem, Shape } from "../values/kinds";
import { describeShape, isBrokenText } from "../values/kinds";
import { entryOf, replaceEach, unknown } from "../values/plain";
import { didYouMean } from "../values/words";
import { knownShapes } from "./documentShapes";
import type { ManifestFile, Place, Problems } from "./problems";
import { mostLevels } from "./syntax/parseYaml";
import type { Part, Variables } from "./variables";
import { partsOf } from "./variables";
import type { Alias, Document, Node, Pair, YAMLMap } from "./yaml";
import { isAlias, isMap, isScalar, isSeq, Scalar, visit } from "./yaml";

/** A small file can stand for billions of values. */
const mostValues = 1_000_000;

export class TooLarge extends Error {
  constructor(
    reason: string,
    readonly offset: number,
  ) {
    super(reason);
  }
}

export type Values = Record<string, unknown>;

/** A value of a document. */
export interface Given {
  readonly node: Node | null;
  /** Where the value stands if it has no node of its own. */
  readonly offset: number;
  /** The path of the part of the document that has the value: that of a task, or `defaults`. */
  readonly root: string;
  /** The value of the defaults. Maps merge; lists and single values replace. */
  readonly below?: Given | undefined;
}

/**
 * Makes plain values of a document, as a program would give them, and notes the position of each by its path. The
 * checks of the resources see the plain values, and the place of what they find is that of its path.
 */
export class DocumentReader {
  private positions = new Map<string, Pick<Given, "offset" | "root">>();
  private readonly targets = new Map<Alias, Node | undefined>();
  private count = 0;

  constructor(
    private readonly file: ManifestFile,
    document: Document,
    private readonly variables: Variables,
    private readonly problems: Problems,
  ) {
    // The library looks through the whole document for each alias.
    const anchors = new Map<string, Node>();
    visit(document, {
      Alias: (_, alias) => void this.targets.set(alias, anchors.get(alias.source)),
      Value: (_, node) => void (node.anchor !== undefined && anchors.set(node.anchor, node)),
    });
  }

  /**
   * The plain value. The shape tells which text without quotes is a number or a boolean. Paths are those within the
   * value, until the next value is read.
   * @throws TooLarge
   */
  read(shape: Shape, given: Given): unknown {
    this.positions = new Map();
    return this.value(shape, given, "", 0);
  }

  /** The values of a map by their keys. Checks the map against a form, which says nothing of what is in the values. */
  readForm(form: ArgSpecs, map: YAMLMap, given: Given): Map<string, Given> {
    this.positions = new Map([["", { offset: map.range?.[0] ?? 0, root: given.root }]]);
    const entries = this.entriesOf(map, given, "");
    const outline = [...entries].map(([name, entry]) => {
      const node = this.resolved(entry.node);
      this.positions.set(name, entry);
      const isFine = !Object.hasOwn(form, name) || (isMap(node) && node.items.length > 0);
      return [name, isFine ? unknown : this.value(anything, entry, name, 1)];
    });
    this.check(form, Object.fromEntries(outline));
    return entries;
  }

  /**
   * What the checks of the resources see of a value: `unknown` in place of what does not fit or is known only later.
   */
  check(fields: ArgSpecs, value: unknown): unknown {
    const found: Problem[] = [];
    const known = replaceEach(value, this.variables.isLater, unknown);
    const checked = checkValue({ is: "object", fields }, known, "", found);
    this.report(found);
    return checked;
  }

  report(found: readonly Problem[], as: "add" | "addDoubt" = "add"): void {
    const certain = found.filter(({ stored }) => stored === undefined || !this.problems.mayBeStored);
    for (const { path, reason } of certain) {
      this.problems[as](this.placeOf(path), reason);
    }
  }

  /** The place of a path: where it is given, or the closest value above it. Keys can contain dots. */
  placeOf(path: string): Place {
    let above = path;
    while (above !== "" && !this.positions.has(above)) {
      above = above.slice(0, Math.max(0, above.search(/[.[, ][^.[, ]*$/)));
    }
    const { offset, root } = this.positions.get(above) ?? { offset: 0, root: "" };
    return { file: this.file, offset, path: pathWithin(root, path) };
  }

  /** The values of a map by their keys, also those of its merge keys. Its own come first. */
  entriesOf(map: YAMLMap, { root }: Pick<Given, "root">, path: string, level = 0): Map<string, Given> {
    this.spend(map.items.length, level, map.range?.[0] ?? 0);
    const entries = new Map<string, Given>();
    const merged: YAMLMap[] = [];
    for (const { key, value } of map.items as Pair<Node | null, Node | null>[]) {
      const offset = key?.range?.[0] ?? 0;
      const refuse = (reason: string, name = ""): void =>
        this.problems.add({ file: this.file, offset, path: pathWithin(root, pathWithin(path, name)) }, reason);
      const node = this.resolved(key);
      const text = isScalar(node) ? String(node.value ?? "") : "";
      const parts = partsOf(text) ?? [{ name: text }];
      const name = parts.join("");
      const first = entries.get(name);
      if (text === "<<" && isPlain(node)) {
        const from = this.resolved(value);
        for (const each of (isSeq(from) ? from.items : [from === undefined ? value : from]) as (Node | null)[]) {
          const map = this.resolved(each);
          if (isMap(map)) {
            merged.push(map);
          } else {
            refuse(map === undefined ? withoutAnchor(each) : "must be a map or a list of maps", text);
          }
        }
      } else if (text === "" || text === "__proto__") {
        // Pulumi loses the name __proto__.
        refuse("must have non-empty strings other than __proto__ as keys");
      } else if (parts.some(isVariable)) {
        // Two keys with variables could turn out equal.
        refuse(`has a variable in its key; write $\${ for the characters \${`, text);
      } else if (first !== undefined) {
        refuse(`is given twice; line ${this.file.lines.linePos(first.offset).line} has it already`, name);
      } else {
        entries.set(name, { node: value, offset, root });
      }
    }
    for (const [name, entry] of merged.flatMap((each) => [...this.entriesOf(each, { root }, path, level + 1)])) {
      entries.set(name, entries.get(name) ?? entry);
    }
    return entries;
  }

  resolved(node: Node | null): Node | null | undefined {
    return isAlias(node) ? this.targets.get(node) : node;
  }

  private value(shape: Shape, given: Given, path: string, level: number): unknown {
    this.spend(1, level, given.node?.range?.[0] ?? given.offset);
    const { root } = given;
    const node = this.resolved(given.node);
    const offset = (node ?? given.node)?.range?.[0] ?? given.offset;
    this.positions.set(path, { offset, root });
    if (node === undefined) {
      return this.refuse(path, withoutAnchor(given.node));
    }
    if (isMap(node)) {
      if (this.file.text.startsWith("{{", offset)) {
        return this.refuse(path, `has {{ without quotes, which begins a map; a variable is "\${name}", in quotes`);
      }
      return this.map(shape, node, given, path, level);
    }
    if (isSeq(node)) {
      const of = shape.is === "list" ? shape.of : anything;
      return node.items.map((item, index) =>
        this.value(of, { node: item as Node | null, offset, root }, `${path}[${index}]`, level + 1),
      );
    }
    return this.scalar(shape, node as Scalar | null, path);
  }

  private map(shape: Shape, map: YAMLMap, given: Given, path: string, level: number): Values {
    const lower = given.below && this.resolved(given.below.node);
    const below = given.below && isMap(lower) ? this.entriesOf(lower, given.below, path) : new Map<string, Given>();
    const own = this.entriesOf(map, given, path);
    const values = new Map<string, unknown>();
    for (const [name, entry] of new Map([...below, ...own])) {
      const at = pathWithin(path, name);
      const of = shapeOf(shape, name);
      if (of === undefined) {
        // The check refuses the name, so that is what its place is.
        this.positions.set(at, entry);
        values.set(name, unknown);
        continue;
      }
      // So a task has not all actions, properties or exports of the defaults.
      if (shape.is === "map" && own.has(name) && below.has(name) && isNothing(this.resolved(entry.node))) {
        continue;
      }
      const value = this.value(of, { ...entry, below: own.has(name) ? below.get(name) : undefined }, at, level + 1);
      // A field without a value counts as not given.
      if (value !== null || shape.is !== "object") {
        values.set(name, value);
      }
    }
    return Object.fromEntries(values);
  }

  private scalar(shape: Shape, node: Scalar | null, path: string): unknown {
    const text = String(node?.value ?? "");
    if (isNothing(node)) {
      return shape.is === "scalar"
        ? this.refuse(path, `must be ${describeShape(shape)}; got nothing: write "" for an empty string`)
        : null;
    }
    if (text.includes("${")) {
      return this.template(shape, text, path);
    }
    const value = isPlain(node) ? typed(shape, text) : text;
    const isOther =
      typeof value === "string" && (shape.is === "choice" ? !shape.of.includes(value) : shape.is in adviceOf);
    if (!isOther || text === "" || isBrokenText(text)) {
      return value;
    }
    const got = text.length > mostShown ? "another string" : JSON.stringify(text);
    return this.refuse(path, `must be ${describeShape(shape)}; got ${got}${adviceOf[shape.is] ?? ""}`);
  }

  private template(shape: Shape, text: string, path: string): unknown {
    const parts = partsOf(text);
    if (parts === undefined) {
      return this.refuse(path, `has \${ without the name of a variable and }; write $\${ for the characters \${`);
    }
    const { values: given, other, isLater } = this.variables;
    const values = parts.map((part) => (isVariable(part) ? (entryOf(given, part.name) ?? other) : part));
    const missing = parts.find((_, index) => values[index] === undefined || values[index] === null);
    if (isVariable(missing)) {
      const names = Object.keys(given);
      const likely = names.includes(missing.name) ? "." : didYouMean(missing.name, names) || ".";
      const declared = `Declared: ${names.join(", ") || "none"}. Write $\${ for the characters \${`;
      return this.refuse(path, `has the variable \${${missing.name}}, which has no value${likely} ${declared}`);
    }
    const isOne = parts.length === 1;
    const wrong = parts.find((_, index) => !isOne && !isText(values[index]) && !isLater(values[index]));
    if (isVariable(wrong)) {
      const reason = `has the variable \${${wrong.name}} within a string; there it must be a string, a number or a boolean`;
      return this.refuse(path, reason);
    }
    const value = isOne ? values[0] : values.some(isLater) ? this.variables.join(values) : values.join("");
    if (!canBeVariable(shape)) {
      return this.refuse(path, "must be a map; got a variable, which can stand for a single value or a list");
    }
    // A check without a program knows no variable at all.
    const known = shape.is === "list" ? shape.of : shape;
    if (knownShapes.has(known) && [value].flat().some((each) => isLater(each) && each !== unknown)) {
      return this.refuse(
        path,
        "must be known when the program runs; got a variable that is secret, an output or a promise",
      );
    }
    const takesText = shape.is === "string" || shape.is === "choice" || shape.is === "scalar";
    return takesText && isText(value) ? String(value) : value;
  }

  private refuse(path: string, reason: string): unknown {
    this.report([{ path, reason }]);
    return unknown;
  }

  private spend(values: number, level: number, offset: number): void {
    this.count += values;
    if (this.count > mostValues) {
      throw new TooLarge(
        `it stands for more than ${mostValues} values, with those of aliases, merge keys and defaults`,
        offset,
      );
    }
    if (level > mostLevels) {
      throw new TooLarge(`aliases nest more than ${mostLevels} levels`, offset);
    }
  }
}

const anything: Shape = { is: "any" };

/** Undefined for a name without a description. */
function shapeOf(shape: Shape, name: string): Shape | undefined {
  if (shape.is === "object") {
    return Object.hasOwn(shape.fields, name) ? shape.fields[name]?.kind : undefined;
  }
  return shape.is === "map" ? shape.of : anything;
}

export function pathWithin(path: string, key: string): string {
  return path === "" || key === "" ? path + key : `${path}.${key}`;
}

function withoutAnchor(alias: Node | null): string {
  return `has the alias *${(alias as Alias).source}, but no anchor of this name stands before it`;
}

function isPlain(node: Node | null | undefined): boolean {
  return isScalar(node) && node.type === Scalar.PLAIN && node.tag === undefined;
}

/** Whether a value is empty, `~` or `null`. */
export function isNothing(node: Node | null | undefined): boolean {
  return node === null || (isPlain(node) && /^(?:|~|null|Null|NULL)$/.test(String((node as Scalar).value ?? "")));
}

function isVariable(part: Part | undefined): part is { readonly name: string } {
  return typeof part === "object";
}

function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function canBeVariable(shape: Shape): boolean {
  return shape.is === "map" ? canBeVariable(shape.of) : shape.is !== "object";
}

/** Of a value that stands in a file beside its place. */
const mostShown = 40;

const adviceOf: Partial<Record<Shape["is"], string>> = {
  boolean: ": write true or false, without quotes",
  number: ": write a plain decimal number, without quotes",
};

/** A plain scalar as the value that it stands for. What is neither a number nor a boolean stays text. */
function typed({ is }: Shape, text: string): unknown {
  if ((is === "boolean" || is === "any") && /^(?:true|false)$/i.test(text)) {
    return text.toLowerCase() === "true";
  }
  const number = is === "number" || is === "any" ? exactNumber(text) : undefined;
  // Any value is a number only if it reads back the same, so `1.10` stays a string.
  return is === "any" && String(number) !== text ? text : (number ?? text);
}

/**
 * A decimal number that a double holds. Others, such as 012, 0x1F or 1_000, mean different things to different readers.
 */
function exactNumber(text: string): number | undefined {
  const value = Number(text);
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && isExact ? value : undefined;
}
