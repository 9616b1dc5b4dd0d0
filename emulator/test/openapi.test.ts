import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { OperationName, Shape } from "../../test/internals/service";
import { operations } from "../../test/internals/service";

const root = join(__dirname, "..", "..");

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  contentMediaType?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
}

interface DocumentedOperation {
  operationId: OperationName;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

const document: Document = parse(readFileSync(join(root, "emulator/openapi.yaml"), "utf8"));

function documented() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const place = `${method.toUpperCase()} ${path}`;
      return [place, operation, operations[operation.operationId]] as const;
    }),
  );
}

/** A type of openapi.yaml: a list has the type of its items, an object the types of its fields. */
type FieldType = string | undefined | readonly [FieldType] | { readonly [name: string]: FieldType };

function typeOf(schema: Schema | undefined): FieldType {
  if (schema?.$ref !== undefined) return typeOf(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""]);
  if (schema?.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(typeOf));
  if (schema?.type === "array") return [typeOf(schema.items)];
  if (schema?.properties === undefined) return schema?.type;
  return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, typeOf(each)]));
}

/** The same of a description of the client. The type of what it does not describe is that of the document. */
function typeOfShape(shape: Shape, documented: FieldType): FieldType {
  switch (shape.is) {
    case "list":
      return [typeOfShape(shape.of, Array.isArray(documented) ? documented[0] : undefined)];
    case "object": {
      const types = typeof documented === "object" ? (documented as { [name: string]: FieldType }) : {};
      const fields = Object.entries(shape.fields).map(([name, { kind }]) => [
        name,
        kind && typeOfShape(kind, types[name]),
      ]);
      return Object.fromEntries(fields);
    }
    case "number":
      return shape.isInteger ? "integer" : "number";
    case "choice":
      return "string";
    case "map":
      // openapi.yaml describes the content of a file as a string.
      return documented === "string" ? documented : "object";
    case "any":
      return documented;
    default:
      return shape.is;
  }
}

describe("openapi.yaml", () => {
  it("has exactly the operations of the client, with their methods and paths", () => {
    const inDocument = documented().map(([place, { operationId }]) => `${operationId} ${place}`);
    const inTable = Object.entries(operations).map(([name, { method, path }]) => `${name} ${method} ${path}`);
    assert.deepEqual(inDocument.sort(), inTable.sort());
  });

  it("requires the credential that the client sends", () => {
    for (const [place, { security }, operation] of documented()) {
      const expected = operation.credential === "none" ? [] : [{ [operation.credential]: [] }];
      assert.deepEqual(security, expected, place);
    }
  });

  it("has the fields where the client sends them", () => {
    for (const [place, { parameters, requestBody }, operation] of documented()) {
      const contentTypes = Object.keys(requestBody?.content ?? {});
      const expected = { json: ["application/json"], multipart: ["multipart/form-data"], query: [] }[operation.sends];
      assert.deepEqual(contentTypes, expected, place);
      assert.equal((parameters ?? []).length > 0, operation.sends === "query", place);
    }
  });

  it("has the fields that the client sends, with their types", () => {
    for (const [place, { parameters = [], requestBody }, { request }] of documented()) {
      const body = Object.values(requestBody?.content ?? {})[0];
      const inQuery = Object.fromEntries(parameters.map(({ name, schema }) => [name, typeOf(schema)]));
      const expected = body === undefined ? inQuery : typeOf(body.schema);
      assert.deepEqual(typeOfShape(request, expected), expected, place);
    }
  });

  it("has the fields that the client reads, with their types", () => {
    for (const [place, { responses }, { response }] of documented()) {
      const expected = typeOf(responses["200"]?.content?.["application/json"]?.schema);
      assert.deepEqual(typeOfShape(response, expected), expected, place);
    }
  });

  it("has no response other than success", () => {
    for (const [place, { responses }] of documented())
      assert.deepEqual(Object.keys(responses), ["200", "default"], place);
  });
});
