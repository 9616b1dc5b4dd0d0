import type { ErrorObject, ValidateFunction } from "ajv/dist/2020";
import Ajv2020 from "ajv/dist/2020";
import type { Contract, Operation } from "../contract";
import { missing, Refusal } from "../errors";

/** No check of the schemas: it would double the time of a start, and `npm run check` does it. */
const trusted = { strict: false, meta: false, validateSchema: false } as const;

/** Checks requests against openapi.yaml. Compiles the schema of an operation at its first request. */
export class RequestCheck {
  private readonly bodies = new Ajv2020(trusted);
  /** Query parameters are strings on the wire, so only here a string can become a number. */
  private readonly queries = new Ajv2020({ ...trusted, coerceTypes: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(contract: Contract) {
    this.bodies.addSchema({ $id: "contract", ...contract });
  }

  /** @throws Refusal that names the parameter, never its value. */
  body(operation: Operation, body: unknown): void {
    const { bodySchema } = operation;
    if (bodySchema === undefined) return;
    if (body === undefined || body === null) throw new Refusal("RequestModelNull", "the request has no body");
    const validate = this.once(`body ${operation.name}`, () =>
      this.bodies.compile({ $ref: bodySchema.replace("#", "contract#") }),
    );
    if (!validate(body)) throw refusalOf(validate.errors, "the body");
  }

  /**
   * @returns the query, with integers as numbers.
   * @param optional parameters that the current behaviour does not require.
   */
  query(
    operation: Operation,
    query: Record<string, unknown>,
    optional: readonly string[] = [],
  ): Record<string, unknown> {
    const { parameters } = operation;
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
    for (const name of optional) if (typed[name] === "") delete typed[name];
    // An empty integer parameter would become 0.
    const empty = parameters.find(({ name }) => typed[name] === "");
    if (empty !== undefined) throw missing(empty.name);
    // The conversion of the validator takes Infinity, 1e400 and 0x10 too.
    const wrong = parameters.find(({ name, schema }) => schema.type === "integer" && !isInteger(typed[name]));
    if (wrong !== undefined) throw new Refusal("InvalidParameter", `${wrong.name} must be integer`);
    if (!validate(typed)) throw refusalOf(validate.errors, "the query");
    return typed;
  }

  private once(key: string, compile: () => ValidateFunction): ValidateFunction {
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const validate = compile();
    this.compiled.set(key, validate);
    return validate;
  }
}

/** Whether it is absent or can be an integer. A repeated parameter is a list, which the validator refuses. */
function isInteger(value: unknown): boolean {
  return typeof value !== "string" || (/^-?\d+$/.test(value) && Number.isSafeInteger(Number(value)));
}

function refusalOf(errors: readonly ErrorObject[] | null | undefined, whole: string): Refusal {
  const error = errors?.[0];
  const path = error?.instancePath.slice(1).replaceAll("/", ".") ?? "";
  if (error?.keyword === "required") {
    return missing([path, String(error.params.missingProperty)].filter((part) => part !== "").join("."));
  }
  // In this contract, a minimum of length or items is 1: what is empty is missing.
  if (error?.keyword === "minLength" || error?.keyword === "minItems") return missing(path);
  return new Refusal("InvalidParameter", `${path === "" ? whole : path} ${error?.message ?? "is not valid"}`);
}
