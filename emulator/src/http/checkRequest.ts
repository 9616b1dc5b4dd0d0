import type { ErrorObject, ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import type { Contract, ContractFile, Operation, OperationName } from "../contract";
import { operationsOf, readContract } from "../contract";
import { missing, Refusal } from "../errors";

/** No check of the schemas: it would double the time of a start, and `npm run check` does it. */
const trusted = { strict: false, meta: false, validateSchema: false, validateFormats: false } as const;

/** How strict a check is. */
export interface CheckOptions {
  /** Reports all problems, and refuses query parameters that the contract does not have. Default: the first problem only, and no. */
  thorough?: boolean;
}

/** The operations of a contract, and the check of requests against it. */
export interface CheckedContract<Name extends string> {
  operations: readonly Operation<Name>[];
  check: RequestCheck;
}

const checked = new Map<ContractFile, CheckedContract<string>>();

/** Made once in a process, at its first use: it takes longer than a start of the emulator, and a test starts many emulators. */
export function checkedContract<Name extends string = OperationName>(
  file: ContractFile,
  options?: CheckOptions,
): CheckedContract<Name> {
  let made = checked.get(file);
  if (made === undefined) {
    const contract = readContract(file);
    made = { operations: operationsOf<string>(contract), check: new RequestCheck(contract, options) };
    checked.set(file, made);
  }
  return made as CheckedContract<Name>;
}

/** Checks requests against a contract. Compiles the schema of an operation at its first request. */
export class RequestCheck {
  private readonly thorough: boolean;
  private readonly bodies: Ajv2020;
  /** Parameters are strings on the wire, so only here a string can become a number or a boolean. */
  private readonly parameters: Ajv2020;
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(contract: Contract, { thorough = false }: CheckOptions = {}) {
    this.thorough = thorough;
    this.bodies = new Ajv2020({ ...trusted, allErrors: thorough, discriminator: true, verbose: thorough });
    this.parameters = new Ajv2020({ ...trusted, allErrors: thorough, coerceTypes: true });
    this.bodies.addSchema({ $id: "contract", ...withoutMappings(contract) });
  }

  /** @throws Refusal that names the parameter, never its value. */
  body(operation: Operation<string>, body: unknown): void {
    const { bodySchema } = operation;
    if (bodySchema === undefined) return;
    if (body === undefined || body === null) {
      if (!operation.bodyRequired && body === undefined) return;
      throw new Refusal("RequestModelNull", "the request has no body");
    }
    const validate = this.once(`body ${operation.name}`, () =>
      this.bodies.compile({ $ref: bodySchema.replace("#", "contract#") }),
    );
    if (validate(body)) return;
    requireSpelling((validate.errors ?? []).flatMap(missingAtTop), body as object);
    throw this.refusalOf(validate.errors, "the body");
  }

  /**
   * @returns the query, with integers as numbers.
   * @param optional parameters that the current behaviour does not require.
   */
  query(
    operation: Operation<string>,
    query: Record<string, unknown>,
    optional: readonly string[] = [],
  ): Record<string, unknown> {
    const parameters = operation.parameters.filter((parameter) => parameter.in === "query");
    const validate = this.once(`query ${operation.name} ${optional.join()}`, () =>
      this.parameters.compile({
        type: "object",
        properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        required: parameters
          .filter(({ name, required }) => required && !optional.includes(name))
          .map(({ name }) => name),
        additionalProperties: !this.thorough,
      }),
    );
    const typed = { ...query };
    for (const name of optional) if (typed[name] === "") delete typed[name];
    // An empty integer parameter would become 0.
    const empty = parameters.find(({ name }) => typed[name] === "");
    if (empty !== undefined) throw missing(empty.name);
    requireSpelling(
      parameters.filter(({ required }) => required).map(({ name }) => name),
      typed,
    );
    // The conversion of the validator takes Infinity, 1e400 and 0x10 too.
    const wrong = parameters.find(({ name, schema }) => schema.type === "integer" && !isInteger(typed[name]));
    if (wrong !== undefined) throw new Refusal("InvalidParameter", `${wrong.name} must be integer`);
    if (!validate(typed)) throw this.refusalOf(validate.errors, "the query");
    return typed;
  }

  private once(key: string, compile: () => ValidateFunction): ValidateFunction {
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const validate = compile();
    this.compiled.set(key, validate);
    return validate;
  }

  private refusalOf(errors: readonly ErrorObject[] | null | undefined, whole: string): Refusal {
    const [first, ...others] = (errors ?? [])
      .filter(({ keyword }) => keyword !== "if")
      .map((error) => problemOf(error, whole));
    if (first === undefined) return new Refusal("InvalidParameter", `${whole} is not valid`);
    return new Refusal(first.code, [first, ...others].map(({ message }) => message).join("; "));
  }
}

/** The validator reads the values of a discriminator from the schemas, and refuses the mapping. Messages list the values. */
function withoutMappings(contract: Contract): Contract {
  return JSON.parse(JSON.stringify(contract), (_key, value) => {
    const { propertyName, mapping } = value?.discriminator ?? {};
    if (typeof propertyName !== "string" || typeof mapping !== "object") return value;
    return { ...value, discriminator: { propertyName }, "x-values": Object.keys(mapping) };
  });
}

function missingAtTop({ keyword, instancePath, params }: ErrorObject): string[] {
  return keyword === "required" && instancePath === "" ? [String(params.missingProperty)] : [];
}

/** Some services ignore the case of names. A program that relies on it fails at all others, so the refusal says what is wrong. */
function requireSpelling(names: readonly string[], given: object): void {
  for (const name of names.filter((each) => !Object.hasOwn(given, each))) {
    const other = Object.keys(given).find((each) => each.toLowerCase() === name.toLowerCase());
    if (other === undefined) continue;
    throw new Refusal("InvalidParameter.Required", `${name} is required: the contract spells it so, not ${other}`);
  }
}

/** Whether it is absent or can be an integer. A repeated parameter is a list, which the validator refuses. */
function isInteger(value: unknown): boolean {
  return typeof value !== "string" || (/^-?\d+$/.test(value) && Number.isSafeInteger(Number(value)));
}

function problemOf(error: ErrorObject, whole: string): Refusal {
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  const inside = (name: unknown) => [path, String(name)].filter((part) => part !== "").join(".");
  switch (error.keyword) {
    case "required":
      return missing(inside(error.params.missingProperty));
    // In these contracts, a minimum of length or items is 1: what is empty is missing.
    case "minLength":
    case "minItems":
      return missing(path);
    case "additionalProperties":
      return new Refusal("InvalidParameter", `${inside(error.params.additionalProperty)} is not known`);
    case "enum":
      return new Refusal("InvalidParameter", `${path} must be one of ${error.params.allowedValues.join(", ")}`);
    case "discriminator":
      return new Refusal("InvalidParameter", `${inside(error.params.tag)} must be one of ${valuesOf(error)}`);
    default:
      return new Refusal("InvalidParameter", `${path === "" ? whole : path} ${error.message ?? "is not valid"}`);
  }
}

function valuesOf({ parentSchema }: ErrorObject): string {
  const values: unknown = parentSchema?.["x-values"];
  return Array.isArray(values) ? values.join(", ") : "the allowed values";
}
