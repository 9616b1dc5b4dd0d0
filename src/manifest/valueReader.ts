import type { ArgSpecs, Problem, Shape } from "../resources/args";
import { checkFields, checkValue, describeShape } from "../resources/args";
import { didYouMean } from "../resources/likelyName";
import { describeValue, isPlainMap, unknown } from "../resources/values";
import { knownShapes } from "./documentShapes";
import type { Entry, MapNode, Node, Place, ScalarNode } from "./nodes";
import { isNull, placeOfKey } from "./nodes";
import type { Problems } from "./problems";
import type { Part, Variables } from "./variables";
import { BadTemplate, partsOf } from "./variables";

/**
 * Makes plain values of the nodes of a task, as a program would give them, and notes where each of them is. The checks of the resources see the plain
 * values, and the place of what they find is that of its path.
 */
export class ValueReader {
  /** By the property path of the value. */
  private readonly places = new Map<string, Place>();
  /** The paths of maps with a name that is not valid. */
  private readonly misspelled = new Set<string>();
  /** The values of variables that are known only later or can be any value, by their paths. The checks see `unknown`. */
  private readonly held = new Map<string, unknown>();

  constructor(
    private readonly variables: Variables,
    private readonly problems: Problems,
  ) {}

  /** The values, and what the checks see of them: `unknown` in place of what does not fit or is known only later. */
  read(fields: ArgSpecs, node: MapNode): { values: Values; checked: Values } {
    const given = this.value({ is: "object", fields }, node, "") as Values;
    const found: Problem[] = [];
    const checked = checkFields(fields, given, "", found);
    for (const { path, reason } of found) {
      this.problems.add(this.placeOf(path), reason);
    }
    return { values: this.held.size === 0 ? checked : (this.withHeld(checked, "") as Values), checked };
  }

  private withHeld(value: unknown, path: string): unknown {
    if (Array.isArray(value)) {
      return value.map((each, index) => this.withHeld(each, `${path}[${index}]`));
    }
    if (isPlainMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, this.withHeld(each, keyPath(path, key))]),
      );
    }
    return this.held.has(path) ? this.held.get(path) : value;
  }

  /** Adds what a rule says of several values. A misspelled name is most often the one that is missing, so nothing is said of a map with one. */
  addOfRules(found: readonly Problem[]): void {
    for (const { path, reason } of found) {
      if (!this.misspelled.has(this.closest(path))) {
        this.problems.add(this.placeOf(path), reason);
      }
    }
  }

  /** The place of the value with this path, or of the closest value above it. */
  placeOf(path: string): Place {
    const closest = this.closest(path);
    const place = this.places.get(closest) as Place;
    const rest = path.slice(closest.length).replace(/^\./, "");
    const isName = rest !== "" && (closest === "" || path[closest.length] === ".");
    return { ...place, path: isName && place.path !== "" ? `${place.path}.${rest}` : place.path + rest };
  }

  /** The longest beginning of the path that is the path of a value. Keys can contain dots. */
  private closest(path: string): string {
    let above = path;
    while (above !== "" && !this.places.has(above)) {
      above = above.slice(0, Math.max(0, above.search(/[.[, ][^.[, ]*$/)));
    }
    return above;
  }

  private value(shape: Shape, node: Node, path: string): unknown {
    this.places.set(path, node);
    if (node.is === "scalar") {
      return this.scalar(shape, node, path);
    }
    if (node.is === "list") {
      const of = shape.is === "list" ? shape.of : anything;
      return node.items.map((item, index) => this.value(of, item, `${path}[${index}]`));
    }
    if (shape.is === "object") {
      const entries = entriesOf(shape.fields, node, this.problems);
      if (entries.length < node.entries.size) {
        this.misspelled.add(path);
      }
      const given = entries.filter(([, { value }]) => !isNull(value));
      return Object.fromEntries(
        given.map(([key, { value }]) => [
          key,
          this.value(shape.fields[key]?.kind ?? anything, value, keyPath(path, key)),
        ]),
      );
    }
    const of = shape.is === "map" ? shape.of : anything;
    return Object.fromEntries(
      [...node.entries].map(([text, { value, keyOffset }]) => {
        const key = this.key(text, placeOfKey(node, text, keyOffset));
        if (key === "__proto__") {
          this.problems.add(placeOfKey(node, text, keyOffset), "has a name that Pulumi loses");
        }
        return [key, this.value(of, value, keyPath(path, key))];
      }),
    );
  }

  /** The text of a key. Keys are no place for variables: two of them could turn out equal. */
  key(text: string, place: Place): string {
    const parts = this.parts(text, place);
    const [only = ""] = parts ?? [];
    if (parts?.length === 1 && typeof only === "string") {
      return only;
    }
    const reason = "has a variable in its key; variables are allowed in values only. Write $${ for the characters ${";
    this.problems.add(place, reason);
    return text;
  }

  private scalar(shape: Shape, node: ScalarNode, path: string): unknown {
    if (node.isBroken) {
      return unknown;
    }
    if (isNull(node)) {
      const reason = `must be ${describeShape(shape)}; got nothing: write "" for an empty string`;
      return shape.is === "scalar" ? this.refuse(node, reason) : null;
    }
    const parts = this.parts(node.text, node);
    if (parts === undefined) {
      return unknown;
    }
    const [only = ""] = parts;
    if (parts.length > 1) {
      return this.joined(shape, node, parts, path);
    }
    return typeof only === "string"
      ? this.written(shape, { ...node, text: only, isPlain: node.isPlain && only === node.text })
      : this.variable(shape, node, only.name, path);
  }

  private parts(text: string, place: Place): Part[] | undefined {
    if (!text.includes("${")) {
      return [text];
    }
    try {
      const parts = partsOf(text);
      const { names } = this.variables;
      const undeclared = parts.filter((part) => typeof part !== "string" && names?.includes(part.name) === false);
      for (const part of undeclared) {
        const { name } = part as { name: string };
        const declared = names?.length === 0 ? "none is declared" : `declared: ${names?.join(", ")}`;
        const advice = didYouMean(name, names ?? []) || ". Write $${ for the characters ${";
        this.problems.add(place, `has the variable \${${name}}, which is not declared (${declared})${advice}`);
      }
      return undeclared.length === 0 ? parts : undefined;
    } catch (error) {
      if (error instanceof BadTemplate) {
        this.problems.add(place, error.message);
        return undefined;
      }
      throw error;
    }
  }

  /** A scalar without variables. Where a string belongs, it is as written. */
  private written(shape: Shape, node: ScalarNode): unknown {
    const { text, isPlain } = node;
    const refuse = (advice: string): unknown => {
      const given = isPlain && text.length <= longestShown ? text : "a string";
      return this.refuse(node, `must be ${describeShape(shape)}; got ${given}: write ${advice}, without quotes`);
    };
    switch (shape.is) {
      case "any":
        return isPlain ? jsonValue(text) : text;
      case "boolean":
        return (isPlain ? booleans.get(text) : undefined) ?? refuse("true or false");
      case "number":
        return (isPlain ? exactNumber(text) : undefined) ?? refuse("a plain decimal number");
      case "list":
        return this.refuse(node, `must be ${describeShape(shape)}; got ${describeValue(text)}`);
      default:
        return text;
    }
  }

  /** A scalar that is one variable. It can be any value, not just a string. */
  private variable(shape: Shape, node: ScalarNode, name: string, path: string): unknown {
    const value = this.variables.valueOf(name) ?? undefined;
    if (value === undefined) {
      return this.refuse(node, `has the variable \${${name}}, whose value is missing: give it a value`);
    }
    if (!canBeVariable(shape)) {
      const reason = `must be a map; got the variable \${${name}}. A variable can stand for a single value or a list`;
      return this.refuse(node, reason);
    }
    if (this.variables.isLater(value)) {
      return this.later(shape, node, value, path);
    }
    if (shape.is === "any") {
      return this.hold(path, value);
    }
    const isText = shape.is === "string" || shape.is === "choice";
    // A list of lines also accepts one string, because that is its form in the state. In a manifest, one form is enough.
    const strict = shape.is === "list" ? { ...shape, isLines: false } : shape;
    const found: Problem[] = [];
    const fitting = checkValue(strict, isText && isNumberOrBoolean(value) ? String(value) : value, "", found);
    for (const problem of found) {
      this.problems.add({ ...node, path: node.path + problem.path }, problem.reason);
    }
    return fitting;
  }

  private joined(shape: Shape, node: ScalarNode, parts: readonly Part[], path: string): unknown {
    const values = parts.map((part) => (typeof part === "string" ? part : this.variables.valueOf(part.name)));
    const isLater = (value: unknown): boolean => this.variables.isLater(value);
    const isText = (value: unknown): boolean => typeof value === "string" || isNumberOrBoolean(value) || isLater(value);
    const wrong = parts.find((part, index) => typeof part !== "string" && !isText(values[index]));
    if (wrong !== undefined && typeof wrong !== "string") {
      const reason = `has the variable \${${wrong.name}} within a string; there it must be a string, a number or a boolean`;
      return this.refuse(node, reason);
    }
    if (!values.some(isLater)) {
      return this.written(shape, { ...node, text: values.join(""), isPlain: false });
    }
    return takesText(shape)
      ? this.later(shape, node, this.variables.join(values), path)
      : this.refuse(node, `must be ${describeShape(shape)}; got a string`);
  }

  private later(shape: Shape, node: ScalarNode, value: unknown, path: string): unknown {
    // A check without a program knows no variable at all.
    return knownShapes.has(shape) && value !== unknown
      ? this.refuse(node, "must be known when the program runs; got a variable that is an output or a promise")
      : this.hold(path, value);
  }

  private hold(path: string, value: unknown): unknown {
    this.held.set(path, value);
    return unknown;
  }

  private refuse(place: Place, reason: string): unknown {
    this.problems.add(place, reason);
    return unknown;
  }
}

export type Values = Record<string, unknown>;

/** The entries whose names have a description. Each other name is a problem. */
export function entriesOf(specs: ArgSpecs, node: MapNode, problems: Problems): [string, Entry][] {
  return [...node.entries].filter(([name, { keyOffset }]) => {
    const isValid = Object.hasOwn(specs, name) && specs[name]?.kind !== undefined;
    if (!isValid) {
      problems.add(placeOfKey(node, name, keyOffset), unknownName(name, specs));
    }
    return isValid;
  });
}

const anything: Shape = { is: "any" };

function keyPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function canBeVariable(shape: Shape): boolean {
  return shape.is === "map" ? canBeVariable(shape.of) : shape.is !== "object";
}

function takesText({ is }: Shape): boolean {
  return is === "string" || is === "choice" || is === "scalar" || is === "any";
}

function isNumberOrBoolean(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

const longestShown = 40;

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

/** A plain scalar where any value is allowed. It is a number only if it reads back the same, so `1.10` stays a string. */
function jsonValue(text: string): unknown {
  const number = exactNumber(text);
  return booleans.get(text) ?? (String(number) === text ? number : text);
}

function unknownName(name: string, specs: ArgSpecs): string {
  const valid = Object.keys(specs).filter((each) => specs[each]?.kind !== undefined);
  const home = valid.find((each) => {
    const kind = specs[each]?.kind;
    return kind?.is === "object" && Object.hasOwn(kind.fields, name) && kind.fields[name]?.kind !== undefined;
  });
  const advice = didYouMean(name, valid) || (home === undefined ? "" : `; it belongs in ${home}.`);
  return `is not a valid name${advice === "" ? "; valid" : `${advice} Valid`} names: ${valid.join(", ")}`;
}
