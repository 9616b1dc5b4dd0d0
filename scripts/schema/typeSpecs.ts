/** Types of the schema of the native plugin, from the shapes of arguments. */
import type { ArgSpec, ArgSpecs } from "../../src/resources/args";
import type { Shape } from "../../src/values/kinds";
import { describeShape } from "../../src/values/kinds";
import { madeOnce } from "../../src/values/plain";
import { typeToken } from "../../src/values/urn";
import type { DocComments, Documented, FieldOf } from "../docs/docComments";

export type Spec = Record<string, unknown>;

/** What a program writes, or what the state holds: `check` makes strings of scalars, and one string of a list of lines. */
export type Form = "written" | "stored";

export interface ObjectSpec extends Spec {
  properties: Record<string, Spec>;
  required: string[];
}

const anything: Spec = { $ref: "pulumi.json#/Any" };

/** The names of the words that are none. */
const signs: Readonly<Record<string, string>> = { ",": "Comma", ";": "Semicolon", "\t": "Tab" };

/** The named types that the properties of resources, functions and the configuration use. */
export class TypeSpecs {
  readonly all: Record<string, Spec> = {};
  private readonly names: Readonly<Record<Form, Map<Shape, string>>> = { written: new Map(), stored: new Map() };

  /** @param chosen names of types in place of those that their paths give, such as `Action` for `TaskParametersAction` */
  constructor(
    private readonly chosen: Readonly<Record<string, string>>,
    private readonly docs: DocComments,
  ) {}

  /** @param path the name of the types of these fields begins with it */
  ofFields(path: string, specs: ArgSpecs, docs: FieldOf, form: Form): ObjectSpec {
    // A derived field that the type of the state lacks is of no use to a program.
    const entries = Object.entries(specs).filter(
      ([name, { kind }]) => kind !== undefined || (form === "stored" && docs(name) !== undefined),
    );
    const properties = entries.map(([name, spec]) => [name, this.ofField(path, name, spec, docs, form)] as const);
    const required = entries.filter(([name, spec]) => spec.required || (spec.derived && !docs(name)?.isOptional));
    return { properties: Object.fromEntries(properties), required: required.map(([name]) => name) };
  }

  /** A field that only its type in the code describes. */
  ofDocumented(path: string, documented: Documented | undefined): Spec {
    if (documented === undefined) throw new Error(`${path} has no type`);
    const { comment, type } = documented;
    // All other outputs that are numbers are counts and lengths.
    const isShare = type === "number" && comment.startsWith("Share ");
    return { description: comment || undefined, ...(isShare ? { type } : this.ofType(type)) };
  }

  /** An interface of the code. */
  ofInterface(type: string): ObjectSpec {
    const { names, fields } = this.docs.of(type);
    return {
      properties: Object.fromEntries(names.map((name) => [name, this.ofDocumented(`${type}.${name}`, fields(name))])),
      required: names.filter((name) => !fields(name)?.isOptional),
    };
  }

  /** A type, as the compiler writes it. */
  ofType(type: string): Spec {
    const [, items] = /^(.+)\[\]$/.exec(type) ?? [];
    const [, entries] = /^Record<string, (.+)>$/.exec(type === "Row" ? "Record<string, unknown>" : type) ?? [];
    if (items !== undefined) return { type: "array", items: this.ofType(items) };
    if (entries !== undefined) return { type: "object", additionalProperties: this.ofType(entries) };
    if (type === "string" || type === "boolean") return { type };
    if (type === "number") return { type: "integer" };
    if (!/^[A-Z]\w+$/.test(type)) return anything;
    this.add(type, { type: "object", description: this.docs.of(type).comment, ...this.ofInterface(type) });
    return refTo(type);
  }

  ofShape(path: string, shape: Shape, docs: FieldOf, form: Form): Spec {
    switch (shape.is) {
      case "any":
        return anything;
      case "boolean":
      case "string":
        return { type: shape.is };
      case "choice":
        return {
          type: "string",
          ...(form === "written" && { oneOf: [{ type: "string" }, this.ofWords(path, shape)] }),
        };
      case "number":
        return { type: shape.isInteger ? "integer" : "number" };
      case "scalar":
        return form === "stored"
          ? { type: "string" }
          : { oneOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };
      case "list":
        return form === "stored" && shape.isLines
          ? { type: "string" }
          : { type: "array", items: this.ofShape(path, shape.of, docs, form) };
      case "map":
        return { type: "object", additionalProperties: this.ofEntry(singular(path), shape.of, docs, form) };
      case "object":
        return this.ofObject(path, shape, docs, form);
    }
  }

  private ofField(path: string, name: string, spec: ArgSpec, docs: FieldOf, form: Form): Spec {
    const documented = docs(name);
    const at = path + upperFirst(name);
    if (spec.kind === undefined) {
      return this.ofDocumented(at, documented);
    }
    const byDefault = documented?.defaultTag;
    const more = [...wordsOf(spec.kind), ...(byDefault === undefined ? [] : [`Default: ${byDefault}.`])];
    return {
      description: [documented?.comment ?? "", ...more].join(" "),
      ...this.ofShape(at, spec.kind, documented?.fields ?? (() => undefined), form),
      ...(spec.replaces && form === "written" && { willReplaceOnChanges: true }),
    };
  }

  /**
   * The keys of a map are the user's, such as action ids. The language host of YAML takes the entry of a key for the field of the same name of an
   * entry's type: `actions: {loop: …}` would be refused, because the action is no loop. So every map is allowed as an entry too, and `check`
   * refuses what is wrong.
   */
  private ofEntry(path: string, shape: Shape, docs: FieldOf, form: Form): Spec {
    const entry = this.ofShape(path, shape, docs, form);
    const isOpen = shape.is === "object" && form === "written";
    return isOpen ? { oneOf: [entry, { type: "object", additionalProperties: anything }] } : entry;
  }

  /** An enum, whose constants are strings: every string is allowed beside them, and `check` refuses other words. */
  private ofWords(path: string, shape: Shape & { is: "choice" }): Spec {
    const name = madeOnce(this.names.written, shape, () => this.nameFor(path));
    const words = shape.of.map((value) => ({ value, ...(value in signs && { name: signs[value] }) }));
    this.add(name, { type: "string", enum: words });
    return refTo(name);
  }

  private ofObject(path: string, shape: Shape & { is: "object" }, docs: FieldOf, form: Form): Spec {
    const own = form === "stored" && changesWhenStored(shape) ? "stored" : "written";
    const names = this.names[own];
    if (!names.has(shape)) {
      const name = this.nameFor(path);
      names.set(shape, own === "stored" ? `${name}State` : name);
      this.add(names.get(shape) ?? "", { type: "object", ...this.ofFields(name, shape.fields, docs, own) });
    }
    return refTo(names.get(shape) ?? "");
  }

  private nameFor(path: string): string {
    return this.chosen[path] ?? path;
  }

  private add(name: string, spec: Spec): void {
    this.all[typeToken(name, "native")] = spec;
  }
}

/**
 * A string in place of an enum, for an argument of a resource: `pulumi do` has a flag for a string, and none for an enum. A program can still
 * give the constants, which are strings.
 */
export function withFlag(spec: Spec): Spec {
  const { oneOf: _, ...alone } = spec;
  return spec.type === "string" ? alone : spec;
}

/** The words of a choice, for its description. */
export function wordsOf(shape: Shape): string[] {
  return shape.is === "choice" ? [`Must be ${describeShape(shape)}.`] : [];
}

function refTo(name: string): Spec {
  return { $ref: `#/types/${typeToken(name, "native")}` };
}

/** Whether the state holds another form of it than the program writes. */
function changesWhenStored(shape: Shape): boolean {
  switch (shape.is) {
    case "scalar":
      return true;
    case "list":
      return shape.isLines === true || changesWhenStored(shape.of);
    case "map":
      return changesWhenStored(shape.of);
    case "object":
      return Object.values(shape.fields).some(
        ({ kind, derived }) => derived || (kind !== undefined && changesWhenStored(kind)),
      );
    default:
      return false;
  }
}

function singular(path: string): string {
  return path.replace(/s$/, "");
}

export function upperFirst(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
