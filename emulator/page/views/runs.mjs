import { countsOf, durationOf, runLink, taskLink, timeOf } from "../cells.mjs";
import { h, table } from "../dom.mjs";
import { filterForm, filterOf } from "../filter.mjs";
import { formatted, pager } from "../pager.mjs";
import { numberOf } from "../route.mjs";

/** @import { Field } from "../filter.mjs" */
/** @import { View } from "../main.mjs" */

const limit = 50;

const noRuns = "There are no runs yet. A start of a task makes the first one.";

/** @type {readonly Field[]} */
const fields = [
  { name: "status", label: "Status", values: ["running", "stopped", "failed", "finished"] },
  { name: "taskId", label: "Task" },
  { name: "search", label: "Run, task or name contains" },
];

/** @type {View} */
export const runs = {
  title: ({ query }) => (query.has("taskId") ? `Runs of ${query.get("taskId")}` : "Runs"),
  concerns: ({ type, data }, { query }) =>
    (type === "task" || type === "run") &&
    (data.taskId === undefined || !query.has("taskId") || data.taskId === query.get("taskId")),
  load: ({ route, read }) =>
    read("runs", { ...filterOf(route.query, fields), offset: numberOf(route, "offset"), limit }),
  render({ total, offset, examined, runs: found }, { query }) {
    const filter = filterOf(query, fields);
    const isFiltered = Object.keys(filter).length > 0;
    return [
      filterForm(["runs"], filter, fields),
      examined !== undefined && h("p", { class: "count" }, `Of the newest ${formatted(examined)} runs:`),
      pager({ path: ["runs"], query: filter, label: "runs", offset, shown: found.length, total, limit }),
      runTable(found, "Runs, the newest first", { empty: isFiltered ? "No run matches." : undefined }),
    ];
  },
};

/**
 * @param {readonly any[]} found
 * @param {string} name
 * @param {{ empty?: string, ofOneTask?: boolean }} [options]
 */
export function runTable(found, name, { empty = noRuns, ofOneTask = false } = {}) {
  return table({
    name,
    head: [
      "Run (lotNo)",
      ...(ofOneTask ? [] : ["Task"]),
      "Subtasks",
      "Started",
      "Duration",
      "Pages read",
      "Pages that failed",
      "Rows",
      "Exported",
    ],
    empty,
    rows: found.map(({ lotNo, taskId, subtasks, startedAt, endedAt, pagesRead, errorCount, rowCount, exportedCount }) =>
      h(
        "tr",
        { "data-key": lotNo },
        h("th", { scope: "row" }, runLink(lotNo)),
        !ofOneTask && h("td", {}, taskLink(taskId)),
        h("td", {}, countsOf(subtasks)),
        h("td", {}, timeOf(startedAt)),
        h("td", { class: "number" }, durationOf(endedAt - startedAt)),
        ...[pagesRead, errorCount, rowCount, exportedCount].map((count) =>
          h("td", { class: "number" }, formatted(count)),
        ),
      ),
    ),
  });
}
