/**
 * manifest.schema.json, with which editors complete, explain and check manifests. Generated from the descriptions and doc comments that the
 * checks use.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultsOfCollection, taskDocument, taskOfCollection } from "../../src/manifest/documentShapes";
import type { ArgSpec, ArgSpecs } from "../../src/resources/args";
import type { Shape } from "../../src/values/kinds";
import { repositoryRoot } from "../commands";
import type { FieldOf } from "./docComments";
import { docComments } from "./docComments";

type Schema = Record<string, unknown>;

const file = join(repositoryRoot, "src", "manifest", "manifest.schema.json");

export function writeManifestSchema(): void {
  writeFileSync(file, manifestSchema());
}

/** What is wrong with manifest.schema.json; an empty string if it is up to date. */
export async function checkManifestSchema(): Promise<string> {
  return readFileSync(file, "utf8") === manifestSchema()
    ? ""
    : "manifest.schema.json is out of date. Run: npm run docs";
}

function manifestSchema(): string {
  const docs = docComments();
  const { fields } = docs.of("TaskDocument");
  const whole = new Definitions(false);
  const partial = new Definitions(true);
  const collection = docs.of("CollectionDocument").fields;
  const tasksOf = (task: Schema): Schema => ({
    description: collection("tasks")?.comment,
    type: "object",
    minProperties: 1,
    additionalProperties: { anyOf: [task, { type: "null" }] },
  });
  const task = whole.ofFields("task", taskDocument, fields);
  Object.assign(whole.all.task ?? {}, forAnchors);
  const taskOfTasks = whole.ofFields("taskOfCollection", taskOfCollection, fields);
  const partOfTask = partial.ofFields("taskWithDefaults", taskOfCollection, fields);
  const defaults = partial.ofFields("defaults", defaultsOfCollection, fields);
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Manifest of pulumi-webextract",
    description: "Extraction tasks in YAML: one task, or several with common defaults.",
    type: "object",
    if: { anyOf: [{ required: ["tasks"] }, { required: ["defaults"] }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      if: { required: ["defaults"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        required: ["tasks"],
        properties: {
          defaults: { description: collection("defaults")?.comment, anyOf: [defaults, { type: "null" }] },
          tasks: tasksOf(partOfTask),
        },
        ...forAnchors,
        additionalProperties: false,
      },
      else: { properties: { tasks: tasksOf(taskOfTasks) }, ...forAnchors, additionalProperties: false },
    },
    else: task,
    definitions: { ...whole.all, ...partial.all },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Keys at the top of a document that hold anchors. */
const forAnchors: Schema = { patternProperties: { "^x-": {} } };

/** In place of a value, a string with variables, which only the program replaces. */
const variable: Schema = { type: "string", pattern: "\\$\\{" };

class Definitions {
  readonly all: Record<string, Schema> = {};
  private readonly names = new Map<Shape, string>();

  /** @param isPartial requires no field, because the defaults can have it */
  constructor(private readonly isPartial: boolean) {}

  ofFields(name: string, specs: ArgSpecs, docs: FieldOf): Schema {
    const own = Object.entries(specs).filter(([, { kind }]) => kind !== undefined);
    const required = own.filter(([, spec]) => spec.required && !this.isPartial).map(([each]) => each);
    const properties = own.map(([each, spec]) => [each, this.ofField(each, spec, docs)]);
    this.all[name] = {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
    return { $ref: `#/definitions/${name}` };
  }

  private ofField(name: string, spec: ArgSpec, docs: FieldOf): Schema {
    const documented = docs(name);
    const schema = this.ofShape(name, spec.kind ?? { is: "any" }, documented?.fields ?? (() => undefined));
    const byDefault = documented?.defaultTag;
    const isValue = spec.default !== undefined;
    const description = `${documented?.comment}${byDefault === undefined || isValue ? "" : ` Default: ${byDefault}.`}`;
    return { description, ...(isValue && { default: spec.default }), ...(spec.required ? schema : orNull(schema)) };
  }

  private ofShape(name: string, shape: Shape, docs: FieldOf): Schema {
    switch (shape.is) {
      case "any":
        return {};
      case "boolean":
        return { anyOf: [{ type: "boolean" }, variable] };
      case "number":
        return {
          anyOf: [{ type: shape.isInteger ? "integer" : "number", minimum: shape.min, maximum: shape.max }, variable],
        };
      case "choice":
        return { anyOf: [{ enum: shape.of }, variable] };
      case "scalar":
        return { type: ["string", "number", "boolean"] };
      case "string":
        return { type: ["string", "number", "boolean"], ...(shape.isLine ? { pattern: oneLine } : { minLength: 1 }) };
      case "list": {
        const items = this.ofShape(name, shape.of, docs);
        return { anyOf: [{ type: "array", items, ...(!shape.mayBeEmpty && { minItems: 1 }) }, variable] };
      }
      case "map": {
        const isOfObjects = shape.of.is === "object";
        const each = this.ofShape(isOfObjects ? `${name}Entry` : name, shape.of, docs);
        // Null removes what the defaults have.
        const map = this.isPartial
          ? { type: "object", additionalProperties: orNull(each) }
          : { type: "object", minProperties: 1, additionalProperties: each };
        return isOfObjects ? map : { anyOf: [map, variable] };
      }
      case "object":
        return this.named(name, shape, docs);
    }
  }

  private named(name: string, shape: Shape & { is: "object" }, docs: FieldOf): Schema {
    const known = this.names.get(shape) ?? (this.isPartial ? `${name}WithDefaults` : name);
    if (!this.names.has(shape)) {
      this.names.set(shape, known);
      this.ofFields(known, shape.fields, docs);
    }
    return { allOf: [{ $ref: `#/definitions/${known}` }] };
  }
}

const oneLine = "^[^\\r\\n]*\\S[^\\r\\n]*$";

/** Null counts as no value. */
function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0) {
    return schema;
  }
  return Array.isArray(schema.anyOf) && Object.keys(schema).length === 1
    ? { anyOf: [...schema.anyOf, { type: "null" }] }
    : { anyOf: [schema, { type: "null" }] };
}
