import { fileOf, request } from "../api.mjs";
import { shownValue } from "../cells.mjs";
import { facts, h } from "../dom.mjs";
import { button, choice, form } from "../forms.mjs";
import { encoded } from "../route.mjs";

/** @import { Tools } from "../main.mjs" */

/** Milliseconds of the units in which the clock moves. */
const units = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

const plans = ["free", "professional", "enterprise"];

/**
 * What acts on the emulator as a whole: its clock, its tokens and its state.
 *
 * @param {{
 *   set: { plan: string, latencyMs: number },
 *   clock: { now: string, mode: "real" | "fixed" },
 *   snapshots: readonly { name: string }[],
 *   accounts: readonly string[],
 * }} data
 * @param {Tools} tools
 */
export function controlSection({ set, clock, snapshots, accounts }, tools) {
  return h(
    "div",
    { class: "panels" },
    panel("Clock", clockState(clock), ...clockForms(tools)),
    panel("Plan and latency", settingForm(set, tools)),
    panel("Tokens", h("p", {}, "A client has to refresh an expired access token."), tokenButtons(tools)),
    panel("Reset", ...resetForm(tools)),
    panel("State", ...stateForms(tools)),
    panel("Snapshots", snapshotList(snapshots, tools), snapshotForm(tools)),
    accounts.length > 0 && panel("Pages of other accounts", accountList(accounts)),
  );
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function panel(title, ...content) {
  return h("section", { "aria-label": title }, h("h2", {}, title), content);
}

/** @param {{ now: string, mode: "real" | "fixed" }} clock */
function clockState({ now, mode }) {
  const time = h("time", { datetime: now }, `${now.slice(0, 19).replace("T", " ")} UTC`);
  return facts([[mode === "fixed" ? "The clock stands at" : "The clock runs. Last read", time]]);
}

/** @param {Tools} tools */
function clockForms({ act }) {
  const set = (/** @type {object} */ setting, /** @type {string} */ done) => act("POST", "clock", setting, done);
  return [
    form(
      (fields) => {
        const at = String(fields.get("at"));
        return set(at === "" ? { mode: "fixed" } : { mode: "fixed", at: `${at}Z` }, "The clock stands.");
      },
      {},
      h("label", {}, "Time in UTC; empty: now", h("input", { type: "datetime-local", name: "at", step: 1 })),
      h("button", {}, "Fix the clock"),
    ),
    form(
      (fields) => {
        const unit = /** @type {keyof typeof units} */ (fields.get("unit"));
        return set({ mode: "step", ms: Number(fields.get("amount")) * units[unit] }, "The clock has moved ahead.");
      },
      {},
      h("label", {}, "Ahead by", h("input", { type: "number", name: "amount", min: 1, value: "1", required: true })),
      h("label", {}, "Unit", choice({ name: "unit", value: "hours" }, Object.keys(units))),
      h("button", {}, "Move the clock"),
    ),
    h(
      "p",
      { class: "actions" },
      button("Show the real time", () => set({ mode: "real" }, "The clock shows the real time.")),
    ),
  ];
}

/**
 * The controls show what the emulator has, and act when the user changes them.
 *
 * @param {{ plan: string, latencyMs: number }} set
 * @param {Tools} tools
 */
function settingForm({ plan, latencyMs }, { act }) {
  const latency = (/** @type {Event} */ event) => {
    const control = /** @type {HTMLInputElement} */ (event.currentTarget);
    if (!control.reportValidity()) return;
    act("PUT", "settings", { latencyMs: Number(control.value) }, `Each request now waits ${control.value} ms.`);
  };
  const choose = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    act("PUT", "settings", { plan: value }, `The plan is now ${value}.`);
  };
  return h(
    "form",
    { onsubmit: (/** @type {SubmitEvent} */ event) => event.preventDefault() },
    h("label", {}, "Plan of the account", choice({ "data-shown": true, value: plan, onchange: choose }, plans)),
    h(
      "label",
      {},
      "Delay of each request, in ms",
      h("input", {
        "data-shown": true,
        type: "number",
        min: 0,
        max: 600_000,
        required: true,
        value: String(latencyMs),
        onchange: latency,
      }),
    ),
  );
}

/** @param {Tools} tools */
function tokenButtons({ act }) {
  const expire = (/** @type {string} */ tokens) =>
    button(`Expire ${tokens} tokens`, () =>
      act("POST", "tokens:expire", { tokens }, `All ${tokens} tokens have expired.`),
    );
  return h("p", { class: "actions" }, expire("access"), expire("refresh"));
}

/** @param {Tools} tools */
function stateForms({ act, attempt }) {
  return [
    h("p", {}, "One JSON document with tasks, runs, rows, marks and credentials."),
    h(
      "p",
      { class: "actions" },
      button("Export", () => attempt(download, "The state is exported.")),
    ),
    form(
      (fields) =>
        act("PUT", "state", fileOf(fields, "application/json"), "The emulator has the state of the document."),
      {},
      h("label", {}, "Document", h("input", { type: "file", name: "file", accept: ".json", required: true })),
      h("button", {}, "Import, and replace the state"),
    ),
  ];
}

async function download() {
  const response = await request("state");
  const href = URL.createObjectURL(await response.blob());
  h("a", { href, download: "webextract-emulator-state.json" }).click();
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * @param {readonly { name: string }[]} snapshots
 * @param {Tools} tools
 */
function snapshotList(snapshots, { act }) {
  if (snapshots.length === 0) return h("p", {}, "A snapshot has everything in memory, settings and faults included.");
  return h(
    "ul",
    { class: "list" },
    snapshots.map(({ name }) => {
      const path = `snapshots/${encoded(name)}`;
      return h(
        "li",
        { "data-key": name },
        shownValue(name),
        button("Restore", () => act("POST", `${path}/restore`, undefined, `Everything is as in ${name}.`), name),
        button("Delete", () => act("DELETE", path, undefined, `The snapshot ${name} is deleted.`), name),
      );
    }),
  );
}

/** @param {Tools} tools */
function snapshotForm({ act }) {
  return form(
    (fields) => {
      const name = String(fields.get("name"));
      return act("PUT", `snapshots/${encoded(name)}`, undefined, `The snapshot ${name} is saved.`);
    },
    {},
    h("label", {}, "Name", h("input", { name: "name", required: true })),
    h("button", {}, "Save a snapshot"),
  );
}

/** @param {readonly string[]} accounts */
function accountList(accounts) {
  const links = accounts.map((name) =>
    h("li", { "data-key": name }, h("a", { href: `accounts/${encoded(name)}/` }, h("bdi", {}, name))),
  );
  return h("ul", { class: "list" }, links);
}

/** @param {Tools} tools */
function resetForm({ act }) {
  return [
    h("p", {}, "Returns to the seed and the settings of the start. All runs, rows, faults and requests are removed."),
    form(
      () => act("POST", "reset", undefined, "The emulator is as after its start."),
      {},
      h("label", { class: "choice" }, h("input", { type: "checkbox", required: true }), " Remove them"),
      h("button", {}, "Reset"),
    ),
  ];
}
