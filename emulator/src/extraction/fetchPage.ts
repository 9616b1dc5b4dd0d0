import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { closedPorts } from "./loading/closedPorts";
import { PageRequests } from "./loading/httpGet";
import { parsedUrl } from "./parsedUrl";

/** A page before it is parsed. */
export interface FetchedPage {
  /** The URL after redirects. */
  url: string;
  bytes: Buffer;
  /** From the Content-Type header. The page can declare another one. */
  charset: string | undefined;
}

/** Statuses of a redirect to another page. */
const redirects = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 5;
const mostBytes = 10 * 1024 * 1024;

/** A page that could not be loaded. The message is the reason, without content of the page. */
export class PageError extends Error {}

/**
 * @param timeoutMs for the page with its redirects.
 * @throws PageError
 */
export async function fetchPage(url: string, timeoutMs: number, signal: AbortSignal): Promise<FetchedPage> {
  signal.throwIfAborted();
  const requests = new PageRequests();
  const stop = () => requests.end(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => requests.end(noResponseWithin(timeoutMs)), timeoutMs);
  try {
    const page = followRedirects(url, requests).then((last) => readPage(last.url, last.response));
    // The lookup of an address does not end with the requests.
    return await Promise.race([page, requests.ended]);
  } catch (error) {
    requests.end(error);
    throw error instanceof PageError ? error : new PageError(reasonOf(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

export function noResponseWithin(timeoutMs: number): PageError {
  return new PageError(`no complete response within ${timeoutMs} ms`);
}

async function followRedirects(
  url: string,
  requests: PageRequests,
): Promise<{ url: string; response: IncomingMessage }> {
  let target = url;
  for (let count = 0; count <= mostRedirects; count += 1) {
    const allowed = checkUrl(target);
    await checkAddresses(allowed);
    const response = await requests.get(allowed, { accept: "text/html", "user-agent": "webextract-emulator" });
    const { statusCode = 0, headers } = response;
    if (!redirects.has(statusCode) || headers.location === undefined) return { url: allowed.href, response };
    // Its body is not needed.
    response.destroy();
    // Browsers read the bytes as UTF-8.
    const location = Buffer.from(headers.location, "latin1").toString("utf8");
    const next = parsedUrl(location, allowed.href);
    if (next === undefined) throw new PageError("redirected to an address that is not a URL");
    target = next.href;
  }
  throw new PageError(`more than ${mostRedirects} redirects`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `could not be fetched (${"code" in error ? String(error.code) : error.message})`;
}

/** @throws PageError if the URL may not be opened, whatever the resolver says. */
export function checkUrl(text: string): URL {
  const url = parsedUrl(text);
  if (url === undefined) throw new PageError("not an absolute URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new PageError("only http and https can be opened");
  // The error of fetch would quote them.
  if (url.username !== "" || url.password !== "") {
    throw new PageError("a URL with a user name or a password cannot be opened");
  }
  if (closedPorts.has(Number(url.port))) throw new PageError(`no page is opened on port ${url.port}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!isLoopback(host) && !isLocalName(host)) throw outside(url);
  return url;
}

/** A name below localhost counts only if every address of it is a loopback address: a resolver can send it anywhere. */
async function checkAddresses(url: URL): Promise<void> {
  if (!isLocalName(url.hostname)) return;
  const addresses = await lookup(url.hostname, { all: true });
  if (!addresses.every(({ address }) => isLoopback(address))) throw outside(url);
}

function outside({ hostname }: URL): PageError {
  return new PageError(`${hostname} is outside of this machine; serve a copy of its pages with --site`);
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

async function readPage(url: string, response: IncomingMessage): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response;
  const type = headers["content-type"] ?? "";
  if (status < 200 || status >= 300) {
    throw new PageError(`status ${status}`);
  }
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    throw new PageError(`not a page: ${type === "" ? "no content type" : type}`);
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new PageError(`compressed with ${encoding}, although the request asked for it as it is`);
  }
  return { url, bytes: await readBody(response), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  if (Number(response.headers["content-length"]) > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
