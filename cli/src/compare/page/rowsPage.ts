import { counted } from "../../../../src/values/words";
import type { Part, Report } from "../report";
import { foreign, share } from "../report";

/** Rows on a page. A browser searches and sorts them at once. */
export const mostOnPage = 10_000;

/** Characters of all values on a page: of wide rows, fewer are shown. */
const mostCharacters = 20_000_000;

interface ShownRows {
  /** What the rows are of, for people. */
  readonly of: string;
  /** The text of each value by its field, row by row. */
  readonly rows: readonly ReadonlyMap<string, string>[];
  readonly fields: readonly string[];
  /** Index of the first row in the service. */
  readonly offset: number;
  readonly total: number;
}

/** The first rows, and the share of them that has a value, for each field. */
export function rowsReport({ of, rows, fields, offset, total }: ShownRows): Report {
  const filled = (field: string): number => rows.filter((row) => /\S/.test(row.get(field) ?? "")).length;
  const lines: Part[][] = [];
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    const texts = fields.map((field) => row.get(field) ?? "");
    characters += texts.reduce((sum, text) => sum + text.length, 0);
    if (characters > mostCharacters) {
      break;
    }
    lines.push([String(offset + index + 1), ...texts.map(foreign)]);
  }
  const notShown = rows.length - lines.length;
  return {
    failures: [],
    lines: [[foreign(of)], [`${rows.length} of ${counted(total, "row")}, ${counted(fields.length, "field")}`]],
    tables: [
      {
        what: "fields",
        titles: ["field", "filled"],
        rows: fields.map((field) => {
          const head = rows.length === 0 ? 0 : filled(field) / rows.length;
          return [foreign(field), { text: share(head), bars: { head } }];
        }),
      },
      {
        what: "rows",
        note: notShown === 0 ? undefined : `${counted(notShown, "row")} more would make the page too large.`,
        titles: ["row", ...fields],
        rows: lines,
      },
    ],
  };
}
