import type { ArgSpecs, Problem, Shape } from "../resources/args";
import { checkFields } from "../resources/args";
import { entryOf, isPlainMap, replaceEach, unknown } from "../resources/values";
import { didYouMean } from "../service/errors/likelyName";
import { knownShapes } from "./documentShapes";
import { mostLevels } from "./parseYaml";
import type { ManifestFile, Place, Problems } from "./problems";
import type { Part, Variables } from "./variables";
import { partsOf } from "./variables";
import type { Alias, Document, Node, Pair, YAMLMap } from "./yaml";
import { isAlias, isMap, isScalar, isSeq, Scalar, visit } from "./yaml";

/** A small file can stand for billions of values. */
const mostValues = 1_000_000;

export class TooLarge extends Error {}

export type Values = Record<string, unknown>;

/**
 * Makes plain values of a document, as a program would give them, and notes the position of each by its path. The checks of the resources see the plain
 * values, and the place of what they find is that of its path.
 */
export class DocumentReader {
  private readonly positions = new Map<string, number>();
  /** How to write a value that is refused, by its path. */
  private readonly advice = new Map<string, string>();
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

  /** @throws TooLarge */
  countAgain(part: string): void {
    for (const path of this.positions.keys()) {
      if (path === part || path.startsWith(`${part}.`)) {
        this.spend(1, 0);
      }
    }
  }

  /**
   * The value of a node. The shape tells which text without quotes is a number or a boolean. What does not fit it stays as it is, for the check.
   * @throws TooLarge
   */
  read(shape: Shape, given: Node | null, path: string, offset = 0, level = 0): unknown {
    this.spend(1, level);
    const node = this.resolved(given);
    this.positions.set(path, (node ?? given)?.range?.[0] ?? offset);
    if (node === undefined) {
      return this.refuse(
        path,
        `has the alias *${(given as Alias).source}, but no anchor of this name stands before it`,
      );
    }
    if (isMap(node)) {
      return this.map(shape, node, path, level);
    }
    if (isSeq(node)) {
      const of = shape.is === "list" ? shape.of : anything;
      return node.items.map((item, index) => this.read(of, item as Node | null, `${path}[${index}]`, 0, level + 1));
    }
    return this.scalar(shape, node as Scalar | null, path);
  }

  /**
   * Checks a map of values, which stands in these parts of the document, the first of which counts most.
   * @returns the values, and what the checks of the resources see of them: `unknown` in place of what does not fit or is known only later
   */
  check(fields: ArgSpecs, given: Values, parts: readonly string[]): { values: Values; checked: Values } {
    const found: Problem[] = [];
    const checked = checkFields(fields, replaceEach(given, this.variables.isLater, unknown) as Values, "", found);
    for (const { path, reason } of found) {
      const place = this.placeIn(parts, path);
      this.problems.add(place, `${reason}${this.advice.get(place.path) ?? ""}`);
    }
    return { values: withLater(checked, given) as Values, checked };
  }

  /** The place of a path within one of these parts of the document: where it is given, or the closest value above it. */
  placeIn(parts: readonly string[], path: string): Place {
    const places = parts.map((part) => {
      const full = pathWithin(part, path);
      const closest = this.closest(full);
      return { path: full, offset: this.positions.get(closest) ?? 0, depth: closest.length - part.length };
    });
    const [{ path: full, offset } = { path, offset: 0 }] = places.sort((one, other) => other.depth - one.depth);
    return { file: this.file, offset, path: full };
  }

  /** The longest beginning of the path that is the path of a value. Keys can contain dots. */
  private closest(path: string): string {
    let above = path;
    while (above !== "" && !this.positions.has(above)) {
      above = above.slice(0, Math.max(0, above.search(/[.[, ][^.[, ]*$/)));
    }
    return above;
  }

  private resolved(node: Node | null): Node | null | undefined {
    return isAlias(node) ? this.targets.get(node) : node;
  }

  private map(shape: Shape, map: YAMLMap, path: string, level: number): Values {
    const values = new Map<string, unknown>();
    const own = new Map<string, number>();
    for (const { key, value, isOwn } of this.pairsOf(map, path, level)) {
      const offset = key?.range?.[0] ?? 0;
      const name = this.keyOf(key, path);
      const at = pathWithin(path, name ?? "");
      const first = isOwn ? own.get(name ?? "") : undefined;
      if (first !== undefined) {
        this.report(offset, at, `is given twice; line ${this.file.lines.linePos(first).line} has it already`);
      } else if (name !== undefined && !values.has(name)) {
        const of = shapeOf(shape, name);
        values.set(name, of === undefined ? unknown : this.read(of, value, at, offset, level + 1));
        if (of === undefined) {
          // The check refuses the name, so that is what its place is.
          this.positions.set(at, offset);
        }
      }
      if (name !== undefined && isOwn) {
        own.set(name, offset);
      }
    }
    return Object.fromEntries(values);
  }

  /** The pairs of a map, and behind them those of its merge keys. Of several pairs with one key, the first one counts. */
  private pairsOf(map: YAMLMap, path: string, level: number): (YamlPair & { isOwn: boolean })[] {
    const pairs = map.items as YamlPair[];
    this.spend(pairs.length, level);
    const merged = pairs.filter(isMerge).flatMap(({ key, value }) => {
      const node = this.resolved(value);
      const maps = (isSeq(node) ? node.items : [node]).map((each) => this.resolved(each as Node | null));
      if (!maps.every(isMap)) {
        this.report(key?.range?.[0] ?? 0, pathWithin(path, "<<"), "must be a map or a list of maps");
      }
      return maps.filter(isMap).flatMap((each) => this.pairsOf(each, path, level + 1));
    });
    const own = pairs.filter((pair) => !isMerge(pair));
    return [
      ...own.map(({ key, value }) => ({ key, value, isOwn: true })),
      ...merged.map(({ key, value }) => ({ key, value, isOwn: false })),
    ];
  }

  private keyOf(key: Node | null, path: string): string | undefined {
    const node = this.resolved(key);
    const text = isScalar(node) ? String(node.value ?? "") : "";
    const parts = partsOf(text);
    const at = key?.range?.[0] ?? 0;
    if (text === "" || text === "__proto__") {
      // Pulumi loses the name __proto__.
      this.report(at, path, "must have non-empty strings other than __proto__ as keys");
    } else if (parts?.every((part) => typeof part === "string")) {
      return parts.join("");
    } else {
      // Two keys with variables could turn out equal.
      this.report(at, pathWithin(path, text), `has a variable in its key; write $\${ for the characters \${`);
    }
    return undefined;
  }

  private scalar(shape: Shape, node: Scalar | null, path: string): unknown {
    const text = String(node?.value ?? "");
    const isPlain = node === null || (node.type === Scalar.PLAIN && node.tag === undefined);
    if (isPlain && /^(?:|~|null|Null|NULL)$/.test(text)) {
      if (shape.is === "scalar") {
        this.advice.set(path, ': write "" for an empty string');
      }
      return null;
    }
    if (text.includes("${")) {
      return this.template(shape, text, path);
    }
    const value = isPlain ? typed(shape, text) : text;
    const advice = typeof value === "string" ? adviceOf[shape.is] : undefined;
    if (advice !== undefined) {
      this.advice.set(path, advice);
    }
    return value;
  }

  private template(shape: Shape, text: string, path: string): unknown {
    const parts = partsOf(text);
    if (parts === undefined) {
      return this.refuse(path, `has \${ without the name of a variable and }; write $\${ for the characters \${`);
    }
    const values = parts.map((part) => (typeof part === "string" ? part : this.variables.valueOf(part.name)));
    const missing = parts.find((_, index) => values[index] === undefined || values[index] === null);
    if (isVariable(missing)) {
      const { names } = this.variables;
      const likely = names.includes(missing.name) ? "." : didYouMean(missing.name, names) || ".";
      const declared = `Declared: ${names.join(", ") || "none"}. Write $\${ for the characters \${`;
      return this.refuse(path, `has the variable \${${missing.name}}, which has no value${likely} ${declared}`);
    }
    const { isLater } = this.variables;
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
    if (isLater(value) && value !== unknown && knownShapes.has(shape)) {
      return this.refuse(path, "must be known when the program runs; got a variable that is an output or a promise");
    }
    const takesText = shape.is === "string" || shape.is === "choice";
    return takesText && isText(value) ? String(value) : value;
  }

  private refuse(path: string, reason: string): unknown {
    this.report(this.positions.get(path) ?? 0, path, reason);
    return unknown;
  }

  private report(offset: number, path: string, reason: string): void {
    this.problems.add({ file: this.file, offset, path }, reason);
  }

  private spend(values: number, level: number): void {
    this.count += values;
    if (this.count > mostValues) {
      throw new TooLarge(
        `it stands for more than ${mostValues} values, with those of aliases, merge keys and defaults`,
      );
    }
    if (level > mostLevels) {
      throw new TooLarge(`aliases nest more than ${mostLevels} levels`);
    }
  }
}

type YamlPair = Pick<Pair<Node | null, Node | null>, "key" | "value">;

const anything: Shape = { is: "any" };

/** Undefined for a name without a description. */
function shapeOf(shape: Shape, name: string): Shape | undefined {
  if (shape.is === "object") {
    return Object.hasOwn(shape.fields, name) ? shape.fields[name]?.kind : undefined;
  }
  return shape.is === "map" ? shape.of : anything;
}

function pathWithin(path: string, key: string): string {
  return path === "" || key === "" ? path + key : `${path}.${key}`;
}

function isMerge({ key }: YamlPair): boolean {
  return isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN;
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

const adviceOf: Partial<Record<Shape["is"], string>> = {
  boolean: ": write true or false, without quotes",
  number: ": write a plain decimal number, without quotes",
};

/** A plain scalar as the value that it stands for. What is neither a number nor a boolean stays text. */
function typed({ is }: Shape, text: string): unknown {
  const boolean = is === "boolean" || is === "any" ? booleans.get(text) : undefined;
  const number = is === "number" || is === "any" ? exactNumber(text) : undefined;
  // Any value is a number only if it reads back the same, so `1.10` stays a string.
  return boolean ?? (is === "any" && String(number) !== text ? text : (number ?? text));
}

const booleans = new Map([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);

/** A decimal number that a double holds. Others, such as 012, 0x1F or 1_000, mean different things to different readers. */
function exactNumber(text: string): number | undefined {
  const value = Number(text);
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && isExact ? value : undefined;
}

/** The checked values with what is known later, in place of `unknown`. */
function withLater(checked: unknown, given: unknown): unknown {
  if (Array.isArray(checked) && Array.isArray(given)) {
    return checked.map((each, index) => withLater(each, given[index]));
  }
  if (isPlainMap(checked) && isPlainMap(given)) {
    return Object.fromEntries(Object.entries(checked).map(([key, each]) => [key, withLater(each, given[key])]));
  }
  return checked === unknown ? given : checked;
}

/** The values of a task on top of the defaults. Maps merge; lists and single values replace. */
export function merge(below: unknown, above: unknown): unknown {
  if (!isPlainMap(below) || !isPlainMap(above)) {
    return above;
  }
  const merged = Object.entries(above).map(([key, value]) => [key, merge(entryOf(below, key), value)]);
  return { ...below, ...Object.fromEntries(merged) };
}
