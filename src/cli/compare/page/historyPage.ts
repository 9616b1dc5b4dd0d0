import { counted } from "../../../resources/values";
import type { History } from "../history/history";
import type { Report } from "../report";
import { share } from "../report";
import type { Markup } from "./html";
import { foreignText, html, list, pageOf, searchTable, shown } from "./html";
import { linePlot, sparkline } from "./plot";

interface FieldLine {
  name: string;
  /** Undefined where the file has no rows, and 0 where it lacks the field. */
  values: (number | undefined)[];
  range: number;
}

const mostLines = 8;
const mostFields = 500;
const leastRange = 0.001;

/** The page of `--history`: rows and filled shares over the files. */
export function historyPage(history: History, { lines, tables }: Report): string {
  const { files } = history;
  const names = files.map(({ name }) => baseName(name));
  const rows = files.map((file) => file.rows);
  const fields = fieldLines(history);
  const changing = fields.filter(({ range }) => range >= leastRange);
  const plotted = changing.slice(0, mostLines);
  const [table] = tables;
  return pageOf(
    "Rows over time",
    html`<h1>Rows over time</h1>
<p>${counted(files.length, "file")}, oldest first, with ${counted(fields.length, "field")}.</p>
${list(lines)}
<h2>Rows</h2>
${linePlot({ title: "Rows of each file", series: [{ name: "rows", values: rows }], names, most: niceMost(rows.reduce((most, each) => Math.max(most, each), 0)), describe: (value) => String(Number(value.toFixed(1))) })}
<h2>Filled shares</h2>
${plotted.length === 0 ? html`<p>No field has another filled share in a later file.</p>` : linePlot({ title: "Filled shares of the fields that change most", series: plotted, names, most: 1, describe: share })}
${changing.length > plotted.length ? html`<p class="quiet">These are the ${plotted.length} fields whose filled share changes most, of ${changing.length}. The table has the others.</p>` : html``}
${fieldsTable(fields, history)}
<h2>Files</h2>
${table === undefined ? html`` : searchTable({ id: "files", caption: "Files, oldest first", titles: table.titles, rows: table.rows.map((row) => row.map(shown)) })}`,
  );
}

function fieldsTable(fields: readonly FieldLine[], { files }: History): Markup {
  const shownFields = fields.slice(0, mostFields);
  const left = fields.length - shownFields.length;
  return html`${searchTable({
    id: "fields",
    caption: "Filled shares of each field, the most changed ones first",
    titles: ["field", "over time", "first", "last", "least", "empty since"],
    rows: shownFields.map(({ name, values }) => {
      const known = values.filter((value) => value !== undefined);
      const [first = 0, last = 0] = [known[0], known.at(-1)];
      const since = emptySince(values);
      return [
        ...[foreignText(name), sparkline(values), html`${share(first)}`, html`${share(last)}`],
        html`${share(known.length === 0 ? 0 : known.reduce((least, value) => Math.min(least, value)))}`,
        since === undefined ? html`` : foreignText(files[since]?.name ?? ""),
      ];
    }),
  })}${left === 0 ? html`` : html`<p class="quiet">${left} more fields, which change less, are left out.</p>`}`;
}

/** Fields in the order of how much their shares differ. */
function fieldLines({ files, fields }: History): FieldLine[] {
  const lines = fields.map((name): FieldLine => {
    const values = files.map(({ rows, filled }) => (rows === 0 ? undefined : (filled.get(name) ?? 0)));
    const known = values.filter((value) => value !== undefined);
    const [least, most] = [
      known.reduce((one, other) => Math.min(one, other), 1),
      known.reduce((one, other) => Math.max(one, other), 0),
    ];
    return { name, values, range: Math.max(0, most - least) };
  });
  return lines.sort((one, other) => other.range - one.range);
}

/** The first of the last files in which the field is empty, if an earlier one has values. */
function emptySince(values: readonly (number | undefined)[]): number | undefined {
  const last = values.findLastIndex((value) => value !== undefined && value > 0);
  const since = values.findIndex((value, index) => index > last && value === 0);
  return last < 0 || since < 0 ? undefined : since;
}

/** The top of an axis: 1, 2 or 5 and zeros. */
function niceMost(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value) ?? value;
}

function baseName(name: string): string {
  return name.split(/[/\\]/).at(-1) || name;
}
