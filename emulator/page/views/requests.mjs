import { curlOf } from "../curl.mjs";
import { facts, h, table } from "../dom.mjs";
import { pager } from "../pager.mjs";
import { linkTo, numberOf } from "../route.mjs";
import { shownValue, timeOf } from "../values.mjs";

/** @import { Tools, View } from "../main.mjs" */

const limit = 50;

/** The user stops the list to read it. */
let paused = false;

/** @type {View} */
export const requests = {
  title: () => "Requests",
  // Older parts of the list would move with each request.
  concerns: ({ type }, route) => type === "request" && !paused && numberOf(route, "offset") === 0,
  async load({ route, read, options }) {
    const { query } = route;
    const [journal, { operations }] = await Promise.all([
      read("requests", { ...filterOf(query), order: "newest", offset: numberOf(route, "offset"), limit }),
      options(),
    ]);
    return { ...journal, operations };
  },
  render({ total, requests: found, operations }, route, { reload }) {
    const offset = numberOf(route, "offset");
    const filter = filterOf(route.query);
    return [
      filterForm(filter, operations),
      h(
        "p",
        {},
        h(
          "button",
          {
            type: "button",
            "aria-pressed": String(paused),
            onclick: () => {
              paused = !paused;
              reload();
            },
          },
          "Pause",
        ),
        paused
          ? " The list stays as it is."
          : offset > 0
            ? " Older requests do not update."
            : " The list updates by itself.",
      ),
      pager({ path: ["requests"], query: filter, label: "requests", offset, shown: found.length, total, limit }),
      table({
        name: "Requests, the newest first",
        head: ["Number", "Time", "Operation", "Method and path", "Status", "Took effect", "Credential", "User agent"],
        empty: "The service has received no request that matches.",
        rows: found.map(requestRow),
      }),
    ];
  },
};

/** @param {any} request */
function requestRow({ number, receivedAt, operation, method, path, status, tookEffect, credential, userAgent }) {
  return h(
    "tr",
    { "data-key": number },
    h("th", { scope: "row", class: "number" }, h("a", { href: linkTo(["requests", String(number)]) }, number)),
    h("td", {}, timeOf(receivedAt)),
    h("td", {}, operation),
    h("td", {}, shownValue(`${method} ${path}`)),
    h("td", {}, statusCode(status)),
    h("td", {}, tookEffect ? "yes" : "no"),
    h("td", {}, credential),
    h("td", {}, shownValue(userAgent ?? "")),
  );
}

/**
 * @param {URLSearchParams} query
 * @returns {Record<string, string | undefined>}
 */
function filterOf(query) {
  return { operation: query.get("operation") ?? undefined, taskId: query.get("taskId") ?? undefined };
}

/**
 * @param {Record<string, string | undefined>} filter
 * @param {readonly string[]} operations
 */
function filterForm(filter, operations) {
  return h(
    "form",
    {
      role: "search",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        location.hash = linkTo(["requests"], {
          operation: String(form.get("operation")),
          taskId: String(form.get("taskId")).trim(),
        });
      },
    },
    h(
      "label",
      {},
      "Operation ",
      h(
        "select",
        { name: "operation", value: filter.operation ?? "" },
        h("option", { value: "" }, "any"),
        [...operations, "unknown"].map((name) => h("option", { value: name }, name)),
      ),
    ),
    h("label", {}, "Task ", h("input", { name: "taskId", value: filter.taskId ?? "" })),
    h("button", {}, "Filter"),
  );
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
        ["Took effect", rest.tookEffect ? "yes" : "no"],
        ["requestId", rest.requestId],
        ["Credential", rest.credential],
        ["Content type", h("bdi", {}, rest.contentType ?? "none")],
        ["User agent", h("bdi", {}, rest.userAgent ?? "none")],
        ["Connection", String(rest.socket)],
      ]),
      h("h2", {}, "Query"),
      jsonText(query, "The query"),
      h("h2", {}, "Body"),
      jsonText(body, "The body"),
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
  if (text === undefined) return [h("p", { class: "empty" }, "The journal has only the length of a long list.")];
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
    h("p", { class: "actions" }, h("button", { type: "button", onclick: copy }, "Copy as curl")),
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
