import { h } from "./dom.mjs";
import { linkTo } from "./route.mjs";

/** @import { Child } from "./dom.mjs" */

/** The most characters of a value in a table. The view of one row shows more. */
const longestInTable = 500;

/** A longer value ends in an ellipsis. The whole value shows while it has the focus. */
const longestInLine = 40;

/** The most characters of a value in the view of one row. Longer text makes the browser slow. */
const longestAlone = 2_000_000;

/**
 * A value that a run extracted, or that a client sent. Only http and https become links, because other schemes can run scripts.
 *
 * @param {unknown} value
 * @param {{ whole?: boolean }} [options]
 * @returns {Child}
 */
export function shownValue(value, { whole = false } = {}) {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  if (text === "") return undefined;
  const longest = whole ? longestAlone : longestInTable;
  const shown =
    text.length > longest ? `${text.slice(0, longest)}… (${text.length.toLocaleString("en-US")} characters)` : text;
  const href = text.length <= 2_000 ? webAddress(text) : undefined;
  const line = whole ? {} : inLine(shown);
  return href === undefined
    ? h("bdi", { ...line, tabindex: "class" in line && 0 }, shown)
    : h("a", { href, rel: "noreferrer noopener", target: "_blank", ...line }, h("bdi", {}, shown));
}

/**
 * The class of an element of a table with a long text.
 *
 * @param {string} text
 * @returns {{ class?: string }}
 */
function inLine(text) {
  return text.length > longestInLine ? { class: "long" } : {};
}

/**
 * @param {string} text
 * @returns {string | undefined} the address, if it is one of the web
 */
function webAddress(text) {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

/** @param {string} taskId */
export function taskLink(taskId) {
  return h("a", { href: linkTo(["tasks", taskId]), ...inLine(taskId) }, h("bdi", {}, taskId));
}

/** @param {string} lotNo */
export function runLink(lotNo) {
  return h("a", { href: linkTo(["runs", lotNo]) }, lotNo);
}

/**
 * A status: a word, and a mark whose colour and shape repeat it.
 *
 * @param {string} status
 */
export function statusOf(status) {
  return h("span", { class: `status ${status}` }, status);
}

/** The statuses of a subtask, in the order of its life. */
export const statuses = /** @type {const} */ (["waiting", "extracting", "stopped", "failed", "finished"]);

/** @typedef {Record<typeof statuses[number], number>} StatusCounts */

/**
 * How many subtasks have which status.
 *
 * @param {StatusCounts} counts
 */
export function countsOf(counts) {
  const present = statuses.filter((status) => counts[status] > 0);
  if (present.length === 0) return "no subtasks";
  return h(
    "span",
    { class: "counts" },
    present.map((status) => h("span", { class: `status ${status}` }, `${counts[status]} ${status}`)),
  );
}

/**
 * A time of the clock of this browser, with the date if it is not today.
 *
 * @param {number | undefined} milliseconds since 1970
 * @returns {Child}
 */
export function timeOf(milliseconds) {
  if (milliseconds === undefined) return undefined;
  const date = new Date(milliseconds);
  const day = date.toDateString() === new Date().toDateString() ? "" : `${date.toLocaleDateString("sv-SE")} `;
  return h("time", { datetime: date.toISOString() }, day + date.toLocaleTimeString("en-GB"));
}

/** @param {number | undefined} milliseconds NaN if one of the times is not known */
export function durationOf(milliseconds) {
  if (milliseconds === undefined || Number.isNaN(milliseconds)) return undefined;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
