/** Requests to the admin API of the emulator that serves this page. */

const tokenKey = "webextract-emulator-token";

/** The page is at `/__emulator/` or `/__emulator/accounts/NAME/`, possibly below the path of a proxy. */
const base = new URL(".", document.baseURI);
const parts = /^(.*)\/__emulator\/(?:accounts\/([^/]+)\/)?$/.exec(base.href);

/** The address of the service, without a slash at its end. */
export const serviceUrl = parts?.[1] ?? "";

/** The account whose page this is; undefined for the one that exists from the start. */
export const account = parts?.[2];

/** A response with an error status. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(tokenKey, token);
}

/**
 * @param {string} path below `/__emulator/`
 * @param {RequestInit} [init]
 * @returns {Promise<Response>} a response with a status of success
 * @throws ApiError, or TypeError if there is no connection
 */
export async function request(path, init = {}) {
  const token = sessionStorage.getItem(tokenKey);
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  // With a dot, because `tokens:expire` alone would be an address of its own.
  const response = await fetch(new URL(`./${path}`, base), { ...init, headers, cache: "no-store", redirect: "error" });
  if (!response.ok) throw new ApiError(response.status, messageIn(await response.text(), response.status));
  return response;
}

/**
 * @param {string} path
 * @param {Record<string, string | number | undefined>} [query] values that are undefined or empty are left out
 * @param {AbortSignal} [signal]
 */
export async function read(path, query = {}, signal) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  const response = await request(search === "" ? path : `${path}?${search}`, { signal });
  return parseExactly(await response.text());
}

/**
 * @param {"PUT" | "POST" | "DELETE"} method
 * @param {string} path
 * @param {unknown} [body] a value, or a file with its type
 * @returns {Promise<any>} the content of the response; an empty object if there is none
 */
export async function send(method, path, body) {
  // Also without a body: a page of another site cannot send these types.
  const headers = { "content-type": body instanceof Blob ? body.type : "application/json" };
  const response = await request(path, { method, headers, body: body instanceof Blob ? body : JSON.stringify(body) });
  const text = await response.text();
  return text === "" ? {} : JSON.parse(text);
}

/**
 * The file of a form, as a body of this type. The browser's own type depends on the name of the file.
 *
 * @param {FormData} fields
 * @param {string} type
 */
export function fileOf(fields, type) {
  return new Blob([fields.get("file") ?? ""], { type });
}

/**
 * Parses JSON. A number that JavaScript would change, such as 1.10 or one of 20 digits, becomes its text if the browser tells it.
 *
 * @param {string} text
 */
function parseExactly(text) {
  /** @type {any} */
  const reviver = (
    /** @type {string} */ _key,
    /** @type {unknown} */ value,
    /** @type {{ source?: string }} */ context,
  ) =>
    typeof value === "number" && context?.source !== undefined && context.source !== String(value)
      ? context.source
      : value;
  return JSON.parse(text, reviver);
}

/**
 * @param {string} text
 * @param {number} status
 */
function messageIn(text, status) {
  try {
    const message = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : `status ${status}`;
  } catch {
    return `status ${status}`;
  }
}
