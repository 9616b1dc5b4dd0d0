import { countsOf, durationOf, shownValue, statusOf, taskLink, timeOf } from "../cells.mjs";
import { facts, h, table } from "../dom.mjs";
import { button } from "../forms.mjs";
import { formatted, pager } from "../pager.mjs";
import { plotOf } from "../plot.mjs";
import { linkTo, numberOf } from "../route.mjs";

/** @import { Tools, View } from "../main.mjs" */
/** @import { Route } from "../route.mjs" */
/** @import { Change } from "../events.mjs" */
/** @import { StatusCounts } from "../cells.mjs" */

const limit = 50;

/** @type {View} */
export const run = {
  title: ({ path: [, lotNo] }) => `Run ${lotNo}`,
  concerns: concernsRun,
  async load({ route, read }) {
    const lotNo = route.path[1] ?? "";
    const [progress, page] = await Promise.all([
      read(`runs/${lotNo}/progress`),
      read(`runs/${lotNo}/subtasks`, { offset: numberOf(route, "offset"), limit }),
    ]);
    return { progress, page };
  },
  render({ progress, page }, route, tools) {
    const { lotNo, taskId, subtasks, startedAt, endedAt, pagesRead, errorCount, rowCount, exportedCount, samples } =
      progress;
    const { offset, total } = page;
    return [
      runNavigation(route),
      facts([
        ["Task", taskLink(taskId)],
        ["Subtasks", countsOf(subtasks)],
        ["Started", timeOf(startedAt) ?? "not known"],
        ["Duration", durationOf(endedAt - startedAt) ?? (endedAt === undefined ? "not ended" : "not known")],
        ["Pages read", formatted(pagesRead)],
        ["Pages that failed", formatted(errorCount)],
        ["Rows", formatted(rowCount)],
        ["Exported rows", formatted(exportedCount)],
      ]),
      actions(lotNo, subtasks, tools),
      h("h2", {}, "Progress"),
      plotOf(samples),
      h("h2", {}, "Subtasks"),
      total > limit &&
        pager({ path: ["runs", lotNo], label: "subtasks", offset, shown: page.subtasks.length, total, limit }),
      table({
        name: `Subtasks of ${lotNo}`,
        head: ["Number", "Subtask", "Status", "Pages read", "Pages that failed", "Why"],
        empty: "The run has no subtasks.",
        rows: page.subtasks.map((/** @type {any} */ subtask, /** @type {number} */ index) =>
          subtaskRow(subtask, offset + index + 1),
        ),
      }),
    ];
  },
};

/**
 * @param {string} lotNo
 * @param {StatusCounts} subtasks
 * @param {Tools} tools
 */
function actions(lotNo, { waiting, extracting, stopped, failed }, { act }) {
  const changing = (/** @type {string} */ change, /** @type {string} */ text, /** @type {string} */ done) =>
    button(text, () => act("POST", "changes", { change, lotNo }, done));
  return h(
    "p",
    { class: "actions" },
    waiting + extracting > 0 && changing("stopRun", "Stop", "The run is stopped."),
    stopped > 0
      ? changing("continueRun", "Continue", "The run continues.")
      : failed > 0 && changing("continueRun", "Try failed pages again", "The failed pages are read again."),
  );
}

/**
 * @param {any} subtask
 * @param {number} number
 */
function subtaskRow({ subTaskId, status, pagesRead, errorCount, errors }, number) {
  return h(
    "tr",
    { "data-key": subTaskId },
    h("td", { class: "number" }, formatted(number)),
    h("th", { scope: "row", class: "id" }, subTaskId),
    h("td", {}, statusOf(status)),
    h("td", { class: "number" }, formatted(pagesRead)),
    h("td", { class: "number" }, formatted(errorCount)),
    h("td", {}, reasons(errors, errorCount)),
  );
}

/**
 * @param {readonly { url: string, message: string }[]} found
 * @param {number} count
 */
function reasons(found, count) {
  if (count === 0) return undefined;
  const pages = count === 1 ? "1 page" : `${formatted(count)} pages`;
  return h(
    "details",
    { open: count <= 3 },
    h("summary", {}, `${pages} failed`),
    h(
      "ul",
      {},
      found.map(({ url, message }) => h("li", {}, shownValue(url), url === "" ? "" : ": ", h("bdi", {}, message))),
      found.length < count && h("li", {}, `and ${formatted(count - found.length)} more`),
    ),
  );
}

/**
 * The parts of a run.
 *
 * @param {Route} route
 */
export function runNavigation({ path: [, lotNo = "", part] }) {
  const current = (/** @type {boolean} */ is) => (is ? "page" : undefined);
  return h(
    "nav",
    { class: "parts", "aria-label": "Parts of the run" },
    h("a", { href: linkTo(["runs", lotNo]), "aria-current": current(part === undefined) }, "Progress and subtasks"),
    h("a", { href: linkTo(["runs", lotNo, "rows"]), "aria-current": current(part === "rows") }, "Rows"),
  );
}

/**
 * An event of the task, such as a mark or a removal of rows, concerns its runs too.
 *
 * @param {Change} change
 * @param {Route} route
 */
export function concernsRun({ type, data }, { path: [, lotNo] }) {
  return type === "task" || (type === "run" && (data.lotNo === undefined || data.lotNo === lotNo));
}
