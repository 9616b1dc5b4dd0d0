import { RowFields } from "../../../service/rows/rowFields";
import type { RowPage } from "../../../service/rows/rowPage";
import type { CheckedRows, FailedCheck } from "./checkedRows";
import { percent, RowsRefused } from "./checkedRows";
import { FieldChecker } from "./fieldChecker";
import type { RowChecks } from "./rowChecks";
import type { SchemaChecker } from "./rowSchema";

interface Options {
  checks: RowChecks;
  /** The schema of `checks`. */
  schema?: SchemaChecker;
  /** Number of rows in the last export that passed. */
  lastPassed?: number;
}

/** Checks rows page by page. Its memory does not grow with the rows, but for the hashes of values that must be unique. */
export class RowChecker {
  /** The fields whose values the pages must have. Absent: no field is checked. */
  readonly wanted: RowFields | undefined;
  private rows = 0;
  private readonly checks: RowChecks;
  private readonly lastPassed: number | undefined;
  private readonly fields: readonly FieldChecker[];
  private readonly schema: SchemaChecker | undefined;

  constructor({ checks, schema, lastPassed }: Options) {
    this.checks = checks;
    this.lastPassed = lastPassed;
    this.fields = Object.entries(checks.fields ?? {}).map(([name, field]) => new FieldChecker(name, field));
    this.schema = schema;
    this.wanted = this.fields.length === 0 ? undefined : new RowFields(this.fields.map(({ name }) => name));
  }

  /** Whether rows that do not pass are refused. */
  get refuses(): boolean {
    return this.checks.onFail !== "warn";
  }

  add(page: Pick<RowPage, "count" | "columns" | "objects">): void {
    const { fields, schema, rows } = this;
    if (fields.length > 0 && page.count > 0) {
      const columns = page.columns();
      for (const [index, field] of fields.entries()) {
        field.add(columns[index] ?? [], rows);
      }
    }
    schema?.add(page.objects(), rows);
    this.rows += page.count;
  }

  /** The checks that the rows did not pass, in the order of the arguments. */
  failed(): FailedCheck[] {
    const { minRows, maxRows, maxDrop } = this.checks;
    const { rows, lastPassed = 0 } = this;
    const drop = (lastPassed - rows) / lastPassed;
    return [
      ...(minRows !== undefined && rows < minRows
        ? [{ check: "minRows", reason: `there are ${rows} rows; at least ${minRows} are required` }]
        : []),
      ...(maxRows !== undefined && rows > maxRows
        ? [{ check: "maxRows", reason: `there are ${rows} rows; at most ${maxRows} are allowed` }]
        : []),
      ...(maxDrop !== undefined && drop > maxDrop
        ? [
            {
              check: "maxDrop",
              reason: `there are ${rows} rows, ${percent(drop)} fewer than the ${lastPassed} of the last export that passed; at most ${percent(maxDrop)} fewer are allowed`,
            },
          ]
        : []),
      ...this.fields.flatMap((field) => field.failed(rows, () => this.wanted?.names ?? [])),
      ...(this.schema?.failed(rows) ?? []),
    ];
  }

  figures(failed: readonly FailedCheck[]): CheckedRows {
    const { rows, fields, schema, lastPassed } = this;
    return {
      rows,
      failed: [...new Set(failed.map(({ check }) => check))],
      ...(fields.length > 0 && { fields: Object.fromEntries(fields.map((each) => [each.name, each.figures(rows)])) }),
      ...(schema !== undefined && { invalid: schema.invalidRows }),
      ...(lastPassed !== undefined && { lastPassed }),
    };
  }

  /** @throws RowsRefused if the rows read so far are refused */
  requirePassed(): void {
    const failed = this.refuses ? this.failed() : [];
    if (failed.length > 0) {
      throw new RowsRefused(failed);
    }
  }
}
