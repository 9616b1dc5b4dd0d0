import { fileOf } from "../api.mjs";
import { shownValue } from "../cells.mjs";
import { h, table } from "../dom.mjs";
import { button, choice, form, withFields } from "../forms.mjs";
import { formatted } from "../pager.mjs";
import { encoded } from "../route.mjs";

/** @import { Child } from "../dom.mjs" */
/** @import { Tools } from "../main.mjs" */

/** What a client sees, by the kind of a fault. A hold is a request of its own in the admin API. */
const kinds = {
  reset: "the connection is reset",
  hang: "no response",
  status: "a response with another status",
  error: "an error of the service",
  truncated: "the body ends in the middle",
  cutOff: "the body ends in the middle, unseen by HTTP",
  slow: "the body arrives in pieces",
  late: "the response arrives later",
  wrongType: "the body as text/html",
  redirect: "a redirect",
  garbage: "bytes that are not HTTP",
  close: "the connection is closed",
  wrongLength: "a wrong Content-Length",
  changed: "a page of a run with other markup",
  hold: "no response until you release it",
};

/** The kinds to which a field applies. Absent: all. @type {Record<string, readonly string[]>} */
const kindsOfField = {
  status: ["status", "error", "redirect"],
  code: ["error"],
  delayMs: ["slow", "late"],
  delayMaxMs: ["slow", "late"],
  location: ["redirect"],
  headers: ["status", "redirect"],
  body: ["status"],
};

/** The fields that are numbers. */
const numbers = ["skip", "times", "probability", "seed", "status", "delayMs", "delayMaxMs"];

/**
 * The faults of later requests, and a form that adds one.
 *
 * @param {{ faults: readonly any[], holds: readonly any[], operations: readonly string[] }} data
 * @param {Tools} tools
 * @returns {Child[]}
 */
export function faultSection({ faults, holds, operations }, tools) {
  const removeAll = () => tools.act("DELETE", "faults", undefined, "All faults are removed.");
  return [
    faultForm(operations, tools),
    fileForm(tools),
    h("h3", {}, "Faults that can still happen"),
    table({
      name: "Faults that can still happen",
      head: [
        "Operation",
        "Kind",
        "Task",
        "URL of pages",
        "When",
        "First left alone",
        "Times left",
        "Probability",
        "Happened",
        "Action",
      ],
      empty: "No request is to fail.",
      rows: faults.map((fault) => faultRow(fault, tools)),
    }),
    faults.length > 1 && h("p", {}, button("Remove all faults", removeAll)),
    h("h3", {}, "Holds that are not released"),
    table({
      name: "Holds that are not released",
      head: ["Operation", "Task", "When", "Requests that wait", "Happened", "Action"],
      empty: "No request is to wait.",
      rows: holds.map((hold) => holdRow(hold, tools)),
    }),
  ];
}

/**
 * @param {any} fault
 * @param {Tools} tools
 */
function faultRow({ id, operation, kind, taskId, url, when, skip, times, probability, happened }, { act }) {
  const remove = () => act("DELETE", `faults/${encoded(id)}`, undefined, `The fault of ${operation} is removed.`);
  return h(
    "tr",
    { "data-key": id },
    h("th", { scope: "row" }, operation === "*" ? "any" : operation),
    h("td", {}, `${kind}: ${kinds[/** @type {keyof typeof kinds} */ (kind)] ?? ""}`),
    h("td", {}, shownValue(taskId ?? "any")),
    h("td", {}, shownValue(url ?? (operation === "page" ? "any" : ""))),
    h("td", {}, operation === "page" ? undefined : when),
    h("td", { class: "number" }, formatted(skip)),
    h("td", { class: "number" }, times === undefined ? "no limit" : formatted(times)),
    h("td", { class: "number" }, probability ?? 1),
    h("td", { class: "number" }, formatted(happened)),
    h("td", {}, button("Remove", remove, `${kind} of ${operation}`)),
  );
}

/**
 * @param {any} hold
 * @param {Tools} tools
 */
function holdRow({ id, operation, taskId, when, waiting, happened }, { act }) {
  const release = () => act("POST", `holds/${encoded(id)}/release`, undefined, `The hold of ${operation} is released.`);
  return h(
    "tr",
    { "data-key": id },
    h("th", { scope: "row" }, operation === "*" ? "any" : operation),
    h("td", {}, shownValue(taskId ?? "any")),
    h("td", {}, when),
    h("td", { class: "number" }, formatted(waiting)),
    h("td", { class: "number" }, formatted(happened)),
    h("td", {}, button("Release", release, operation)),
  );
}

/**
 * @param {readonly string[]} operations
 * @param {Tools} tools
 */
function faultForm(operations, { act }) {
  const when = h(
    "label",
    { "data-field": "when" },
    "When ",
    choice({ name: "when" }, ["", "before", "after"], optionNames),
  );
  const details = ["url", ...Object.keys(kindsOfField)].map((name) =>
    h("label", { "data-field": name }, `${labels[name]} `, control(name)),
  );
  const showDetails = () => {
    for (const detail of [when, ...details]) detail.hidden = !applies(detail.dataset.field ?? "", new FormData(fault));
  };
  const fault = h(
    "form",
    {
      "data-own": true,
      onchange: () => showDetails(),
      "aria-label": "Add a fault",
      onsubmit: withFields(async (fields, form) => {
        const { kind, ...given } = givenFields(fields);
        const path = kind === "hold" ? "holds" : "faults";
        const body = kind === "hold" ? given : { kind, ...given };
        const added = await act("POST", path, body, `The next requests of ${given.operation} meet: ${kind}.`);
        if (added !== undefined) {
          form.reset();
          showDetails();
        }
      }),
    },
    h("label", {}, "Operation ", choice({ name: "operation" }, ["*", ...operations, "page"], optionNames)),
    h("label", {}, "Kind ", choice({ name: "kind" }, Object.keys(kinds), optionNames)),
    details,
    h("label", {}, "Task ", control("taskId")),
    when,
    ["skip", "times", "probability", "seed"].map((name) => h("label", {}, `${labels[name]} `, control(name))),
    h("button", {}, "Add the fault"),
  );
  showDetails();
  return fault;
}

/** @param {Tools} tools */
function fileForm({ act }) {
  return form(
    (fields) =>
      act("PUT", "faults", fileOf(fields, "application/yaml"), "The faults and behaviours are those of the file."),
    { "aria-label": "Faults from a file" },
    h(
      "label",
      {},
      "File with faults and behaviours, in YAML or JSON",
      h("input", { type: "file", name: "file", accept: ".yaml,.yml,.json", required: true }),
    ),
    h("button", {}, "Replace the faults"),
  );
}

/** @type {Record<string, string>} */
const labels = {
  skip: "First left alone",
  times: "Times",
  probability: "Probability",
  seed: "Seed",
  status: "Status",
  code: "Error code",
  delayMs: "Milliseconds",
  delayMaxMs: "At most, at random",
  url: "URL of pages, * for any characters",
  location: "Location",
  headers: "Headers, one in each line",
  body: "Body",
};

/** The limits and defaults of the fields, as the admin API has them. @type {Record<string, Record<string, string | number>>} */
const limits = {
  skip: { min: 0, placeholder: "0" },
  times: { min: 1, placeholder: "1" },
  probability: { min: 0.001, max: 1, step: "any", placeholder: "1" },
  seed: { min: 0, max: 4_294_967_295, placeholder: "0" },
  status: { min: 200, max: 599, placeholder: "default" },
  delayMs: { min: 0, max: 600_000, placeholder: "default" },
  delayMaxMs: { min: 0, max: 600_000, placeholder: "default" },
};

/** @param {string} name */
function control(name) {
  if (name === "headers") return h("textarea", { name, rows: 2, placeholder: "Retry-After: 5" });
  return h("input", { name, ...(numbers.includes(name) ? { type: "number", ...limits[name] } : {}) });
}

/** @type {Record<string, string>} */
const optionNames = {
  "*": "any",
  "": "default",
  page: "page of a run",
  ...Object.fromEntries(Object.entries(kinds).map(([kind, meaning]) => [kind, `${kind}: ${meaning}`])),
};

/**
 * Whether a field applies to the kind and the operation. Pages of runs are no operation that takes effect.
 *
 * @param {string} name
 * @param {FormData} fields
 */
function applies(name, fields) {
  const isOfPages = fields.get("operation") === "page";
  if (name === "url") return isOfPages;
  if (name === "when") return !isOfPages;
  return kindsOfField[name]?.includes(String(fields.get("kind"))) ?? true;
}

/**
 * The fields that the user has filled in and that apply to the kind.
 *
 * @param {FormData} fields
 * @returns {Record<string, unknown>}
 */
function givenFields(fields) {
  const given = [...fields].filter(([name, value]) => value !== "" && applies(name, fields));
  return Object.fromEntries(given.map(([name, value]) => [name, fieldValue(name, String(value))]));
}

/**
 * @param {string} name
 * @param {string} text
 */
function fieldValue(name, text) {
  if (name === "headers") return headersIn(text);
  return numbers.includes(name) ? Number(text) : text;
}

/**
 * The admin API refuses what is not a header.
 *
 * @param {string} text lines such as `Retry-After: 5`
 */
function headersIn(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}
