import { h, table } from "../dom.mjs";
import { formatted, pager } from "../pager.mjs";
import { linkTo, numberOf } from "../route.mjs";
import { countsOf, runLink, shownValue, taskLink } from "../values.mjs";

/** @import { View } from "../main.mjs" */

const limit = 50;

/** @type {View} */
export const tasks = {
  title: () => "Tasks",
  concerns: ({ type }) => type === "task" || type === "run",
  load: ({ route, read }) =>
    read("tasks", { offset: numberOf(route, "offset"), limit, search: route.query.get("search") ?? undefined }),
  render({ total, offset, tasks: found }, { query }) {
    const search = query.get("search") ?? undefined;
    const parts = pager({
      path: ["tasks"],
      query: { search },
      label: "tasks",
      offset,
      shown: found.length,
      total,
      limit,
    });
    return [
      h(
        "form",
        {
          role: "search",
          onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
            location.hash = linkTo(["tasks"], { search: String(form.get("search")) });
          },
        },
        h("label", {}, "Id or name contains ", h("input", { type: "search", name: "search", value: search ?? "" })),
        h("button", {}, "Search"),
      ),
      parts,
      table({
        name: "Tasks",
        head: [
          "Task",
          "Name",
          "Group",
          "Actions",
          "Start URLs",
          "Runs",
          "Rows",
          "Exported",
          "Latest run",
          "Its subtasks",
        ],
        empty: search === undefined ? "The emulator has no tasks." : "No id and no name contains this.",
        rows: found.map(taskRow),
      }),
    ];
  },
};

/** @param {any} task */
function taskRow({
  taskId,
  name,
  taskGroupId,
  actionCount,
  startUrlCount,
  runCount,
  rowCount,
  exportedCount,
  latestRun,
}) {
  return h(
    "tr",
    { "data-key": taskId },
    h("th", { scope: "row" }, taskLink(taskId)),
    h("td", {}, shownValue(name ?? "")),
    h("td", {}, shownValue(taskGroupId)),
    ...[actionCount, startUrlCount, runCount, rowCount, exportedCount].map((count) =>
      h("td", { class: "number" }, formatted(count)),
    ),
    h("td", {}, latestRun && runLink(latestRun.lotNo)),
    h("td", {}, latestRun && countsOf(latestRun.subtasks)),
  );
}
