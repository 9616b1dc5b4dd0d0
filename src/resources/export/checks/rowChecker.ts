import type { CheckedRows, FailedCheck } from "../../../rows/checkedRows";
import { failedIf, percent, RowsRefused } from "../../../rows/checkedRows";
import type { Row } from "../../../service/contract/types";
import type { RowPage } from "../../../service/rows/rowPage";
import { entryOf } from "../../../values/plain";
import { FieldChecker } from "./fieldChecker";
import type { RowChecks } from "./rowChecks";
import type { SchemaChecker } from "./rowSchema";

interface Options {
  checks: RowChecks;
  /** The schema of `checks`. */
  schema?: SchemaChecker;
  /** Number of rows in the last export that passed. */
  lastPassed?: number;
  /** The filled shares of fields in the last file that was accepted. */
  lastFilled?: Readonly<Record<string, number>>;
}

/** Checks rows page by page. Its memory does not grow with the rows, but for values that must be unique. */
export class RowChecker {
  private rows = 0;
  /** The first row, for the names of its fields. */
  private first: Row | undefined;
  private readonly fields: readonly FieldChecker[];

  constructor(private readonly options: Options) {
    const { checks, lastFilled } = options;
    this.fields = Object.entries(checks.fields ?? {}).map(
      ([name, field]) => new FieldChecker(name, field, entryOf(lastFilled, name)),
    );
  }

  add(page: Pick<RowPage, "count" | "objects" | "texts">): void {
    if (this.fields.length > 0) {
      const objects = page.objects();
      this.first ??= objects[0];
      for (const checker of this.fields) {
        checker.add(objects, this.rows);
      }
    }
    // As other validators read them: an integer of many digits is a number, also in the schema.
    this.options.schema?.add(
      page.texts().map((text) => JSON.parse(text) as Row),
      this.rows,
    );
    this.rows += page.count;
  }

  /** The checks that the rows did not pass, in the order of the arguments. */
  failed(): FailedCheck[] {
    const { checks, schema, lastPassed = 0 } = this.options;
    const { minRows = 0, maxRows = Number.POSITIVE_INFINITY, maxDrop = 1 } = checks;
    const { rows } = this;
    const drop = (lastPassed - rows) / lastPassed;
    const fewer = `${percent(drop)} fewer than the ${lastPassed} of the last export that passed; at most ${percent(maxDrop)} fewer are allowed`;
    return [
      ...failedIf(rows < minRows, "minRows", `there are ${rows} rows; at least ${minRows} are required`),
      ...failedIf(rows > maxRows, "maxRows", `there are ${rows} rows; at most ${maxRows} are allowed`),
      ...failedIf(drop > maxDrop, "maxDrop", `there are ${rows} rows, ${fewer}`),
      ...this.fields.flatMap((field) => field.failed(rows, Object.keys(this.first ?? {}))),
      ...(schema?.failed(rows) ?? []),
    ];
  }

  figures(failed: readonly FailedCheck[]): CheckedRows {
    const { schema, lastPassed } = this.options;
    const { rows, fields } = this;
    return {
      rows,
      failed: [...new Set(failed.map(({ check }) => check))],
      ...(fields.length > 0 && { fields: Object.fromEntries(fields.map((each) => [each.name, each.figures(rows)])) }),
      ...(schema !== undefined && { invalid: schema.invalid.count }),
      ...(lastPassed !== undefined && { lastPassed }),
    };
  }

  /** @throws RowsRefused if the rows read so far are refused */
  requirePassed(): void {
    RowsRefused.throwIf(this.options.checks.onFail === "warn" ? [] : this.failed());
  }
}
