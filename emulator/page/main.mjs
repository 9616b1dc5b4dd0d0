import { ApiError, account, keepToken, read, send } from "./api.mjs";
import { h, patch, visible } from "./dom.mjs";
import { readEvents } from "./events.mjs";
import { withFields } from "./forms.mjs";
import { parseRoute } from "./route.mjs";
import { request, requests } from "./views/requests.mjs";
import { row, rows } from "./views/rows.mjs";
import { run } from "./views/run.mjs";
import { runs } from "./views/runs.mjs";
import { settings } from "./views/settings.mjs";
import { task } from "./views/task.mjs";
import { tasks } from "./views/tasks.mjs";

/** @import { Child } from "./dom.mjs" */
/** @import { Change } from "./events.mjs" */
/** @import { Route } from "./route.mjs" */

/**
 * What a view reads with.
 *
 * @typedef {{
 *   route: Route,
 *   read(path: string, query?: Record<string, string | number | undefined>): Promise<any>,
 *   options(): Promise<any>,
 * }} Source
 *
 * What a view acts with: `act` sends a change, says what it did and resolves with the response, or with undefined if that did not work;
 * `attempt` does the same for any other work; `reload` reads the view again.
 * @typedef {{
 *   act(method: "PUT" | "POST" | "DELETE", path: string, body: unknown, done: string): Promise<any>,
 *   attempt<T>(work: () => Promise<T>, done: string): Promise<T | undefined>,
 *   reload(): void,
 * }} Tools
 *
 * A view: its title, the events after which it reads its data again, its data, and its elements.
 * @typedef {{
 *   title(route: Route): string,
 *   concerns(change: Change, route: Route): boolean,
 *   load(source: Source): Promise<any>,
 *   render(data: any, route: Route, tools: Tools): Child[],
 * }} View
 */

/** An update of the same view waits this long, so that many events cost one request. */
const pauseBetweenUpdates = 400;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const connection = /** @type {HTMLElement} */ (document.getElementById("connection"));
const announcement = /** @type {HTMLElement} */ (document.getElementById("announcement"));

/** @type {{ hash: string, updating: boolean, stale: boolean, controller: AbortController }} */
const state = { hash: "", updating: false, stale: false, controller: new AbortController() };

/** @type {Promise<any> | undefined} */
let knownOptions;

/** The names and values that do not change while the emulator runs. */
function options() {
  knownOptions ??= read("options").catch((error) => {
    knownOptions = undefined;
    throw error;
  });
  return knownOptions;
}

/**
 * @param {readonly string[]} path
 * @returns {View | undefined}
 */
function viewOf([name = "tasks", id, part, number]) {
  switch (name) {
    case "tasks":
      return id === undefined ? tasks : task;
    case "runs":
      if (id === undefined) return runs;
      if (part === undefined) return run;
      return part !== "rows" ? undefined : number === undefined ? rows : row;
    case "requests":
      return id === undefined ? requests : request;
    case "settings":
      return settings;
    default:
      return undefined;
  }
}

/** @type {Tools} */
const tools = {
  act: (method, path, body, done) => tools.attempt(() => send(method, path, body), done),
  async attempt(work, done) {
    try {
      const result = await work();
      announce(done);
      return result;
    } catch (error) {
      if (!needsToken(error)) announce(`That did not work: ${messageOf(error)}`);
      return undefined;
    } finally {
      // Not awaited: while events arrive, updates have no end.
      tools.reload();
    }
  },
  reload: () => void update(),
};

/** Shows the view of the address. */
async function navigate() {
  const isFirst = state.hash === "";
  state.hash = location.hash || "#/tasks";
  // The response for the previous view is not needed any more.
  state.controller.abort();
  state.controller = new AbortController();
  // The new view reads everything now.
  state.stale = false;
  announce("");
  markNavigation();
  await show(state.controller.signal);
  if (!isFirst) main.querySelector("h1")?.focus();
}

/** Reads the view again. An event during an update causes one more. */
async function update() {
  if (state.updating) {
    state.stale = true;
    return;
  }
  state.updating = true;
  do {
    state.stale = false;
    await show(state.controller.signal);
    await new Promise((resolve) => setTimeout(resolve, pauseBetweenUpdates));
  } while (state.stale);
  state.updating = false;
}

/** @param {AbortSignal} signal */
async function show(signal) {
  const route = parseRoute(state.hash);
  const view = viewOf(route.path);
  const title = view?.title(route) ?? "There is no such view";
  try {
    const data = await view?.load({ route, options, read: (path, query) => read(path, query, signal) });
    if (signal.aborted) return;
    render(title, view?.render(data, route, tools) ?? [h("p", {}, h("a", { href: "#/tasks" }, "Tasks"))]);
  } catch (error) {
    if (signal.aborted || needsToken(error)) return;
    // Without a connection, the last content stays: the status says that it is old.
    if (error instanceof ApiError) render(title, [h("p", { class: "problem" }, messageOf(error))]);
    else if (main.querySelector("h1") === null)
      render(title, [h("p", { class: "problem" }, "The emulator does not respond.")]);
  }
}

/**
 * @param {string} title
 * @param {readonly Child[]} content
 */
function render(title, content) {
  document.title = `${visible(title)} – webextract-emulator`;
  const fresh = h("main", {}, h("h1", { tabindex: -1 }, h("bdi", {}, title)), content);
  const isSameView = main.dataset.hash === state.hash;
  main.dataset.hash = state.hash;
  if (isSameView) {
    const hadFocus = main.contains(document.activeElement);
    patch(main, fresh);
    // The button that the user pressed can have gone with its row.
    if (hadFocus && !main.contains(document.activeElement)) main.querySelector("h1")?.focus();
  } else {
    main.replaceChildren(...fresh.childNodes);
    scrollTo(0, 0);
  }
  main.setAttribute("aria-busy", "false");
}

function markNavigation() {
  const [name = "tasks"] = parseRoute(state.hash).path;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** @param {unknown} error */
function needsToken(error) {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  if (main.querySelector("#token") !== null) return true;
  main.dataset.hash = "";
  render("Token of the emulator", [
    h(
      "p",
      {},
      "The emulator does not listen on loopback, so this page needs its admin token. The emulator prints it when it starts.",
    ),
    h(
      "form",
      {
        id: "token",
        onsubmit: withFields((fields) => {
          keepToken(String(fields.get("token")).trim());
          // The page asks again if the token is wrong.
          location.reload();
        }),
      },
      h("label", {}, "Token ", h("input", { type: "password", name: "token", required: true, autocomplete: "off" })),
      h("button", {}, "Continue"),
    ),
    sessionStorage.length > 0 && h("p", { class: "problem" }, messageOf(error)),
  ]);
  return true;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} text */
function announce(text) {
  announcement.textContent = visible(text);
}

/**
 * @param {string} text
 * @param {"live" | "lost"} kind
 */
function showConnection(text, kind) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.className = `connection ${kind}`;
}

if (account !== undefined) document.getElementById("account")?.append("/ ", h("bdi", {}, account));
addEventListener("hashchange", () => void navigate());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  // The address of the view must stay.
  event.preventDefault();
  main.focus();
});

await navigate();
let wasConnected = false;
void readEvents({
  onConnected() {
    showConnection("Live", "live");
    // Events may have been missed.
    if (wasConnected) void update();
    wasConnected = true;
  },
  onLost(error) {
    if (document.hidden) showConnection("Paused", "lost");
    else if (error instanceof ApiError && error.status === 401) showConnection("No token", "lost");
    else showConnection("No connection. Trying again.", "lost");
  },
  onChange(change) {
    const route = parseRoute(state.hash);
    if (viewOf(route.path)?.concerns(change, route)) void update();
  },
});
