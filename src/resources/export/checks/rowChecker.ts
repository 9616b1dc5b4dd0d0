import type { RowPage } from "../../../service/rows/rowPage";
import type { CheckedRows, FailedCheck, RowStep } from "./checkedRows";
import { percent, RowsRefused } from "./checkedRows";
import { FieldChecker } from "./fieldChecker";
import { FieldReader } from "./fieldReader";
import type { RowChecks } from "./rowChecks";
import type { SchemaChecker } from "./rowSchema";
import { TimeLimit } from "./timeLimit";

/** A page takes milliseconds. */
const defaultTimeLimit = 5000;

interface Options {
  checks: RowChecks;
  /** The schema of `checks`. */
  schema?: SchemaChecker;
  /** Number of rows in the last export that passed. */
  lastPassed?: number;
  /** Milliseconds for the checks of one page. */
  timeLimit?: number;
}

/** Checks rows page by page. Its memory does not grow with the rows, but for the digests of values that must be unique. */
export class RowChecker {
  private rows = 0;
  private readonly checks: RowChecks;
  private readonly lastPassed: number | undefined;
  private readonly fields: readonly FieldChecker[];
  private readonly schema: SchemaChecker | undefined;
  private readonly reader: FieldReader;
  private readonly limit: TimeLimit | undefined;

  constructor({ checks, schema, lastPassed, timeLimit = defaultTimeLimit }: Options) {
    this.checks = checks;
    this.lastPassed = lastPassed;
    this.fields = Object.entries(checks.fields ?? {}).map(([name, field]) => new FieldChecker(name, field));
    this.schema = schema;
    this.reader = new FieldReader(this.fields.map(({ name }) => name));
    const mayNotEnd = schema !== undefined || this.fields.some((field) => field.mayNotEnd);
    this.limit = mayNotEnd ? new TimeLimit(timeLimit) : undefined;
  }

  /** Whether rows that do not pass are refused. */
  get refuses(): boolean {
    return this.checks.onFail !== "warn";
  }

  add(page: Pick<RowPage, "count" | "ndjson" | "objects">): void {
    if (this.fields.length > 0 && page.count > 0) {
      const columns = this.reader.read(page.ndjson(), page.count);
      for (const [index, field] of this.fields.entries()) {
        this.addAll(field, columns[index] ?? []);
      }
    }
    if (this.schema !== undefined) {
      this.addAll(this.schema, page.objects());
    }
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
      ...this.fields.flatMap((field) => field.failed(rows, () => [...this.reader.names])),
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

  /**
   * A step that runs out of time is tried once more at the same row. A computer that was asleep, or that gave the process no time, must not look
   * like a pattern that takes forever.
   */
  private addAll<Value>(step: RowStep<Value>, values: readonly Value[]): void {
    let done = 0;
    const goOn = (): void => {
      for (; done < values.length; done++) {
        step.add(values[done] as Value, this.rows + done + 1);
      }
    };
    if (this.limit === undefined || !step.mayNotEnd) {
      goOn();
      return;
    }
    for (let before = -1; !this.limit.run(goOn); before = done) {
      if (done === before) {
        step.stop(this.rows + done + 1);
      }
    }
  }
}
