/**
 * The views have addresses such as `#/runs/638999/rows?offset=50`, so that they can be linked and Back works.
 *
 * @typedef {{ path: readonly string[], query: URLSearchParams }} Route
 */

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
  const [path = "", query = ""] = hash.replace("#/", "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/**
 * @param {readonly string[]} path
 * @param {Record<string, string | number | undefined>} [query] values that are undefined, empty or 0 are left out
 */
export function linkTo(path, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encoded).join("/")}${text === "" ? "" : `?${text}`}`;
}

/**
 * A path of the admin API. A single surrogate cannot be encoded.
 *
 * @param {string} part
 */
export function encoded(part) {
  return encodeURIComponent(wellFormed(part));
}

/** @param {string} text */
function wellFormed(text) {
  return [...text].map((letter) => (/^[\ud800-\udfff]$/.test(letter) ? "\ufffd" : letter)).join("");
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * A number of the query that is at least 0.
 *
 * @param {Route} route
 * @param {string} name
 */
export function numberOf({ query }, name) {
  const value = Number(query.get(name) ?? 0);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
