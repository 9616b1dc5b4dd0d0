import { counted } from "../../../resources/values";
import type { Comparison, FieldComparison } from "../comparison";
import type { Key, KeyedRows } from "../keyedRows";
import type { Part, Report } from "../report";
import { changedCells, figuresTable } from "../report";
import type { Markup } from "./html";
import { bar, foreignText, html, list, pageOf, searchTable, shown } from "./html";

/** The page of `--html`: what the report has, bars of the filled shares, and the rows that differ. */
export function comparisonPage(comparison: Comparison, { failures, lines }: Report, withValues: boolean): string {
  const { keyed } = comparison;
  const failed =
    failures.length === 0
      ? html``
      : html`<section class="failed" aria-labelledby="failed"><h2 id="failed">Failed conditions</h2>${list(failures)}</section>`;
  const rows = keyed?.changes === undefined ? html`` : rowsSection(keyed, keyed.changes);
  return pageOf(
    "Compared rows",
    html`<h1>Compared rows</h1>
${failed}
${list(lines)}
${withValues ? html`` : html`<p class="quiet">Values of rows are not shown.</p>`}
<h2>Fields</h2>
<p class="quiet">Bars are shares of filled rows: base above, head below.</p>
${fieldsTable(comparison, withValues)}
${rows}`,
  );
}

function fieldsTable(comparison: Comparison, withValues: boolean): Markup {
  const { fields, keyed } = comparison;
  const { titles, rows } = figuresTable(comparison, withValues);
  const [name = "", filled = "", ...others] = titles;
  return searchTable({
    id: "fields",
    caption: `Fields, changed ones first`,
    titles: [name, filled, ...(keyed === undefined ? [] : ["changed rows"]), ...others],
    rows: fields.map((field, index) => {
      const [nameCell = "", filledCell = "", ...otherCells] = rows[index] ?? [];
      const changed = keyed === undefined ? [] : [html`${field.only === undefined ? String(field.changed) : ""}`];
      return [shown(nameCell), filledBars(field, filledCell), ...changed, ...otherCells.map(shown)];
    }),
  });
}

function filledBars({ only, filled }: FieldComparison, figures: Part): Markup {
  return html`<div class="filled">${only === "head" ? html`` : bar(filled.base, "base")}${only === "base" ? html`` : bar(filled.head, "head")}${shown(figures)}</div>`;
}

function keyCell(key: Key): Markup {
  return html`${key.map((value, index) => html`${index === 0 ? "" : ", "}${foreignText(value)}`)}`;
}

function rowsSection({ changed, added, removed }: KeyedRows, changes: NonNullable<KeyedRows["changes"]>): Markup {
  const shares = [
    { what: "changed", found: new Set(changes.map(({ key }) => JSON.stringify(key))).size, of: changed },
    { what: "added", found: added.keys.length, of: added.rows },
    { what: "removed", found: removed.keys.length, of: removed.rows },
  ];
  const cut = shares.filter(({ found, of }) => found < of);
  const note = cut.map(({ what, found, of }) => `${found} of ${counted(of, `${what} row`)}`).join(", ");
  const keyLine = (key: Key, what: string): Markup[] => [keyCell(key), html`${what}`, html``, html``, html``];
  const lines = [
    ...removed.keys.map((key) => keyLine(key, "removed")),
    ...changes.map(({ key, field, old, now }) => [
      ...[keyCell(key), html`changed`, foreignText(field)],
      ...changedCells(old, now).map(shown),
    ]),
    ...added.keys.map((key) => keyLine(key, "added")),
  ];
  return html`<h2>Rows</h2>
${cut.length === 0 ? html`` : html`<p class="quiet">Only the first ones by their keys: ${note}.</p>`}
${lines.length === 0 ? html`<p>No row differs.</p>` : searchTable({ id: "rows", caption: "Rows that differ", titles: ["key", "row", "field", "base", "head"], rows: lines })}`;
}
