import { createContext, Script } from "node:vm";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Row } from "../../../service/contract/types";
import { messageOf } from "../../../values/errors";
import { isRecord } from "../../../values/plain";

/**
 * The only file that imports ajv, which takes longer to load than the rest of the provider. It becomes a file of its
 * own in the package, and is loaded with the first schema.
 */

/**
 * Returns for each row the place in the schema that it does not fit, such as `#/properties/price/minimum`; undefined if
 * the row is valid. If the time is over, the results end before the row that was in work.
 */
export type ValidateRows = (rows: readonly Row[]) => (string | undefined)[];

/**
 * Bytes. ajv takes time that grows with the square of the length: a few seconds for the worst schemas of this length.
 */
const longestSchema = 64 * 1024;

/** Milliseconds for a page, which takes a few. A schema can have patterns that take forever. */
const defaultTimeLimit = 5000;

/** @throws Error that says what is wrong with the schema */
export function compileSchema(text: string, timeLimit = defaultTimeLimit): ValidateRows {
  const validate = compiled(text);
  const validateRows: ValidateRows = (rows) => {
    const places: (string | undefined)[] = [];
    withinTime(timeLimit, () => {
      for (const row of rows) {
        places.push(validate(row));
      }
    });
    return places;
  };
  const trial = validateRows([{}]);
  if (trial[0] === endless) {
    throw new Error(tooDeep);
  }
  // A schema of 2 kB can refer to its parts so often that it would take for ever.
  if (trial.length === 0) {
    throw new Error(
      "cannot be validated in time: its references to other parts multiply, or a pattern repeats repetitions",
    );
  }
  return validateRows;
}

function compiled(text: string): (row: Row) => string | undefined {
  const schema = parsed(text);
  const AjvOfDraft = /draft-07/.test(String(schema.$schema)) ? Ajv : Ajv2020;
  const ajv = addFormats(new AjvOfDraft(options));
  try {
    const validate = ajv.compile(schema);
    return (row) => {
      try {
        return validate(row) ? undefined : (validate.errors?.[0]?.schemaPath ?? "#");
      } catch {
        return endless;
      }
    };
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error(tooDeep);
    }
    const [problem] = ajv.errors ?? [];
    throw new Error(
      problem === undefined
        ? `cannot be used: ${messageOf(error)}`
        : `is not valid at "#${problem.instancePath}": ${problem.message}`,
    );
  }
}

const endless = "a part that refers to itself without end";
const tooDeep = "is nested too deeply, or refers to itself without end";

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

function parsed(text: string): Record<string, unknown> {
  if (Buffer.byteLength(text) > longestSchema) {
    throw new Error(`has ${Buffer.byteLength(text)} bytes; at most ${longestSchema} are allowed`);
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new Error(`is not valid JSON: ${messageOf(error)}`);
  }
  if (!isRecord(schema) || schema.$async !== undefined) {
    throw new Error("is not a JSON object, or has $async");
  }
  return schema;
}

const globals: { work?: () => void } = {};
const context = createContext(globals);
const script = new Script("work()");

/** Work that does not end by itself, such as a regular expression that backtracks, would block the process for ever. */
function withinTime(milliseconds: number, work: () => void): void {
  globals.work = work;
  try {
    script.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw error;
    }
  }
}
