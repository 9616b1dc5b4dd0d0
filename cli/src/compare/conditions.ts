import { InvalidArgumentError } from "commander";
import type { Comparison } from "./comparison";

/** A condition of `--fail-on`: it fails where what it measures is beyond the limit. */
export interface Condition {
  /** As the user wrote it. */
  readonly text: string;
  readonly subject: "rows" | "filled" | "added" | "removed" | "changed" | "fields-gone";
  /** Only of `filled`. */
  readonly field?: string;
  readonly isBelow: boolean;
  readonly limit: number;
  readonly isPercent: boolean;
}

/** A condition that does not hold. */
export interface Failure {
  readonly condition: string;
  /** What was found, such as `-20%`. */
  readonly found: string;
}

/** One of each kind. */
export const exampleConditions = [
  "rows<-10%",
  "filled:price<-5%",
  "added>0",
  "removed>5%",
  "changed>20%",
  "fields-gone",
];

/** @throws InvalidArgumentError */
export function conditionOf(text: string): Condition {
  if (text === "fields-gone") {
    return { text, subject: text, isBelow: false, limit: 0, isPercent: false };
  }
  const [, subject, field, sign, plusOrMinus, number, percent] =
    /^(?:(rows|added|removed|changed)|filled:(.+))([<>])([+-]?)(\d{1,9}(?:\.\d{1,9})?)(%?)$/su.exec(text) ?? [];
  const isPercent = percent === "%";
  const isChange = subject === undefined || subject === "rows";
  if (number === undefined || (isChange ? !isPercent : plusOrMinus !== "")) {
    throw new InvalidArgumentError(
      `It must be like ${exampleConditions.join(", ")}: < or >, and a number; rows and filled need %, and are changes with a sign.`,
    );
  }
  const what = { text, isBelow: sign === "<", limit: Number(`${plusOrMinus}${number}`), isPercent };
  return field === undefined
    ? { ...what, subject: subject as Condition["subject"] }
    : { ...what, subject: "filled", field };
}

/** Collects the values of an option that can be given several times. */
export function addCondition(text: string, before: Condition[] = []): Condition[] {
  return [...before, conditionOf(text)];
}

export function needsKey({ subject }: Condition): boolean {
  return subject === "added" || subject === "removed" || subject === "changed";
}

/** The fields that conditions name. */
export function fieldsOf(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((each) => (each.subject === "filled" && each.field !== undefined ? [each.field] : []));
}

/** The conditions that do not hold, in their order. */
export function failuresOf(conditions: readonly Condition[], comparison: Comparison): Failure[] {
  const gone = comparison.fields.filter(({ only }) => only === "base").map(({ name }) => name);
  return conditions.flatMap((condition): Failure[] => {
    const { text, subject, isBelow, limit, isPercent } = condition;
    if (needsKey(condition) && comparesNothing(comparison)) {
      return [{ condition: text, found: "no row could be compared" }];
    }
    const found = subject === "fields-gone" ? gone.length : measured(condition, comparison);
    const fails = isBelow ? found < limit : found > limit;
    const shown = subject === "fields-gone" ? gone.join(", ") : describeNumber(found, limit, isPercent);
    return fails ? [{ condition: text, found: shown }] : [];
  });
}

/** Whether no row has a key of its own: no change would show. */
function comparesNothing({ base, head, keyed }: Comparison): boolean {
  const { added, removed, changed, unchanged } = keyed ?? {};
  return base.rows + head.rows > 0 && !added?.rows && !removed?.rows && !changed && !unchanged;
}

function measured({ subject, field, isPercent }: Condition, { base, head, keyed, fields }: Comparison): number {
  if (subject === "filled") {
    // Undefined if no side has any field.
    const found = fields.find(({ name }) => name === field);
    return found === undefined ? 0 : rounded((found.filled.head - found.filled.base) * 100);
  }
  if (subject === "rows") {
    return percentOf(head.rows - base.rows, base.rows);
  }
  const counts: Partial<Record<Condition["subject"], number>> = {
    added: keyed?.added.rows,
    removed: keyed?.removed.rows,
    changed: keyed?.changed,
  };
  const count = counts[subject] ?? 0;
  return isPercent ? percentOf(count, base.rows) : count;
}

/** Something in place of nothing is more than any limit. */
export function percentOf(count: number, of: number): number {
  return of === 0 ? (count === 0 ? 0 : Number.POSITIVE_INFINITY) : rounded((count / of) * 100);
}

/** Without the errors of binary fractions: 0.95 - 1 is not less than -5%. */
function rounded(number: number): number {
  return Number(number.toFixed(9));
}

function describeNumber(number: number, limit: number, isPercent: boolean): string {
  if (!isPercent) {
    return String(number);
  }
  // As many digits as tell it from the limit.
  const shown = [2, 3, 4, 5, 6, 7, 8, 9].map((digits) => Number(number.toFixed(digits)));
  return Number.isFinite(number) ? `${shown.find((each) => each !== limit) ?? number}%` : "BASE has no rows";
}
