/** The contract, read from openapi.yaml only, so that the emulator and the client interpret the contract independently of each other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { components, operations } from "./openapi";

/** Name of an operation: its `operationId` in openapi.yaml. */
export type OperationName = keyof operations;

/** The fields of an operation's request: a JSON body, or query parameters. */
export type DocumentedFields<Name extends OperationName> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? Body
  : operations[Name]["parameters"]["query"];

/** The schemas of openapi.yaml by name. */
export type Schemas = components["schemas"];

/** One extracted row. Its fields are the task's. */
export type Row = Schemas["Row"];

/** One operation. */
export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The required credential. `none`: the body has the refresh token. */
  readonly credential: "none" | "apiKey" | "bearer";
  /** Where the fields of the request are sent. */
  readonly sends: "json" | "query" | "multipart";
  /** The query parameters. */
  readonly parameters: readonly Parameter[];
  /** Reference to the schema of a JSON body. */
  readonly bodySchema: string | undefined;
  /** The plans that can call it. `undefined`: every plan. */
  readonly plans: readonly string[] | undefined;
}

/** A query parameter. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** JSON Schema. */
  readonly schema: Record<string, unknown>;
}

interface DocumentedOperation {
  operationId: OperationName;
  security: readonly { bearer?: unknown; apiKey?: unknown }[];
  "x-plans"?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

/** openapi.yaml, parsed. */
export interface Contract {
  readonly paths: Record<string, { get?: DocumentedOperation; post?: DocumentedOperation }>;
}

/** In the folder of the package, which is the parent of both `src` and `dist`. */
const contractFile = join(__dirname, "..", "openapi.yaml");

let contract: Contract | undefined;

/** Parsed once in a process, because parsing takes longer than the rest of a start. */
export function readContract(): Contract {
  contract ??= parse(readFileSync(contractFile, "utf8")) as Contract;
  return contract;
}

/** All operations of the service. */
export function operationsOf({ paths }: Contract): Operation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [describe(get, "GET", path)]),
    ...(post === undefined ? [] : [describe(post, "POST", path)]),
  ]);
}

function describe(documented: DocumentedOperation, method: Operation["method"], path: string): Operation {
  const [scheme] = documented.security;
  const content = documented.requestBody?.content ?? {};
  const bodySchema = content["application/json"]?.schema.$ref;
  return {
    name: documented.operationId,
    method,
    path,
    credential: scheme === undefined ? "none" : scheme.bearer === undefined ? "apiKey" : "bearer",
    sends: bodySchema !== undefined ? "json" : "multipart/form-data" in content ? "multipart" : "query",
    parameters: documented.parameters ?? [],
    bodySchema,
    plans: documented["x-plans"],
  };
}
