import type { FieldType } from "../../../rows/formats/valueTypes";
import type { Problem } from "../../../values/kinds";
import { boolean, choice, filePath, integer, mapOf, share } from "../../../values/kinds";
import type { ArgsSpec } from "../../args";
import { object } from "../../args";

/** What the rows of an export must be like. All checks are optional. */
export interface RowChecks {
  /** The smallest number of rows. */
  minRows?: number;
  /** The largest number of rows. */
  maxRows?: number;
  /**
   * The largest drop in the number of rows since the last export that passed, as a share of its rows: `0.2` allows 80
   * rows after 100. A new `scope` has nothing to compare with.
   */
  maxDrop?: number;
  /**
   * Checks of fields, by their names. A field that no row has fails, unless its `filled` is 0; so each field fails if
   * there are no rows.
   */
  fields?: Record<string, FieldChecks>;
  /**
   * A file with a JSON Schema for one row, relative to the program's folder: draft 2020-12, or draft-07 if its
   * `$schema` says so.
   */
  schema?: string;
  /**
   * `fail`: the export fails. `warn`: the rows are exported, and a warning lists the checks that they did not pass.
   * @default "fail"
   */
  onFail?: "fail" | "warn";
}

/** What the values of a field must be like. All checks but `filled` ignore empty values. */
export interface FieldChecks {
  /** The smallest share of rows with a value: one that is not missing, null, or an empty or blank string. */
  filled?: number;
  /**
   * `number`: a number, or a string that is written like a number in JSON, such as `12.50`. `integer`: the same without
   * a fraction. `date`: as in JSON Schema, `2026-11-21` or `2026-11-21T08:30:00Z`. `url`: an absolute http or https
   * URL.
   */
  type?: FieldType;
  /**
   * Whether each value may occur only once. An export with more than 2,000,000 different values fails the check. Long
   * values are compared by 64 bits of their digests.
   * @default false
   */
  unique?: boolean;
}

export const rowChecks: ArgsSpec<RowChecks, "schemaSha256"> = {
  minRows: { kind: integer(0) },
  maxRows: { kind: integer(0) },
  maxDrop: { kind: share },
  fields: {
    kind: mapOf(
      object<FieldChecks>({
        filled: { kind: share },
        type: { kind: choice("number", "integer", "date", "url") },
        unique: { kind: boolean, default: false },
      }),
    ),
  },
  schema: { kind: filePath },
  schemaSha256: { derived: true },
  onFail: { kind: choice("fail", "warn"), default: "fail" },
};

/**
 * Adds problems that the description cannot express. Parts can be unknown.
 * @param maxRows the most rows that the export reads
 */
export function checkRowChecks(checks: RowChecks | undefined, maxRows: unknown, problems: Problem[]): void {
  const minRows = checks?.minRows;
  for (const [path, most] of Object.entries({ "checks.maxRows": checks?.maxRows, maxRows })) {
    if (typeof minRows === "number" && typeof most === "number" && minRows > most) {
      problems.push({ path: "checks.minRows", reason: `is greater than ${path}, so no export could pass` });
    }
  }
}
