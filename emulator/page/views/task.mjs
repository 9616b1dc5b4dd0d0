import { read, send } from "../api.mjs";
import { shownValue } from "../cells.mjs";
import { facts, h, table } from "../dom.mjs";
import { choice, form } from "../forms.mjs";
import { formatted } from "../pager.mjs";
import { encoded, linkTo } from "../route.mjs";
import { runTable } from "./runs.mjs";

/** @import { Tools, View } from "../main.mjs" */

/** The newest runs; the view of runs has all. */
const shownRuns = 20;

/** @type {View} */
export const task = {
  title: ({ path: [, taskId] }) => `Task ${taskId}`,
  concerns: ({ type, data }, { path: [, taskId] }) =>
    (type === "task" || type === "run") && (data.taskId === undefined || data.taskId === taskId),
  async load({ route, read }) {
    const taskId = route.path[1] ?? "";
    const [found, runs] = await Promise.all([
      read(`tasks/${encoded(taskId)}`),
      read("runs", { taskId, limit: shownRuns }),
    ]);
    return { found, runs };
  },
  render: ({ found, runs }, _route, tools) => [
    h(
      "p",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          onclick: async () => {
            const change = { change: "startRun", taskId: found.taskId };
            const started = await tools.act("POST", "changes", change, `A run of ${found.taskId} has started.`);
            if (started !== undefined) location.hash = linkTo(["runs", started.lotNo]);
          },
        },
        "Start a run",
      ),
    ),
    facts([
      ["Name", h("bdi", {}, found.name ?? "none")],
      ["Group", h("bdi", {}, found.taskGroupId)],
      ["Actions", formatted(found.actions.length)],
      ["Start URLs", formatted(found.startUrlCount)],
      ["Rows", formatted(found.rowCount)],
      ["Exported rows", formatted(found.exportedCount)],
    ]),
    h("h2", {}, "Runs"),
    runTable(runs.runs, `Newest runs of ${found.taskId}`, { ofOneTask: true }),
    runs.total > runs.runs.length &&
      h("p", {}, h("a", { href: linkTo(["runs"], { taskId: found.taskId }) }, `All ${formatted(runs.total)} runs`)),
    h("h2", {}, "Actions"),
    found.actions.length === 0 && h("p", { class: "empty" }, "The task has no actions."),
    ...found.actions.map((/** @type {any} */ action) => actionSection(action, found.taskId, tools)),
    h("h2", {}, "Start URLs"),
    ...listOf("Start URLs", found.startUrls, found.startUrlCount),
  ],
};

/**
 * @param {any} action
 * @param {string} taskId
 * @param {Tools} tools
 */
function actionSection({ actionId, actionType, name, properties, loopType, loopItems, loopItemCount }, taskId, tools) {
  const names = Object.keys(properties);
  const isLoop = loopType !== undefined || loopItemCount > 0;
  return h(
    "section",
    { class: "action", "aria-label": `Action ${actionId}` },
    h("h3", {}, h("bdi", {}, actionId), " ", h("span", { class: "kind" }, actionType)),
    name !== undefined && h("p", {}, h("bdi", {}, name)),
    table({
      name: `Properties of ${actionId}`,
      class: "values",
      head: ["Property", "Value"],
      empty: "No properties.",
      rows: Object.entries(properties).map(([property, value]) =>
        h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, property)), h("td", {}, shownValue(value))),
      ),
    }),
    names.length > 0 && propertyForm(names, { taskId, actionId }, tools),
    isLoop && h("p", {}, `Loop of type ${loopType ?? "none"}${loopItemCount === 0 ? ", without items" : ""}`),
    loopItemCount > 0 && listOf(`Loop items of ${actionId}`, loopItems, loopItemCount),
    // The change needs all items, and the page has the first ones.
    isLoop && loopItems.length === loopItemCount && itemForm({ taskId, actionId }, tools),
  );
}

/**
 * @param {readonly string[]} names
 * @param {{ taskId: string, actionId: string }} action
 * @param {Tools} tools
 */
function propertyForm(names, action, { act }) {
  return form(
    (fields) => {
      const [name, value] = [String(fields.get("name")), String(fields.get("value"))];
      const change = { change: "setProperty", ...action, name, value };
      return act("POST", "changes", change, `${name} has a new value.`);
    },
    { "aria-label": `A property of ${action.actionId}` },
    h("label", {}, "Property", choice({ name: "name" }, names)),
    h("label", {}, "New value", h("input", { name: "value" })),
    h("button", {}, "Change the property"),
  );
}

/**
 * @param {{ taskId: string, actionId: string }} action
 * @param {Tools} tools
 */
function itemForm({ taskId, actionId }, { attempt }) {
  return form(
    (fields) =>
      attempt(async () => {
        // The form stays as it is while the list that the page shows changes.
        const { actions } = await read(`tasks/${encoded(taskId)}`);
        const { loopItems, loopType } = actions.find((/** @type {any} */ each) => each.actionId === actionId);
        const items = [...loopItems, String(fields.get("item"))];
        return send("POST", "changes", { change: "setLoopItems", taskId, actionId, loopItems: items, loopType });
      }, `${actionId} has one more item.`),
    { "aria-label": `Another loop item of ${actionId}` },
    h("label", {}, "Loop item", h("input", { name: "item", required: true })),
    h("button", {}, "Add the item"),
  );
}

/**
 * The first items of a list.
 *
 * @param {string} name
 * @param {readonly string[]} items
 * @param {number} count
 */
function listOf(name, items, count) {
  return [
    items.length < count && h("p", { class: "count" }, `The first ${items.length} of ${formatted(count)}`),
    table({
      name,
      class: "values",
      head: ["Number", "Value"],
      rows: items.map((item, index) =>
        h("tr", {}, h("th", { scope: "row", class: "number" }, formatted(index + 1)), h("td", {}, shownValue(item))),
      ),
    }),
  ];
}
