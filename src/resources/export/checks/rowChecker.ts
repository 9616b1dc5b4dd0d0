import type { Row } from "../../../service/contract/types";
import type { RowPage } from "../../../service/rows/rowPage";
import type { CheckedRows, FailedCheck, RowStep } from "./checkedRows";
import { percent, RowsRefused } from "./checkedRows";
import { FieldChecker } from "./fieldChecker";
import type { RowChecks } from "./rowChecks";
import type { SchemaChecker } from "./rowSchema";
import { TimeLimit } from "./timeLimit";

/** A page takes milliseconds. */
const defaultTimeLimit = 5000;
/** The likely name of a field is searched among these. */
const mostNames = 200;

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
  private readonly steps: readonly RowStep[];
  private readonly limit: TimeLimit | undefined;
  private readonly names = new Set<string>();

  constructor({ checks, schema, lastPassed, timeLimit = defaultTimeLimit }: Options) {
    this.checks = checks;
    this.lastPassed = lastPassed;
    this.fields = Object.entries(checks.fields ?? {}).map(([name, field]) => new FieldChecker(name, field));
    this.schema = schema;
    this.steps = schema === undefined ? this.fields : [...this.fields, schema];
    this.limit = this.steps.some(({ mayNotEnd }) => mayNotEnd) ? new TimeLimit(timeLimit) : undefined;
  }

  /** Whether rows that do not pass are refused. */
  get refuses(): boolean {
    return this.checks.onFail !== "warn";
  }

  add(page: Pick<RowPage, "count" | "objects">): void {
    if (this.steps.length > 0 && page.count > 0) {
      const rows = page.objects();
      this.noteNames(rows[0]);
      this.addRows(rows);
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
      ...this.fields.flatMap((field) => field.failed(rows, () => [...this.names])),
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
  private addRows(rows: readonly Row[]): void {
    let done = 0;
    const goOn = (): void => {
      for (const all = rows.length * this.steps.length; done < all; done++) {
        const index = Math.floor(done / this.steps.length);
        this.steps[done % this.steps.length]?.add(rows[index] as Row, this.rows + index + 1);
      }
    };
    if (this.limit === undefined) {
      goOn();
      return;
    }
    for (let before = -1; !this.limit.run(goOn); before = done) {
      if (done === before) {
        this.steps[done % this.steps.length]?.stop(this.rows + Math.floor(done / this.steps.length) + 1);
      }
    }
  }

  /** Of the first row of each page: rows of one task have the same fields, or nearly. */
  private noteNames(row: Row | undefined): void {
    for (const name of Object.keys(row ?? {})) {
      if (this.names.size < mostNames) {
        this.names.add(name);
      }
    }
  }
}
