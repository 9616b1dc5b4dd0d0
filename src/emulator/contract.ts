import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import { parse } from "yaml";
import type { Plan } from "./credentials";
import { missing, Refusal } from "./errors";
import type { components, operations } from "./openapi";

/** Name of an operation: its `operationId` in openapi.yaml. */
export type OperationName = keyof operations;

/** The fields of an operation's request, as openapi.yaml has them: a JSON body, or query parameters. */
export type DocumentedFields<Name extends OperationName> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? Body
  : operations[Name]["parameters"]["query"];

/** The schemas of openapi.yaml by name. */
export type Schemas = components["schemas"];

/** One extracted row. Its fields are the task's. */
export type Row = Schemas["Row"];

/** One operation, as openapi.yaml describes it. */
export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** What authenticates it. `none`: the body carries the refresh token. */
  readonly credential: "none" | "apiKey" | "bearer";
  /** Where the request's fields travel. */
  readonly sends: "json" | "query" | "multipart";
  /** The plans that may call it. `undefined`: every plan. */
  readonly plans: readonly Plan[] | undefined;
}

interface ContractParameter {
  name: string;
  required: boolean;
  schema: Record<string, unknown>;
}

interface ContractOperation {
  operationId: OperationName;
  security: readonly { bearer?: unknown; apiKey?: unknown }[];
  "x-plans"?: readonly Plan[];
  parameters?: ContractParameter[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

interface ContractDocument {
  paths: Record<string, { get?: ContractOperation; post?: ContractOperation }>;
}

/** openapi.yaml stands at the package's root, two folders up from src/emulator and from dist/emulator. */
const contractFile = join(__dirname, "..", "..", "openapi.yaml");

let document: ContractDocument | undefined;

/** Read once in a process: it takes longer than all the rest of a start. */
function contractDocument(): ContractDocument {
  document ??= parse(readFileSync(contractFile, "utf8")) as ContractDocument;
  return document;
}

/** The linter looks after the schemas; checking them here too would double the time of a start. */
const trusted = { strict: false, meta: false, validateSchema: false } as const;

function operationsOf({ paths }: ContractDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [describe(get, "GET", path)]),
    ...(post === undefined ? [] : [describe(post, "POST", path)]),
  ]);
}

function describe(documented: ContractOperation, method: Operation["method"], path: string): Operation {
  const { operationId, security, requestBody } = documented;
  const [scheme] = security;
  const content = requestBody?.content ?? {};
  return {
    name: operationId,
    method,
    path,
    credential: scheme === undefined ? "none" : scheme.bearer === undefined ? "apiKey" : "bearer",
    sends: "multipart/form-data" in content ? "multipart" : "application/json" in content ? "json" : "query",
    plans: documented["x-plans"],
  };
}

/** Checks requests against openapi.yaml. Each operation's schema is compiled when it is used first. */
export class Contract {
  private readonly document = contractDocument();
  /** Every operation of the service. */
  readonly operations: readonly Operation[] = operationsOf(this.document);
  private readonly bodies = new Ajv2020(trusted);
  /** Query parameters are text on the wire: only here a text is taken for a number. */
  private readonly queries = new Ajv2020({ ...trusted, coerceTypes: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    this.bodies.addSchema({ $id: "contract", ...this.document });
  }

  /** @throws Refusal that names the parameter, never its value. */
  checkBody(operation: Operation, body: unknown): void {
    const schema = this.operation(operation)?.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return;
    if (body === undefined || body === null) throw new Refusal("RequestModelNull", "the request has no body");
    const validate = this.once(`body ${operation.name}`, () =>
      this.bodies.compile({ $ref: schema.$ref.replace("#", "contract#") }),
    );
    if (!validate(body)) throw refusalOf(validate.errors, "the body");
  }

  /**
   * The query with numbers as numbers.
   * @param optional parameters that the behaviour lets a client leave out.
   */
  checkQuery(
    operation: Operation,
    query: Record<string, unknown>,
    optional: readonly string[] = [],
  ): Record<string, unknown> {
    const parameters = this.operation(operation)?.parameters ?? [];
    const validate = this.once(`query ${operation.name} ${optional.join()}`, () =>
      this.queries.compile({
        type: "object",
        properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        required: parameters
          .filter(({ name, required }) => required && !optional.includes(name))
          .map(({ name }) => name),
      }),
    );
    const typed = { ...query };
    // An integer parameter left empty would be taken for 0.
    const empty = parameters.find(({ name }) => typed[name] === "" && !optional.includes(name));
    if (empty !== undefined) throw missing(empty.name);
    if (!validate(typed)) throw refusalOf(validate.errors, "the query");
    return typed;
  }

  private operation(operation: Operation): ContractOperation | undefined {
    return this.document.paths[operation.path]?.[operation.method === "GET" ? "get" : "post"];
  }

  private once(key: string, compile: () => ValidateFunction): ValidateFunction {
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const validate = compile();
    this.compiled.set(key, validate);
    return validate;
  }
}

function refusalOf(errors: readonly ErrorObject[] | null | undefined, whole: string): Refusal {
  const error = errors?.[0];
  const path = error?.instancePath.slice(1).replaceAll("/", ".") ?? "";
  if (error?.keyword === "required") {
    return missing([path, String(error.params.missingProperty)].filter((part) => part !== "").join("."));
  }
  return new Refusal("InvalidParameter", `${path === "" ? whole : path} ${error?.message ?? "is not valid"}`);
}
