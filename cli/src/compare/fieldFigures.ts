import type { Database, Value } from "./database";
import type { Layout } from "./layout";

/** What the values of a field are, in one side. */
export interface FieldFigures {
  /** Rows with a value that is not blank. */
  filled: number;
  /** Different values that are not blank. */
  distinct: number;
  /** Rows by the kind of their value. The empty ones are the other rows. */
  types: Readonly<Record<ValueKind, number>>;
  /** Length of the shortest and the longest value in characters. Undefined without values. */
  shortest?: number;
  longest?: number;
  /** The most frequent values, cut, with their numbers of rows. */
  frequent: readonly { value: string; rows: number }[];
}

export type ValueKind = "number" | "date" | "url" | "other";

interface FiguresOptions {
  layout: Layout;
  /** All fields of the side if its layout has columns, otherwise those that it has even if no row has them. */
  named: readonly string[];
  /** Whether the side has few bytes. */
  isSmall: boolean;
}

/** Characters of a value that a report can show. More are read, so that half of a secret is not shown. */
export const mostShown = 1_000;
const mostFrequent = 3;

/** White space as JavaScript and the checks of a DataExport see it. */
const blank = "[\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]*";

/** Whether a value is missing, null or blank: not `filled`, in the words of `checks`. */
export function isBlank(column: string): string {
  return `(${column} IS NULL OR (${column}[1] <= ' ' OR ${column}[1] > '~') AND regexp_full_match(${column}, '${blank}'))`;
}

/** A name in a result. Not as it is, because the library drops a byte order mark at its begin. */
export function name(column: string): string {
  return `'=' || ${column}`;
}

export function nameOf(value: Value | undefined): string {
  return String(value).slice(1);
}

const number = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
/** RFC 3339, as the checks of a DataExport. */
const date =
  "\\d{4}-\\d\\d-\\d\\d(?:[tT](?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[zZ]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?";
const url = "(?i)https?://[^\\s/?#]\\S*";

/** The columns of `SELECT v, count(*) AS n`, grouped by value: the regular expressions see each value once. */
const kindOf = `CASE
  WHEN ${isBlank("v")} THEN 0
  WHEN regexp_full_match(v, '${number}') THEN 1
  WHEN v[1] BETWEEN '0' AND '9' AND regexp_full_match(v, '${date}') AND TRY_CAST(left(v, 10) AS DATE) IS NOT NULL THEN 2
  WHEN v[1] IN ('h', 'H') AND regexp_full_match(v, '${url}') THEN 3
  ELSE 4 END`;

/** The figures of the fields of a side by their names. */
export async function fieldFigures(
  database: Database,
  side: "base" | "head",
  { layout, named, isSmall }: FiguresOptions,
): Promise<Map<string, FieldFigures>> {
  const figures = new Map(named.map((field): [string, FieldFigures] => [field, noFigures]));
  const queries = layout.counted(side, named);
  // DuckDB takes milliseconds to prepare these expressions. It prepares them once for all fields if the values are
  // materialized. That takes memory, so the fields of a large side have a statement each.
  const all =
    isSmall && queries.length > 1
      ? [`MATERIALIZED (${queries.join(" UNION ALL ")})`]
      : queries.map((query) => `(${query})`);
  for (const counted of all) {
    const rows = await database.rows(`
      WITH counted AS ${counted},
      kinds AS (SELECT field, v, n, ${kindOf} AS kind FROM counted)
      SELECT
        ${name("field")}, coalesce(sum(n) FILTER (kind > 0), 0), count(*) FILTER (kind > 0),
        sum(n) FILTER (kind = 1), sum(n) FILTER (kind = 2), sum(n) FILTER (kind = 3), sum(n) FILTER (kind = 4),
        min(length(v)) FILTER (kind > 0), max(length(v)) FILTER (kind > 0),
        min({'before': -n, 'value': left(v, ${mostShown})}, ${mostFrequent}) FILTER (kind > 0)
      FROM kinds GROUP BY field ORDER BY field`);
    for (const [field, ...values] of rows) {
      figures.set(nameOf(field), figuresIn(values));
    }
  }
  return figures;
}

function figuresIn(row: readonly Value[]): FieldFigures {
  const [filled, distinct, numbers, dates, urls, others, shortest, longest, frequent] = row;
  return {
    filled: Number(filled),
    distinct: Number(distinct),
    types: { number: Number(numbers), date: Number(dates), url: Number(urls), other: Number(others) },
    ...(shortest !== null && { shortest: Number(shortest), longest: Number(longest) }),
    frequent: ((frequent ?? []) as { before: Value; value: Value }[]).map(({ before, value }) => ({
      value: String(value),
      rows: -Number(before),
    })),
  };
}

/** Of a field that a side does not have, or that has no value there. */
export const noFigures: FieldFigures = {
  filled: 0,
  distinct: 0,
  types: { number: 0, date: 0, url: 0, other: 0 },
  frequent: [],
};
