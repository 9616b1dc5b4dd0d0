import { h } from "./dom.mjs";
import { choice, withFields } from "./forms.mjs";
import { linkTo } from "./route.mjs";

/**
 * A field of a filter: a choice if it has values, otherwise a text or a number.
 *
 * @typedef {{ name: string, label: string, values?: readonly string[], type?: "search" | "number" }} Field
 */

/**
 * The part of a query that the fields of a filter have.
 *
 * @param {URLSearchParams} query
 * @param {readonly Field[]} fields
 * @returns {Record<string, string>}
 */
export function filterOf(query, fields) {
  return Object.fromEntries(fields.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? ""]] : [])));
}

/**
 * A form that leads to the same view with another filter.
 *
 * @param {readonly string[]} path
 * @param {Record<string, string>} filter
 * @param {readonly Field[]} fields
 */
export function filterForm(path, filter, fields) {
  return h(
    "form",
    {
      role: "search",
      onsubmit: withFields((given) => {
        const wanted = [...given].map(([name, value]) => [name, String(value).trim()]);
        location.hash = linkTo(path, Object.fromEntries(wanted));
      }),
    },
    fields.map((field) => h("label", {}, field.label, control(field, filter[field.name] ?? ""))),
    h("button", {}, "Filter"),
    Object.keys(filter).length > 0 && h("a", { href: linkTo(path) }, "Show all"),
  );
}

/**
 * @param {Field} field
 * @param {string} value
 */
function control({ name, values, type = "search" }, value) {
  return values === undefined
    ? h("input", { name, value, type, min: type === "number" && 0 })
    : choice({ name, value }, ["", ...values], { "": "any" });
}
