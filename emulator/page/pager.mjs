import { h } from "./dom.mjs";
import { withFields } from "./forms.mjs";
import { linkTo } from "./route.mjs";

/**
 * Links to the previous and the next part of a list that the emulator pages, and a field to jump to an item. A list of one part has its number
 * of items only.
 *
 * @param {{
 *   path: readonly string[],
 *   query?: Record<string, string | number | undefined>,
 *   label: string,
 *   offset: number,
 *   shown: number,
 *   total: number,
 *   limit: number,
 * }} options
 */
export function pager({ path, query = {}, label, offset, shown, total, limit }) {
  if (total <= limit && offset === 0) return total > 0 && h("p", { class: "count" }, amount(total, label));
  const to = (/** @type {number} */ start) => linkTo(path, { ...query, offset: Math.max(0, start) });
  const range =
    shown === 0
      ? `none of ${formatted(total)}`
      : `${formatted(offset + 1)} to ${formatted(offset + shown)} of ${formatted(total)}`;
  const hasMore = offset + shown < total && shown > 0;
  return h(
    "nav",
    { class: "pager", "aria-label": `Parts of the list of ${label}` },
    h("span", {}, `${capitalized(label)} ${range}`),
    turn("First", offset > 0 ? to(0) : undefined),
    turn("Previous", offset > 0 ? to(offset - limit) : undefined),
    turn("Next", hasMore ? to(offset + shown) : undefined),
    turn("Last", hasMore ? to(Math.floor((total - 1) / limit) * limit) : undefined),
    total > limit && jump(label, total, to),
  );
}

/**
 * @param {string} name
 * @param {string | undefined} href
 */
function turn(name, href) {
  return h("a", href === undefined ? { "aria-disabled": "true", role: "link" } : { href }, name);
}

/**
 * @param {string} label
 * @param {number} total
 * @param {(start: number) => string} to
 */
function jump(label, total, to) {
  return h(
    "form",
    {
      onsubmit: withFields((fields) => {
        const number = Number(fields.get("number"));
        if (number >= 1) location.hash = to(Math.min(Math.floor(number), total) - 1);
      }),
    },
    h("label", {}, "Number ", h("input", { name: "number", type: "number", min: 1, max: total, required: true })),
    h("button", {}, "Go", h("span", { class: "hidden" }, ` to this number in the list of ${label}`)),
  );
}

/**
 * @param {number} number
 * @param {string} things a noun in the plural
 */
export function amount(number, things) {
  return `${formatted(number)} ${number === 1 ? things.slice(0, -1) : things}`;
}

/** @param {number} number */
export function formatted(number) {
  return number.toLocaleString("en-US");
}

/** @param {string} text */
function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
