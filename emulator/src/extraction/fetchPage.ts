import { lookup } from "node:dns/promises";
import { ByteBlocks } from "../http/body";
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
  const read = async (_url: string, response: Response) => ({
    status: response.status,
    text: (await readBody(response)).toString("utf8"),
  });
  return fetchWith(read, url, options, signal, async () => undefined);
}

async function fetchWith<T>(
  read: (url: string, response: Response) => Promise<T>,
  url: string,
  options: PageOptions,
  signal: AbortSignal,
  check: (url: string) => Promise<unknown>,
): Promise<T> {
  signal.throwIfAborted();
  const end = new AbortController();
  const stop = () => end.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const { timeoutMs } = options;
  // Not AbortSignal.timeout: Node.js 20 can collect that signal while a request waits, and its timer with it.
  const timer = setTimeout(() => {
    end.abort(new PageError(`no complete response within ${timeoutMs} ms`, true));
  }, timeoutMs);
  try {
    const response = followRedirects(url, options, end.signal, check).then((last) => read(last.url, last.response));
    // A body that cannot be decoded may end neither the read nor its cancellation, so nothing relies on either.
    return await Promise.race([response, aborted(end.signal)]);
  } catch (error) {
    // Closes the connection of a response that is not read to its end.
    end.abort(error);
    throw error instanceof PageError ? error : new PageError(reasonOf(error), true);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function followRedirects(
  url: string,
  options: PageOptions,
  signal: AbortSignal,
  check: (url: string) => Promise<unknown>,
): Promise<{ url: string; response: Response }> {
  let target = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const allowed = checkUrl(target, options);
    await checkAddresses(allowed, options);
    if (redirects > 0) await check(allowed.href);
    const headers = { accept: "text/html", "user-agent": userAgent };
    const response = await fetch(allowed, { redirect: "manual", signal, headers });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return { url: allowed.href, response };
    discard(response);
    const next = parsedUrl(location, allowed.href);
    if (next === undefined) throw new PageError("redirected to an address that is not a URL");
    target = next.href;
  }
  throw new PageError(`more than ${mostRedirects} redirects`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch puts the reason into `cause`.
  const cause = error.cause instanceof Error ? error.cause : error;
  return `could not be fetched (${"code" in cause ? String(cause.code) : cause.message})`;
}

/** Ends a response whose body is not needed. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
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

async function readPage(url: string, response: Response): Promise<FetchedPage> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) {
    discard(response);
    throw new PageError(`status ${response.status}`, mayPass(response.status), retryAfterMs(response));
  }
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    discard(response);
    throw new PageError(`not a page: ${type === "" ? "no content type" : type}`);
  }
  return { url, bytes: await readBody(response), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}

/** Whether a retry after this status can succeed. */
export function mayPass(status: number): boolean {
  return [408, 425, 429].includes(status) || status >= 500;
}

/** Retry-After is a number of seconds or a date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function readBody(response: Response): Promise<Buffer> {
  const content = new ByteBlocks();
  for await (const chunk of response.body ?? []) {
    content.add(chunk);
    if (content.length > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
  }
  return content.toBuffer();
}
