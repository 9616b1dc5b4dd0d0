import { h, table } from "../dom.mjs";
import { formatted, pager } from "../pager.mjs";
import { numberOf } from "../route.mjs";
import { countsOf, runLink, taskLink } from "../values.mjs";

/** @import { View } from "../main.mjs" */

const limit = 50;

/** @type {View} */
export const runs = {
  title: ({ query }) => (query.has("taskId") ? `Runs of ${query.get("taskId")}` : "Runs"),
  concerns: ({ type, data }, { query }) =>
    (type === "task" || type === "run") &&
    (data.taskId === undefined || !query.has("taskId") || data.taskId === query.get("taskId")),
  load: ({ route, read }) =>
    read("runs", { offset: numberOf(route, "offset"), limit, taskId: route.query.get("taskId") ?? undefined }),
  render({ total, offset, runs: found }, { query }) {
    const taskId = query.get("taskId") ?? undefined;
    return [
      pager({ path: ["runs"], query: { taskId }, label: "runs", offset, shown: found.length, total, limit }),
      runTable(found, "Runs, the newest first"),
    ];
  },
};

/**
 * @param {readonly any[]} found
 * @param {string} name
 */
export function runTable(found, name) {
  return table({
    name,
    head: ["Run (lotNo)", "Task", "Subtasks", "Pages read", "Pages that failed", "Rows", "Exported"],
    empty: "There are no runs yet. A start of a task makes the first one.",
    rows: found.map(({ lotNo, taskId, subtasks, pagesRead, errorCount, rowCount, exportedCount }) =>
      h(
        "tr",
        { "data-key": lotNo },
        h("th", { scope: "row" }, runLink(lotNo)),
        h("td", {}, taskLink(taskId)),
        h("td", {}, countsOf(subtasks)),
        ...[pagesRead, errorCount, rowCount, exportedCount].map((count) =>
          h("td", { class: "number" }, formatted(count)),
        ),
      ),
    ),
  });
}
