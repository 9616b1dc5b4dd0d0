import { shownValue } from "../cells.mjs";
import { facts, h, table } from "../dom.mjs";
import { formatted, pager } from "../pager.mjs";
import { linkTo, numberOf } from "../route.mjs";
import { concernsRun, runNavigation } from "./run.mjs";

/** @import { View } from "../main.mjs" */

const limit = 50;

/** More columns make a table that nobody can read. The view of one row shows all of its fields. */
const mostColumns = 30;
const mostFields = 2_000;

/** @type {View} */
export const rows = {
  title: ({ path: [, lotNo] }) => `Rows of run ${lotNo}`,
  concerns: concernsRun,
  load: ({ route, read }) => read(`runs/${route.path[1]}/rows`, { offset: numberOf(route, "offset"), limit }),
  render({ total, offset, rows: found }, route) {
    const lotNo = route.path[1] ?? "";
    const names = [...new Set(found.flatMap((/** @type {any} */ { row }) => Object.keys(row)))];
    const columns = names.slice(0, mostColumns);
    const hidden = names.length - columns.length;
    return [
      runNavigation(route),
      pager({ path: ["runs", lotNo, "rows"], label: "rows", offset, shown: found.length, total, limit }),
      hidden > 0 &&
        h(
          "p",
          {},
          `The table has ${columns.length} of ${formatted(names.length)} fields. A row's number leads to all of them.`,
        ),
      table({
        name: `Rows of ${lotNo}`,
        class: "rows",
        head: ["Number", "Exported", ...columns.map((name) => h("bdi", {}, name))],
        empty: "The run has no rows yet.",
        rows: found.map((/** @type {any} */ { row, exported }, /** @type {number} */ index) => {
          const number = offset + index + 1;
          return h(
            "tr",
            {},
            h("th", { scope: "row", class: "number" }, rowLink(lotNo, number, formatted(number))),
            h("td", {}, exported ? "yes" : "no"),
            columns.map((name) => h("td", {}, shownValue(own(row, name)))),
          );
        }),
      }),
    ];
  },
};

/** @type {View} */
export const row = {
  title: ({ path: [, lotNo, , number] }) => `Row ${number} of run ${lotNo}`,
  concerns: concernsRun,
  load: ({ route, read }) =>
    read(`runs/${route.path[1]}/rows`, { offset: Math.max(0, Number(route.path[3]) - 1 || 0), limit: 1 }),
  render({ total, rows: [found] }, route) {
    const [, lotNo = "", , number] = route.path;
    if (found === undefined) return [runNavigation(route), h("p", {}, `The run has ${formatted(total)} rows.`)];
    const fields = Object.entries(found.row);
    const at = Number(number);
    return [
      runNavigation(route),
      h(
        "nav",
        { class: "pager", "aria-label": "Rows beside this one" },
        h("span", {}, `Row ${formatted(at)} of ${formatted(total)}`),
        at > 1 && rowLink(lotNo, at - 1, "Previous"),
        at < total && rowLink(lotNo, at + 1, "Next"),
      ),
      facts([["Exported", found.exported ? "yes" : "no"]]),
      fields.length > mostFields &&
        h("p", {}, `The first ${formatted(mostFields)} of ${formatted(fields.length)} fields.`),
      table({
        name: "Fields",
        class: "fields",
        head: ["Field", "Value"],
        rows: fields
          .slice(0, mostFields)
          .map(([name, value]) =>
            h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), h("td", {}, shownValue(value, { whole: true }))),
          ),
      }),
    ];
  },
};

/**
 * @param {string} lotNo
 * @param {number} number from 1
 * @param {string} text
 */
function rowLink(lotNo, number, text) {
  return h("a", { href: linkTo(["runs", lotNo, "rows", String(number)]) }, text);
}

/**
 * A field of the row itself: a row without a field `constructor` has none.
 *
 * @param {Record<string, unknown>} values
 * @param {string} name
 */
function own(values, name) {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
