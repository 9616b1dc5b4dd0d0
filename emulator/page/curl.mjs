/**
 * A request of the journal as a command of a shell. The journal has no credentials, so the command reads them from the environment.
 */

import { serviceUrl } from "./api.mjs";
import { encoded } from "./route.mjs";

/** @type {Record<string, readonly string[]>} */
const credentials = {
  none: [],
  bearer: ["authorization: Bearer $WEBEXTRACT_ACCESS_TOKEN"],
  apiKey: ["x-api-key: $WEBEXTRACT_API_KEY"],
  both: ["authorization: Bearer $WEBEXTRACT_ACCESS_TOKEN", "x-api-key: $WEBEXTRACT_API_KEY"],
};

/** What the journal has in the place of a refresh token. */
const removedToken = '"refresh_token":"[secret]"';

/**
 * @param {any} request an entry of the journal
 * @returns {string | undefined} undefined if the journal does not have the whole body
 */
export function curlOf({ method, path, query, body, bodyLeftOut, credential, contentType }) {
  if (bodyLeftOut) return undefined;
  const search = new URLSearchParams(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]));
  // curl would read brackets as a pattern of several addresses.
  const target = ascii(path).replace(/[[\]{}]/g, encodeURIComponent) + (search.size === 0 ? "" : `?${search}`);
  const upload = typeof body?.file === "object" && body.file !== null;
  const parts = [`curl ${method === "HEAD" ? "--head" : `-X ${method}`} ${quoted(serviceUrl + target)}`];
  for (const header of credentials[credential] ?? []) parts.push(`-H "${header}"`);
  if (upload) {
    parts.push(`--form-string ${quoted(`taskId=${body.taskId ?? ""}`)}`, `-F ${quoted("file=@urls.txt")}`);
  } else if (body !== undefined && body !== null) {
    const text = ascii(JSON.stringify(body), (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (/\{"length":\d+\}/.test(text)) return undefined;
    parts.push(
      `-H ${quoted(`content-type: ${ascii(contentType ?? "application/json")}`)}`,
      `--data-raw ${quoted(text).replace(removedToken, `"refresh_token":"'"$WEBEXTRACT_REFRESH_TOKEN"'"`)}`,
    );
  }
  return parts.join(" \\\n  ");
}

/**
 * Only printable characters of ASCII: others could look like another command in a terminal.
 *
 * @param {string} text
 * @param {(letter: string) => string} [replace] by default, the encoding of an address
 */
function ascii(text, replace = encoded) {
  return text.replace(/[^ -~]/g, replace);
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
