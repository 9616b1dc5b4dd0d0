import { durationOf, shownValue, taskLink, timeOf } from "../cells.mjs";
import { curlOf } from "../curl.mjs";
import { facts, h, table } from "../dom.mjs";
import { filterForm, filterOf } from "../filter.mjs";
import { button } from "../forms.mjs";
import { amount, formatted, pager } from "../pager.mjs";
import { linkTo, numberOf } from "../route.mjs";

/** @import { Field } from "../filter.mjs" */
/** @import { Tools, View } from "../main.mjs" */

const limit = 50;

/** The list shows at most this number of the fields of a request, and of the characters of one. The view of a request has the others. */
const mostFields = 20;
const mostCharacters = 200;

/** The journal has no more characters of a response. */
const longestResponse = 1000;

/** The user stops the list to read it. */
let paused = false;

/**
 * @param {readonly string[]} operations
 * @returns {readonly Field[]}
 */
const fieldsOf = (operations) => [
  { name: "operation", label: "Operation", values: [...operations, "unknown"] },
  { name: "status", label: "Status (0: no response)", type: "number" },
  { name: "taskId", label: "Task" },
  { name: "search", label: "Text" },
];

/** @type {View} */
export const requests = {
  title: () => "Requests",
  // Older parts of the list would move with each request.
  concerns: ({ type }, route) => type === "request" && !paused && numberOf(route, "offset") === 0,
  async load({ route, read, options }) {
    const filter = filterOf(route.query, fieldsOf([]));
    const [journal, { operations }] = await Promise.all([
      read("requests", { ...filter, order: "newest", offset: numberOf(route, "offset"), limit }),
      options(),
    ]);
    return { ...journal, fields: fieldsOf(operations) };
  },
  render({ total, requests: found, fields }, route, tools) {
    const offset = numberOf(route, "offset");
    const filter = filterOf(route.query, fields);
    return [
      filterForm(["requests"], filter, fields),
      h("div", { class: "actions" }, ...listActions(offset, tools)),
      pager({ path: ["requests"], query: filter, label: "requests", offset, shown: found.length, total, limit }),
      table({
        name: "Requests, the newest first",
        head: ["Number", "Time", "Operation", "Task", "Query and body", "Status", "Duration", "Took effect", "Fault"],
        empty: "The service has received no request that matches.",
        rows: found.map(requestRow),
      }),
    ];
  },
};

/**
 * @param {number} offset
 * @param {Tools} tools
 */
function listActions(offset, { act, reload }) {
  const pause = () => {
    paused = !paused;
    reload();
  };
  const empty = () => act("DELETE", "requests", undefined, "The journal is empty.");
  const state = paused
    ? "stays as it is."
    : offset > 0
      ? "has older requests, and does not update."
      : "updates by itself.";
  return [
    h("button", { type: "button", "aria-pressed": String(paused), onclick: pause }, "Pause"),
    button("Empty the journal", empty),
    h("span", { class: "hint" }, `The list ${state}`),
  ];
}

/** @param {any} request */
function requestRow({ number, operation, query, body, ...rest }) {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  const { taskId, taskIds, ...fields } = { ...query, ...(isObject ? body : { body: body ?? undefined }) };
  return h(
    "tr",
    { "data-key": number },
    h("th", { scope: "row", class: "number" }, h("a", { href: linkTo(["requests", String(number)]) }, number)),
    h("td", {}, timeOf(rest.receivedAt)),
    h("td", {}, operation === "unknown" ? shownValue(`${rest.method} ${rest.path}`) : operation),
    h("td", {}, taskOf(taskIds ?? taskId)),
    h("td", {}, shownValue(fieldsText(fields))),
    h("td", {}, statusCode(rest.status)),
    h("td", { class: "number" }, durationOf(rest.durationMs)),
    h("td", {}, rest.tookEffect ? "yes" : "no"),
    h("td", {}, rest.fault?.kind),
  );
}

/** @param {unknown} named one id or several */
function taskOf(named) {
  const [first, ...others] = Array.isArray(named) ? named : [named];
  if (others.length > 0) return shownValue(`${brief(first)} and ${formatted(others.length)} more`);
  return typeof first === "string" && first !== "" && first.length <= mostCharacters
    ? taskLink(first)
    : shownValue(first);
}

/** @param {Record<string, unknown>} fields */
function fieldsText(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const texts = given.slice(0, mostFields).map(([name, value]) => `${name.slice(0, mostCharacters)}: ${brief(value)}`);
  return texts.join(", ");
}

/**
 * A value of a request in few characters.
 *
 * @param {unknown} value
 */
function brief(value) {
  if (typeof value === "string") return value.slice(0, mostCharacters);
  if (Array.isArray(value) && value.length > 3) return amount(value.length, "items");
  return (JSON.stringify(value) ?? "").slice(0, mostCharacters);
}

/** @type {View} */
export const request = {
  title: ({ path: [, number] }) => `Request ${number}`,
  concerns: ({ type }) => type === "request",
  load: ({ route, read }) => read("requests", { after: Math.max(0, Number(route.path[1]) - 1 || 0), limit: 1 }),
  render({ requests: [found] }, { path: [, number] }, tools) {
    if (String(found?.number) !== number) return [h("p", {}, "The journal does not have this request any more.")];
    const { operation, method, path, query, body, ...rest } = found;
    return [
      facts([
        ["Operation", operation],
        ["Method and path", h("bdi", {}, `${method} ${path}`)],
        ["Time", timeOf(rest.receivedAt)],
        ["Status", statusCode(rest.status)],
        ["Duration", durationOf(rest.durationMs) ?? "none"],
        ["Took effect", rest.tookEffect ? "yes" : "no"],
        ["Fault", rest.fault?.kind ?? "none"],
        ["requestId", rest.requestId],
        ["Credential", rest.credential],
        ["Content type", h("bdi", {}, rest.contentType ?? "none")],
        ["User agent", h("bdi", {}, rest.userAgent ?? "none")],
        ["Connection", String(rest.socket)],
      ]),
      h("h2", {}, "Query"),
      jsonText(query, "The query"),
      h("h2", {}, "Body"),
      rest.bodyLeftOut
        ? h(
            "p",
            { class: "empty" },
            "The request had a body that is not in the journal: it was not JSON, or the path is unknown.",
          )
        : jsonText(body, "The body"),
      h(
        "h2",
        {},
        rest.response.length < longestResponse ? "Response" : `Response, its first ${longestResponse} characters`,
      ),
      rest.response === ""
        ? h("p", { class: "empty" }, "None.")
        : h("pre", { tabindex: 0, role: "region", "aria-label": "The response" }, rest.response),
      h("h2", {}, "As a command"),
      ...command(curlOf(found), tools),
    ];
  },
};

/**
 * @param {string | undefined} text
 * @param {Tools} tools
 */
function command(text, { attempt }) {
  if (text === undefined) {
    return [h("p", { class: "empty" }, "There is no command, because the journal does not have the whole body.")];
  }
  // Browsers give the clipboard only to pages of this machine and of https.
  const { clipboard } = navigator;
  const copy = () =>
    attempt(
      async () => {
        getSelection()?.selectAllChildren(/** @type {Element} */ (document.querySelector("#command")));
        await clipboard?.writeText(text);
      },
      clipboard === undefined ? "The command is selected. Copy it with the keyboard." : "The command is copied.",
    );
  return [
    h("p", { class: "actions" }, button("Copy as curl", copy)),
    h("pre", { id: "command", tabindex: 0, role: "region", "aria-label": "The command" }, text),
  ];
}

/** @param {number} status */
function statusCode(status) {
  if (status === 0) return h("span", { class: "status failed" }, "no response");
  return h("span", { class: `status ${status < 400 ? "finished" : "failed"}` }, status);
}

/**
 * @param {unknown} value
 * @param {string} label
 */
function jsonText(value, label) {
  if (value === undefined || value === null) return h("p", { class: "empty" }, "None.");
  const text = JSON.stringify(value, undefined, 2);
  const shown = text.length > 200_000 ? `${text.slice(0, 200_000)}…` : text;
  return h("pre", { tabindex: 0, role: "region", "aria-label": label }, shown);
}
