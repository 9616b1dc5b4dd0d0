import { account } from "../api.mjs";
import { h, table } from "../dom.mjs";
import { choice } from "../forms.mjs";
import { controlSection } from "./controls.mjs";
import { faultSection } from "./faults.mjs";

/** @import { View, Tools } from "../main.mjs" */

/** @type {View} */
export const settings = {
  title: () => "Settings",
  concerns: ({ type }) => type === "behaviour" || type === "fault",
  async load({ read, options }) {
    const [values, set, { faults }, { holds }, clock, { snapshots }, { accounts }, known] = await Promise.all([
      read("behaviour"),
      read("settings"),
      read("faults"),
      read("holds"),
      read("clock"),
      read("snapshots"),
      account === undefined ? read("accounts") : { accounts: [] },
      options(),
    ]);
    return { values, faults, holds, controls: { set, clock, snapshots, accounts }, known };
  },
  render: ({ values, faults, holds, controls, known }, _route, tools) => [
    controlSection(controls, tools),
    h("h2", {}, "Faults"),
    h("p", { class: "count" }, "Faults and behaviours apply to later requests of every client."),
    ...faultSection({ faults, holds, operations: known.operations }, tools),
    h("h2", {}, "Behaviours"),
    h(
      "p",
      { class: "count" },
      `${changedCount(values, known.behaviours)} of ${known.behaviours.length} differ from their defaults.`,
    ),
    table({
      name: "Behaviours",
      class: "behaviours",
      head: ["Behaviour", "Value", "Default", "Meaning"],
      rows: known.behaviours.map((/** @type {any} */ behaviour) =>
        behaviourRow(behaviour, values[behaviour.name], tools),
      ),
    }),
  ],
};

/**
 * @param {Record<string, unknown>} values
 * @param {readonly any[]} behaviours
 */
function changedCount(values, behaviours) {
  return behaviours.filter((behaviour) => values[behaviour.name] !== behaviour.default).length;
}

/**
 * @param {any} behaviour
 * @param {string | number} value
 * @param {Tools} tools
 */
function behaviourRow(behaviour, value, { act }) {
  const { name, meaning, values, minimum } = behaviour;
  const change = (/** @type {Event} */ event) => {
    const control = /** @type {HTMLInputElement | HTMLSelectElement} */ (event.currentTarget);
    if (!control.reportValidity()) return;
    const wanted = values === undefined ? Number(control.value) : control.value;
    act("PUT", "behaviour", { [name]: wanted }, `${name} is now ${wanted}.`);
  };
  const shared = { "aria-label": name, "data-shown": true, value: String(value), onchange: change };
  return h(
    "tr",
    { "data-key": name, class: value === behaviour.default ? undefined : "changed" },
    h("th", { scope: "row" }, name),
    h(
      "td",
      {},
      values === undefined
        ? h("input", { ...shared, type: "number", min: minimum, step: 1, required: true })
        : choice(shared, values),
      value !== behaviour.default && h("span", { class: "mark" }, " changed"),
    ),
    h("td", {}, String(behaviour.default)),
    h(
      "td",
      { class: "meaning" },
      // Every second part is between backticks.
      meaning
        .split("`")
        .map((/** @type {string} */ part, /** @type {number} */ at) => (at % 2 === 1 ? h("code", {}, part) : part)),
    ),
  );
}
