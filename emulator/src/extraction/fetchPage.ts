import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { ByteBlocks } from "../http/body";
import { closedPorts } from "./loading/closedPorts";
import { decodedBody, PageRequests } from "./loading/httpGet";
import { parsedUrl } from "./parsedUrl";

/** Options for fetching the pages of a run. */
export interface PageOptions {
  /** Whether pages, links and redirects outside of this machine are allowed. */
  allowRemotePages: boolean;
  /** Timeout of loading one page with its redirects, in milliseconds. */
  timeoutMs: number;
}

/** A page before it is parsed. */
export interface FetchedPage {
  /** The URL after redirects. */
  url: string;
  bytes: Buffer;
  /** From the Content-Type header. The page can declare another one. */
  charset: string | undefined;
}

/** The name of the emulator in its requests, and in robots.txt. */
export const userAgent = "webextract-emulator";

/** Statuses of a redirect to another page. */
const redirects = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 5;
const mostBytes = 10 * 1024 * 1024;

/** A page that could not be loaded. The message is the reason, without content of the page. */
export class PageError extends Error {
  /** Whether a retry can succeed. */
  readonly passes: boolean;
  /** When the site wants the retry, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, passes = false, retryAfterMs?: number) {
    super(message);
    this.passes = passes;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * @param check is called with the target of each redirect, and can refuse it.
 * @throws PageError
 */
export function fetchPage(
  url: string,
  options: PageOptions,
  signal: AbortSignal,
  check: (url: string) => Promise<unknown> = async () => undefined,
): Promise<FetchedPage> {
  return fetchWith(readPage, url, options, signal, check);
}

/** Loads a text file of a site, such as robots.txt, with any status. @throws PageError */
export function fetchText(
  url: string,
  options: PageOptions,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const read = async (_url: string, response: IncomingMessage) => ({
    status: response.statusCode ?? 0,
    text: (await readBody(response)).toString("utf8"),
  });
  return fetchWith(read, url, options, signal, async () => undefined);
}

async function fetchWith<T>(
  read: (url: string, response: IncomingMessage) => Promise<T>,
  url: string,
  options: PageOptions,
  signal: AbortSignal,
  check: (url: string) => Promise<unknown>,
): Promise<T> {
  signal.throwIfAborted();
  const requests = new PageRequests();
  const stop = () => requests.end(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const { timeoutMs } = options;
  const timer = setTimeout(() => {
    requests.end(new PageError(`no complete response within ${timeoutMs} ms`, true));
  }, timeoutMs);
  try {
    const response = followRedirects(url, options, requests, check).then((last) => read(last.url, last.response));
    // Neither the lookup of an address nor the check of a redirect ends with the requests.
    return await Promise.race([response, requests.ended]);
  } catch (error) {
    requests.end(error);
    throw error instanceof PageError ? error : new PageError(reasonOf(error), true);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function followRedirects(
  url: string,
  options: PageOptions,
  requests: PageRequests,
  check: (url: string) => Promise<unknown>,
): Promise<{ url: string; response: IncomingMessage }> {
  let target = url;
  for (let count = 0; count <= mostRedirects; count += 1) {
    const allowed = checkUrl(target, options);
    await checkAddresses(allowed, options);
    if (count > 0) await check(allowed.href);
    const response = await requests.get(allowed, { accept: "text/html", "user-agent": userAgent });
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
export function checkUrl(text: string, { allowRemotePages }: PageOptions): URL {
  const url = parsedUrl(text);
  if (url === undefined) throw new PageError("not an absolute URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new PageError("only http and https can be opened");
  // The error of fetch would quote them.
  if (url.username !== "" || url.password !== "") {
    throw new PageError("a URL with a user name or a password cannot be opened");
  }
  if (closedPorts.has(Number(url.port))) throw new PageError(`no page is opened on port ${url.port}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!allowRemotePages && !isLoopback(host) && !isLocalName(host)) throw outside(url);
  return url;
}

/** A name below localhost counts only if every address of it is a loopback address: a resolver can send it anywhere. */
async function checkAddresses(url: URL, { allowRemotePages }: PageOptions): Promise<void> {
  if (allowRemotePages || !isLocalName(url.hostname)) return;
  const addresses = await lookup(url.hostname, { all: true });
  if (!addresses.every(({ address }) => isLoopback(address))) throw outside(url);
}

function outside({ hostname }: URL): PageError {
  return new PageError(`${hostname} is outside of this machine; remote pages are not allowed`);
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
    throw new PageError(`status ${status}`, mayPass(status), retryAfterMs(headers["retry-after"]));
  }
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    throw new PageError(`not a page: ${type === "" ? "no content type" : type}`);
  }
  return { url, bytes: await readBody(response), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}

/** Whether a retry after this status can succeed. */
export function mayPass(status: number): boolean {
  return [408, 425, 429].includes(status) || status >= 500;
}

/** Retry-After is a number of seconds or a date. */
function retryAfterMs(value = ""): number | undefined {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  if (Number(response.headers["content-length"]) > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
  const content = new ByteBlocks();
  for await (const chunk of decodedBody(response) as AsyncIterable<Buffer>) {
    content.add(chunk);
    if (content.length > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
  }
  return content.toBuffer();
}
