/**
 * The contracts of the service and of the admin API, read from openapi.yaml and admin.openapi.yaml only, so that the emulator and the client interpret
 * the contract independently of each other.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { components, operations } from "./generated/service";

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

/** An operation of the service or, with other names, of the admin API. */
export interface Operation<Name extends string = OperationName> {
  readonly name: Name;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** The required credential. `none`: the body has the refresh token, or the operation is open to all. */
  readonly credential: "none" | "apiKey" | "bearer";
  /** Where the fields of the request are sent. */
  readonly sends: "json" | "query" | "multipart";
  /** The parameters in the query and in the path. */
  readonly parameters: readonly Parameter[];
  /** Reference to the schema of a JSON body. */
  readonly bodySchema: string | undefined;
  /** Whether a request without a body is refused. */
  readonly bodyRequired: boolean;
  /** The plans that can call it. `undefined`: every plan. */
  readonly plans: readonly string[] | undefined;
}

/** A parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly required: boolean;
  /** JSON Schema. */
  readonly schema: Record<string, unknown>;
}

interface DocumentedOperation {
  operationId: string;
  security: readonly { bearer?: unknown; apiKey?: unknown }[];
  "x-plans"?: readonly string[];
  parameters?: readonly (DocumentedParameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: { $ref: string } }> };
}

type DocumentedParameter = Omit<Parameter, "required"> & { required?: boolean };

const methods = ["get", "post", "put", "delete"] as const;

/** A contract, parsed. */
export interface Contract {
  readonly components: { readonly parameters?: Record<string, DocumentedParameter> };
  readonly paths: Record<string, { [Method in (typeof methods)[number]]?: DocumentedOperation }>;
}

/**
 * The folder of the package, which is the parent of both `src` and `dist`. Other modules take it from here, because a build makes one file of all, in
 * `dist`.
 */
export const packageFolder = join(__dirname, "..");

/** The file of a contract, in the folder of the package. */
export type ContractFile = "openapi.yaml" | "admin.openapi.yaml";

const contracts = new Map<ContractFile, Contract>();

/**
 * Parsed once in a process. A build writes the file as JSON too: to load the YAML library and to parse the file takes longer than the rest of a
 * start.
 */
export function readContract(file: ContractFile): Contract {
  const known = contracts.get(file);
  if (known !== undefined) return known;
  const built = join(__dirname, file.replace(/yaml$/, "json"));
  const contract: Contract = existsSync(built)
    ? JSON.parse(readFileSync(built, "utf8"))
    : yamlLibrary().parse(contractText(file));
  contracts.set(file, contract);
  return contract;
}

/** The text of a contract. */
export function contractText(file: ContractFile): string {
  return readFileSync(join(packageFolder, file), "utf8");
}

/** Loaded with its first use: a start does without it. */
export function yamlLibrary(): typeof import("yaml") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load it with each start
  return require("yaml");
}

/** All operations of a contract. */
export function operationsOf<Name extends string = OperationName>(contract: Contract): Operation<Name>[] {
  return Object.entries(contract.paths).flatMap(([path, documented]) =>
    methods.flatMap((method) => {
      const operation = documented[method];
      return operation === undefined ? [] : [describe<Name>(contract, operation, method, path)];
    }),
  );
}

function describe<Name extends string>(
  contract: Contract,
  documented: DocumentedOperation,
  method: (typeof methods)[number],
  path: string,
): Operation<Name> {
  const [scheme] = documented.security;
  const content = documented.requestBody?.content ?? {};
  const bodySchema = content["application/json"]?.schema.$ref;
  return {
    name: documented.operationId as Name,
    method: method.toUpperCase() as Operation["method"],
    path,
    credential: scheme === undefined ? "none" : scheme.bearer === undefined ? "apiKey" : "bearer",
    sends: bodySchema !== undefined ? "json" : "multipart/form-data" in content ? "multipart" : "query",
    parameters: (documented.parameters ?? []).map((parameter) => parameterOf(contract, parameter)),
    bodySchema,
    bodyRequired: documented.requestBody?.required ?? false,
    plans: documented["x-plans"],
  };
}

function parameterOf({ components }: Contract, documented: DocumentedParameter | { $ref: string }): Parameter {
  if (!("$ref" in documented)) return { ...documented, required: documented.required ?? false };
  const shared = components.parameters?.[documented.$ref.split("/").at(-1) ?? ""];
  if (shared === undefined) throw new Error(`the contract has no ${documented.$ref}`);
  return { ...shared, required: shared.required ?? false };
}

/** The version of this package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")).version;
}
