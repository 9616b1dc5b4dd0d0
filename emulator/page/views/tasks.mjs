import { countsOf, runLink, shownValue, taskLink } from "../cells.mjs";
import { h, table } from "../dom.mjs";
import { filterForm, filterOf } from "../filter.mjs";
import { formatted, pager } from "../pager.mjs";
import { numberOf } from "../route.mjs";

/** @import { View } from "../main.mjs" */

const limit = 50;

const fields = [{ name: "search", label: "Id or name contains" }];

/** @type {View} */
export const tasks = {
  title: () => "Tasks",
  concerns: ({ type }) => type === "task" || type === "run",
  load: ({ route, read }) =>
    read("tasks", { ...filterOf(route.query, fields), offset: numberOf(route, "offset"), limit }),
  render({ total, offset, tasks: found }, { query }) {
    const filter = filterOf(query, fields);
    return [
      filterForm(["tasks"], filter, fields),
      pager({ path: ["tasks"], query: filter, label: "tasks", offset, shown: found.length, total, limit }),
      table({
        name: "Tasks",
        class: "tasks",
        head: [
          ...["Task", "Name", "Latest run", "Its subtasks", "Rows", "Exported"],
          ...["Runs", "Actions", "Start URLs", "Group"],
        ],
        empty: filter.search === undefined ? "The emulator has no tasks." : "No id and no name contains this.",
        rows: found.map(taskRow),
      }),
    ];
  },
};

/** @param {any} task */
function taskRow({ taskId, name, taskGroupId, latestRun, ...counts }) {
  return h(
    "tr",
    { "data-key": taskId },
    h("th", { scope: "row" }, taskLink(taskId)),
    h("td", {}, shownValue(name ?? "")),
    h("td", {}, latestRun && runLink(latestRun.lotNo)),
    h("td", {}, latestRun && countsOf(latestRun.subtasks)),
    ...["rowCount", "exportedCount", "runCount", "actionCount", "startUrlCount"].map((name) =>
      h("td", { class: "number" }, formatted(counts[name])),
    ),
    h("td", {}, shownValue(taskGroupId)),
  );
}
