import { ApiError, request } from "./api.mjs";

/**
 * An event of the emulator: what changed, and the ids of what changed. Without ids, anything of this kind can have changed.
 *
 * @typedef {{ type: string, data: { taskId?: string, lotNo?: string } }} Change
 */

const longestPause = 5_000;

/**
 * Reads the events until the page closes. `fetch` instead of EventSource, because it can send the token. A hidden page reads none: a browser has
 * few connections to one address, and another page may need this one.
 *
 * @param {{ onChange(change: Change): void, onConnected(): void, onLost(error: unknown): void }} listener
 */
export async function readEvents(listener) {
  let pause = 250;
  for (;;) {
    await untilVisible();
    const connection = new AbortController();
    const onVisibility = () => {
      if (document.hidden) connection.abort();
    };
    document.addEventListener("visibilitychange", onVisibility);
    try {
      const init = { headers: { accept: "text/event-stream" }, signal: connection.signal };
      const response = await request("events", init);
      listener.onConnected();
      pause = 250;
      await readStream(response, listener.onChange);
      listener.onLost(undefined);
    } catch (error) {
      listener.onLost(error);
      // The page loads again when the user has entered a token.
      if (error instanceof ApiError && error.status === 401) return;
    } finally {
      document.removeEventListener("visibilitychange", onVisibility);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, longestPause);
  }
}

async function untilVisible() {
  while (document.hidden) {
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  }
}

/**
 * @param {Response} response
 * @param {(change: Change) => void} onChange
 */
async function readStream(response, onChange) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const change = parseEvent(block);
      if (change !== undefined) onChange(change);
    }
  }
}

/**
 * @param {string} block
 * @returns {Change | undefined} undefined for a comment
 */
function parseEvent(block) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const type = fields.get("event");
  return type === undefined ? undefined : { type, data: JSON.parse(fields.get("data") ?? "{}") };
}
