import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Operation } from "../internals/service";
import { operations } from "../internals/service";

const root = join(__dirname, "..", "..");

interface DocumentedOperation {
  operationId: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, { schema: { $ref: string } }> }>;
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, { properties: Record<string, { $ref?: string; type?: string }> }> };
}

const document: Document = parse(readFileSync(join(root, "emulator/openapi.yaml"), "utf8"));

function documented(): (readonly [string, DocumentedOperation, Operation])[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        [
          `${method.toUpperCase()} ${path}`,
          operation,
          operations[operation.operationId as keyof typeof operations],
        ] as const,
    ),
  );
}

describe("openapi.yaml", () => {
  it("has exactly the operations of the client, with their methods and paths", () => {
    const inDocument = documented().map(([place, { operationId }]) => `${operationId} ${place}`);
    const inTable = Object.values(operations).map(({ name, method, path }) => `${name} ${method} ${path}`);
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

  it("returns data of the shape that the client expects", () => {
    for (const [place, { responses }, operation] of documented()) {
      const name = responses["200"]?.content?.["application/json"]?.schema.$ref.split("/").at(-1) ?? "";
      const data = document.components.schemas[name]?.properties.data;
      const shape = data === undefined ? "none" : (data.type ?? "object");
      assert.equal(shape, operation.answers, place);
    }
  });

  it("has no response other than success", () => {
    for (const [place, { responses }] of documented())
      assert.deepEqual(Object.keys(responses), ["200", "default"], place);
  });

  it("passes a public linter", function () {
    this.timeout(60_000);
    execFileSync(process.execPath, [join(root, "node_modules/@redocly/cli/bin/cli.js"), "lint"], {
      cwd: root,
      stdio: "pipe",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
  });
});
