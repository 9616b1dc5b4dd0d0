import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Row } from "../../../service/contract/types";
import { isRecord } from "../../../service/isRecord";
import { TimeLimit } from "./timeLimit";

/**
 * The only file that imports ajv, which takes longer to load than the rest of the provider. It becomes a file of its own in the package, and is
 * loaded with the first schema.
 */

/** Returns the place in the schema that the row does not fit, such as `#/properties/price/minimum`; undefined if the row is valid. */
export type ValidateRow = (row: Row) => string | undefined;

/** What is wrong with a schema. */
class SchemaProblem extends Error {}

const drafts = "draft 2020-12 (the default) or draft-07";

/** Bytes. ajv takes time that grows with the square of the length: a few seconds for the worst schemas of this length. */
const longestSchema = 64 * 1024;

/** Milliseconds for a row without fields. A schema of 2 kB can refer to its parts so often that it would take for ever. */
const trialLimit = 3000;

/** @throws SchemaProblem */
export function compileSchema(text: string): ValidateRow {
  const bytes = Buffer.byteLength(text);
  if (bytes > longestSchema) {
    throw new SchemaProblem(`has ${bytes} bytes; at most ${longestSchema} are allowed`);
  }
  const schema = parsed(text);
  const ajv = addFormats(new (classFor(schema))(options));
  try {
    if (ajv.validateSchema(schema) !== true) {
      const [{ instancePath = "", message = "" } = {}] = ajv.errors ?? [];
      throw new SchemaProblem(`is not valid at "#${instancePath}": ${message}`);
    }
    const validate = ajv.compile(schema);
    if (!new TimeLimit(trialLimit).run(() => void validate({}))) {
      throw new SchemaProblem(
        "cannot be validated in time: its references to other parts multiply, or a pattern repeats repetitions",
      );
    }
    return (row) => {
      try {
        return validate(row) === true ? undefined : (validate.errors?.[0]?.schemaPath ?? "#");
      } catch (error) {
        if (error instanceof RangeError) {
          return "a part that refers to itself without end";
        }
        throw error;
      }
    };
  } catch (error) {
    if (error instanceof SchemaProblem) {
      throw error;
    }
    if (error instanceof RangeError) {
      throw new SchemaProblem("is nested too deeply, or refers to itself without end");
    }
    if (error instanceof Ajv.MissingRefError) {
      throw new SchemaProblem(
        `refers to "${error.missingRef}", which is not in it. Other files and addresses are not read: copy the definition into the schema`,
      );
    }
    throw new SchemaProblem(`cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An unknown keyword is an error, because most often it is misspelled. */
const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // A row can have a field with the name of a member that every object inherits.
  ownProperties: true,
  logger: false,
  // It takes longer to compile an optimized schema, and no less time to use it.
  code: { optimize: false },
} as const;

function parsed(text: string): boolean | Record<string, unknown> {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new SchemaProblem(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isRecord(schema)) {
    throw new SchemaProblem("is not a JSON object");
  }
  if (schema.$async !== undefined) {
    throw new SchemaProblem('has "$async", which is not a part of JSON Schema');
  }
  return schema;
}

function classFor(schema: boolean | Record<string, unknown>): typeof Ajv | typeof Ajv2020 {
  const draft = isRecord(schema) ? schema.$schema : undefined;
  if (draft === undefined || /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String(draft))) {
    return Ajv2020;
  }
  if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String(draft))) {
    return Ajv;
  }
  throw new SchemaProblem(`has another "$schema": use ${drafts}`);
}
