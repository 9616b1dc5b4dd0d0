import { RowFields } from "../../../service/rows/rowFields";
import type { RowPage } from "../../../service/rows/rowPage";
import type { CheckedRows, FailedCheck, RowStep } from "./checkedRows";
import { percent, RowsRefused } from "./checkedRows";
import { FieldChecker } from "./fieldChecker";
import type { RowChecks } from "./rowChecks";
import type { SchemaChecker } from "./rowSchema";
import { TimeLimit } from "./timeLimit";

/** A few pages take milliseconds. */
const defaultTimeLimit = 5000;

/** So many bytes of rows are matched and validated at once, because Node.js starts a thread for each time limit. */
const mostHeldBytes = 2 * 1024 * 1024;

interface Options {
  checks: RowChecks;
  /** The schema of `checks`. */
  schema?: SchemaChecker;
  /** Number of rows in the last export that passed. */
  lastPassed?: number;
  /** Milliseconds for the checks of a few pages. */
  timeLimit?: number;
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
  private readonly timeLimit: number;
  private limit: TimeLimit | undefined;
  /** What the parts that can take forever get of the last rows. */
  private readonly held = new Map<RowStep<unknown>, unknown[]>();
  private heldRows = 0;
  private heldBytes = 0;

  constructor({ checks, schema, lastPassed, timeLimit = defaultTimeLimit }: Options) {
    this.checks = checks;
    this.lastPassed = lastPassed;
    this.fields = Object.entries(checks.fields ?? {}).map(([name, field]) => new FieldChecker(name, field));
    this.schema = schema;
    this.wanted = this.fields.length === 0 ? undefined : new RowFields(this.fields.map(({ name }) => name));
    this.timeLimit = timeLimit;
  }

  /** Whether rows that do not pass are refused. */
  get refuses(): boolean {
    return this.checks.onFail !== "warn";
  }

  add(page: Pick<RowPage, "count" | "columns" | "byteLength" | "objects">): void {
    const { fields, schema, rows } = this;
    if (fields.length > 0 && page.count > 0) {
      const columns = page.columns();
      for (const [index, field] of fields.entries()) {
        const values = columns[index] ?? [];
        field.add(values, rows);
        if (field.pattern !== undefined) {
          this.hold(field.pattern, values);
        }
      }
    }
    if (schema !== undefined) {
      this.hold(schema, page.objects());
    }
    this.rows += page.count;
    if (this.held.size > 0) {
      this.heldRows += page.count;
      this.heldBytes += page.byteLength;
    }
    if (this.heldBytes >= mostHeldBytes) {
      this.addHeld();
    }
  }

  private hold(step: RowStep<unknown>, values: readonly unknown[]): void {
    const held = this.held.get(step) ?? [];
    for (const value of values) {
      held.push(value);
    }
    this.held.set(step, held);
  }

  private addHeld(): void {
    for (const [step, values] of this.held) {
      this.addAll(step, values, this.rows - this.heldRows);
    }
    this.held.clear();
    this.heldRows = 0;
    this.heldBytes = 0;
  }

  /** The checks that the rows did not pass, in the order of the arguments. */
  failed(): FailedCheck[] {
    this.addHeld();
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

  /**
   * A step that runs out of time is tried once more at the same row. A computer that was asleep, or that gave the process no time, must not look
   * like a pattern that takes forever.
   * @param before number of rows before these
   */
  private addAll(step: RowStep<unknown>, values: readonly unknown[], before: number): void {
    this.limit ??= new TimeLimit(this.timeLimit);
    let done = 0;
    const goOn = (): void => {
      for (; done < values.length; done++) {
        step.add(values[done], before + done + 1);
      }
    };
    for (let doneBefore = -1; !this.limit.run(goOn); doneBefore = done) {
      if (done === doneBefore) {
        step.stop(before + done + 1);
      }
    }
  }
}
