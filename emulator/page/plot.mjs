import { statuses } from "./cells.mjs";
import { h, svg, table } from "./dom.mjs";
import { formatted } from "./pager.mjs";

/**
 * The state of a run at one time.
 *
 * @typedef {{ at: number, rows: number, subtasks: import("./cells.mjs").StatusCounts }} Sample
 * @typedef {{ left: number, x(at: number): number, y(value: number): number, top: number, seconds: number }} Scale
 */

const width = 640;
const height = 180;
const margin = { right: 12, top: 10, bottom: 28 };

/** The width of a digit, at most. */
const digit = 8;

/** Lines of the table beside the plot. The plot shows all samples. */
const linesOfTable = 12;

/**
 * The rows of a run and the statuses of its subtasks over time, as two plots and as a table.
 *
 * @param {readonly Sample[]} samples
 */
export function plotOf(samples) {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return h("p", { class: "empty" }, "There are no measurements yet.");
  const points = steps(samples);
  return h(
    "div",
    { class: "plots" },
    figure("Rows over time", `${formatted(last.rows)} rows at the end`, rowPlot(points)),
    figure("Subtasks by status over time", summaryOf(last), subtaskPlot(points), legend()),
    h("details", {}, h("summary", {}, "The same as a table"), tableOf(samples, first.at)),
  );
}

/**
 * The corners of a line of steps: a number holds until the next sample. The last one holds for a while, so that it can be seen.
 *
 * @param {readonly Sample[]} samples
 * @returns {Sample[]}
 */
function steps(samples) {
  const start = samples[0]?.at ?? 0;
  const duration = (samples.at(-1)?.at ?? 0) - start;
  const end = start + Math.max(1000, duration * 1.05);
  return samples.flatMap((sample, index) => [sample, { ...sample, at: samples[index + 1]?.at ?? end }]);
}

/**
 * @param {string} title
 * @param {string} summary
 * @param {...Node} content
 */
function figure(title, summary, ...content) {
  return h("figure", {}, h("figcaption", {}, h("strong", {}, title), ` – ${summary}`), content);
}

/** @param {Sample} sample */
function summaryOf({ subtasks }) {
  const present = statuses.filter((status) => subtasks[status] > 0);
  return present.map((status) => `${subtasks[status]} ${status}`).join(", ") || "no subtasks";
}

function legend() {
  return h(
    "p",
    { class: "legend", "aria-hidden": "true" },
    statuses.map((status) => h("span", { class: `status ${status}` }, status)),
  );
}

/** @param {readonly Sample[]} points */
function rowPlot(points) {
  const scale = scaleOf(points, Math.max(1, ...points.map(({ rows }) => rows)));
  const line = points.map(({ at, rows }) => `${scale.x(at)},${scale.y(rows)}`).join(" ");
  return frame(scale, "Rows over time", svg("polyline", { class: "line", points: line }));
}

/** @param {readonly Sample[]} points */
function subtaskPlot(points) {
  const totals = points.map(({ subtasks }) => statuses.reduce((sum, status) => sum + subtasks[status], 0));
  const scale = scaleOf(points, Math.max(1, ...totals));
  const floor = points.map(() => 0);
  // The finished ones are the lowest layer.
  const layers = statuses.toReversed().map((status) => {
    const lower = points.map(({ at }, index) => `${scale.x(at)},${scale.y(floor[index] ?? 0)}`);
    points.forEach(({ subtasks }, index) => {
      floor[index] = (floor[index] ?? 0) + subtasks[status];
    });
    const upper = points.map(({ at }, index) => `${scale.x(at)},${scale.y(floor[index] ?? 0)}`);
    return svg("polygon", { class: `area ${status}`, points: [...upper, ...lower.toReversed()].join(" ") });
  });
  return frame(scale, "Subtasks by status over time", ...layers);
}

/**
 * @param {readonly Sample[]} points
 * @param {number} top
 * @returns {Scale}
 */
function scaleOf(points, top) {
  const start = points[0]?.at ?? 0;
  const duration = Math.max(1, (points.at(-1)?.at ?? 0) - start);
  const left = formatted(top).length * digit + 10;
  return {
    left,
    x: (at) => rounded(left + ((at - start) / duration) * (width - left - margin.right)),
    y: (value) => rounded(height - margin.bottom - (value / top) * (height - margin.top - margin.bottom)),
    top,
    seconds: duration / 1000,
  };
}

/**
 * @param {Scale} scale
 * @param {string} title
 * @param {...SVGElement} content
 */
function frame({ left, y, top, seconds }, title, ...content) {
  const lines = [...new Set([0, Math.round(top / 2), top])];
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}; the table below has the numbers` },
    lines.flatMap((value) => [
      svg("line", { class: "grid", x1: left, x2: width - margin.right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, formatted(value)),
    ]),
    content,
    svg("text", { x: left, y: height - 8 }, "0 s"),
    svg("text", { x: width - margin.right, y: height - 8, "text-anchor": "end" }, `${seconds.toFixed(1)} s`),
  );
}

/**
 * @param {readonly Sample[]} samples
 * @param {number} start
 */
function tableOf(samples, start) {
  const step = Math.max(1, Math.ceil(samples.length / linesOfTable));
  const chosen = samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
  return table({
    name: "Rows and subtasks over time",
    head: ["Seconds", "Rows", ...statuses.map((status) => `Subtasks ${status}`)],
    rows: chosen.map(({ at, rows, subtasks }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", class: "number" }, ((at - start) / 1000).toFixed(1)),
        h("td", { class: "number" }, formatted(rows)),
        statuses.map((status) => h("td", { class: "number" }, formatted(subtasks[status]))),
      ),
    ),
  });
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 10) / 10;
}
