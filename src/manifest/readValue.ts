import type { ArgSpecs, Problem, Shape } from "../resources/args";
import { checkValue, inWords } from "../resources/args";
import { didYouMean } from "../resources/likelyName";
import { unknown } from "../resources/values";
import type { Problems } from "./problems";
import type { ListNode, MapNode, Node, ScalarNode } from "./tree";
import { childPath, givenAt, isNull, pathOf } from "./tree";
import type { Part, Variables } from "./variables";
import { BadTemplate, partsOf } from "./variables";

/** Reads values as the descriptions of the arguments want them, and notes what does not fit. */
export class ValueReader {
  /** Aliases and defaults share lists and maps. Each is read once for each shape. */
  private known = new Map<Node, { shape: Shape; value: unknown }>();

  constructor(
    private readonly variables: Variables,
    private readonly problems: Problems,
    /** Shapes whose values the program must know at once. */
    private readonly knownShapes: ReadonlySet<Shape>,
  ) {}

  /** To be called before each file, so that the memory of the last one is free. */
  forget(): void {
    this.known = new Map();
  }

  /** The value; `unknown` if it does not fit. */
  read(shape: Shape, node: Node): unknown {
    if (node.is === "scalar") {
      return this.scalar(shape, node);
    }
    const known = this.known.get(node);
    if (known?.shape === shape) {
      return known.value;
    }
    const value = node.is === "list" ? this.list(shape, node) : this.map(shape, node);
    this.known.set(node, { shape, value });
    return value;
  }

  /** The fields that are given. A null is as good as no value. */
  fields(specs: ArgSpecs, node: MapNode): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const given = this.withValidNames(specs, node);
    for (const name of Object.keys(specs)) {
      const kind = specs[name]?.kind;
      const value = kind && givenAt(given, name);
      if (kind !== undefined && value !== undefined) {
        fields[name] = this.read(kind, value);
      } else if (kind !== undefined && specs[name]?.required) {
        this.problems.add(node, `is missing: give ${inWords(kind)}`, childPath(pathOf(node), name));
      }
    }
    return fields;
  }

  /** The map without names that have no description. Each of them is a problem. */
  withValidNames(specs: ArgSpecs, node: MapNode): MapNode {
    const isValid = (name: string): boolean => Object.hasOwn(specs, name) && specs[name]?.kind !== undefined;
    let areValid = true;
    for (const [name, { keyOffset, value }] of node.entries) {
      if (!isValid(name)) {
        areValid = false;
        this.problems.addAt(value.file, keyOffset, childPath(pathOf(node), name), unknownName(name, specs));
      }
    }
    return areValid ? node : { ...node, entries: new Map([...node.entries].filter(([name]) => isValid(name))) };
  }

  private list(shape: Shape, node: ListNode): unknown {
    if (shape.is === "any") {
      return node.items.map((item) => this.read(shape, item));
    }
    if (shape.is !== "list" || node.items.length === 0) {
      return this.fit(shape, node.items.length === 0 ? [] : [""], node);
    }
    return node.items.map((item) => this.read(shape.of, item));
  }

  private map(shape: Shape, node: MapNode): unknown {
    if (shape.is === "object") {
      return this.fields(shape.fields, node);
    }
    const of = shape.is === "map" ? shape.of : shape;
    if ((shape.is !== "map" && shape.is !== "any") || (shape.is === "map" && node.entries.size === 0)) {
      return this.fit(shape, node.entries.size === 0 ? {} : { key: "" }, node);
    }
    return Object.fromEntries(
      [...node.entries].map(([key, { value, keyOffset }]) => [this.key(key, node, keyOffset), this.read(of, value)]),
    );
  }

  /** The text of a key. Keys are no place for variables: two of them could turn out equal. */
  key(text: string, node: MapNode, keyOffset: number): string {
    if (!text.includes("${")) {
      return text;
    }
    const parts = this.parts(text, (reason) => {
      this.problems.addAt(node.file, keyOffset, childPath(pathOf(node), text), reason);
    });
    const [only] = parts ?? [];
    if (parts?.length === 1 && typeof only === "string") {
      return only;
    }
    const reason = "has a variable in its key; variables are allowed in values only. Write $${ for the characters ${";
    this.problems.addAt(node.file, keyOffset, childPath(pathOf(node), text), reason);
    return text;
  }

  private scalar(shape: Shape, node: ScalarNode): unknown {
    if (node.isBroken) {
      return unknown;
    }
    if (isNull(node)) {
      const advice = shape.is === "scalar" ? ': write "" for an empty string' : "";
      return shape.is === "any" ? null : this.fit(shape, null, node, advice);
    }
    if (!node.text.includes("${")) {
      return this.written(shape, node, node.text);
    }
    const parts = this.parts(node.text, (reason) => this.problems.add(node, reason));
    if (parts === undefined) {
      return unknown;
    }
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) {
      return typeof only === "string" ? this.written(shape, node, only, false) : this.variable(shape, node, only.name);
    }
    return this.joined(shape, node, parts);
  }

  private parts(text: string, refuse: (reason: string) => void): Part[] | undefined {
    try {
      const parts = partsOf(text);
      const { names } = this.variables;
      const undeclared = parts.filter((part) => typeof part !== "string" && names?.includes(part.name) === false);
      for (const part of undeclared) {
        const { name } = part as { name: string };
        const declared = names?.length === 0 ? "none is declared" : `declared: ${names?.join(", ")}`;
        refuse(
          `has the variable \${${name}}, which is not declared (${declared})${didYouMean(name, names ?? []) || ". Write $${ for the characters ${"}`,
        );
      }
      return undeclared.length === 0 ? parts : undefined;
    } catch (error) {
      if (error instanceof BadTemplate) {
        refuse(error.message);
        return undefined;
      }
      throw error;
    }
  }

  /** A scalar without variables. Where a string belongs, it is as written. */
  private written(shape: Shape, node: ScalarNode, text: string, isPlain: boolean = node.isPlain): unknown {
    switch (shape.is) {
      case "any":
        return isPlain ? jsonValue(text) : text;
      case "boolean": {
        const value = isPlain ? booleans.get(text) : undefined;
        return value ?? this.refuse(shape, text, node, isPlain, "true or false");
      }
      case "number": {
        const value = isPlain ? exactNumber(text) : undefined;
        return value === undefined
          ? this.refuse(shape, text, node, isPlain, "a plain decimal number")
          : this.fit(shape, value, node);
      }
      default:
        return this.fit(shape, text, node);
    }
  }

  private refuse(shape: Shape, text: string, node: ScalarNode, isPlain: boolean, advice: string): unknown {
    const given = isPlain && text.length <= longestShown ? text : "a string";
    this.problems.add(node, `must be ${inWords(shape)}; got ${given}: write ${advice}, without quotes`);
    return unknown;
  }

  /** A scalar that is one variable. It may be any value, not just a string. */
  private variable(shape: Shape, node: ScalarNode, name: string): unknown {
    const value = this.variables.valueOf(name) ?? undefined;
    if (value === undefined) {
      this.problems.add(node, `has the variable \${${name}}, whose value is missing: give it a value`);
      return unknown;
    }
    if (!canBeVariable(shape)) {
      this.problems.add(
        node,
        `must be a map; got the variable \${${name}}. A variable can stand for a single value or a list`,
      );
      return unknown;
    }
    if (this.variables.isLater(value)) {
      return this.later(shape, node, value);
    }
    const isText = takesText(shape) && shape.is !== "scalar" && isNumberOrBoolean(value);
    return this.fit(shape, isText ? String(value) : value, node);
  }

  private joined(shape: Shape, node: ScalarNode, parts: readonly Part[]): unknown {
    const values = parts.map((part) => (typeof part === "string" ? part : this.variables.valueOf(part.name)));
    const wrong = parts.find((part, index) => typeof part !== "string" && !this.isText(values[index]));
    if (wrong !== undefined && typeof wrong !== "string") {
      const reason = `has the variable \${${wrong.name}} within a string; there it must be a string, a number or a boolean`;
      this.problems.add(node, reason);
      return unknown;
    }
    if (!values.some((value) => this.variables.isLater(value))) {
      return this.written(shape, node, values.join(""), false);
    }
    if (!takesText(shape) && shape.is !== "any") {
      return this.fit(shape, "a", node);
    }
    return this.later(shape, node, this.variables.join(values));
  }

  private isText(value: unknown): boolean {
    return typeof value === "string" || isNumberOrBoolean(value) || this.variables.isLater(value);
  }

  private later(shape: Shape, node: Node, value: unknown): unknown {
    // A check without a program knows no variable at all.
    if (this.knownShapes.has(shape) && value !== unknown) {
      this.problems.add(node, "must be known when the program runs; got a variable that is an output or a promise");
      return unknown;
    }
    return value;
  }

  /** Returns the value if it fits. If not, notes the problem in the words of the checks of arguments. */
  private fit(shape: Shape, value: unknown, node: Node, advice = ""): unknown {
    const found: Problem[] = [];
    // A list of lines also accepts one string, because that is its form in the state. In a manifest, one form is enough.
    const strict = shape.is === "list" && typeof value === "string" ? { ...shape, isLines: false } : shape;
    const checked = checkValue(strict, value, "", found);
    if (found.length === 0) {
      // Only a problem needs the path, which takes longer than the check.
      return checked;
    }
    const problems: Problem[] = [];
    const instead = checkValue(strict, value, pathOf(node), problems);
    for (const problem of problems) {
      this.problems.add(node, `${problem.reason}${advice}`, problem.path);
    }
    return instead;
  }
}

function canBeVariable(shape: Shape): boolean {
  return shape.is === "map" ? canBeVariable(shape.of) : shape.is !== "object";
}

function takesText({ is }: Shape): boolean {
  return is === "string" || is === "choice" || is === "scalar";
}

function isNumberOrBoolean(value: unknown): boolean {
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
