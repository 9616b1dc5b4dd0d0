import { lookup } from "node:dns/promises";

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
  const ends = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  try {
    const response = followRedirects(url, options, ends, check).then((last) => read(last.url, last.response));
    // A body that cannot be decoded may end neither the read nor its cancellation, so nothing relies on either.
    return await Promise.race([response, aborted(ends)]);
  } catch (error) {
    throw error instanceof PageError ? error : new PageError(reasonOf(error, options), true);
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
    const allowed = await checkUrl(target, options);
    if (redirects > 0) await check(allowed.href);
    const headers = { accept: "text/html", "user-agent": userAgent };
    const response = await fetch(allowed, { redirect: "manual", signal, headers });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return { url: allowed.href, response };
    discard(response);
    target = new URL(location, allowed).href;
  }
  throw new PageError(`more than ${mostRedirects} redirects`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function reasonOf(error: unknown, { timeoutMs }: PageOptions): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no complete response within ${timeoutMs} ms`;
  // fetch puts the reason into `cause`.
  const cause = error.cause instanceof Error ? error.cause : error;
  return `could not be fetched (${"code" in cause ? String(cause.code) : cause.message})`;
}

/** Ends a response whose body is not needed. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

async function checkUrl(text: string, { allowRemotePages }: PageOptions): Promise<URL> {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new PageError("not an absolute URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new PageError("only http and https can be opened");
  if (!allowRemotePages && !(await isThisMachine(url.hostname))) {
    throw new PageError(`${url.hostname} is outside of this machine; remote pages are not allowed`);
  }
  return url;
}

/** A name below localhost counts only if every address of it is a loopback address: a resolver can send it anywhere. */
async function isThisMachine(host: string): Promise<boolean> {
  if (host !== "localhost" && !host.endsWith(".localhost")) return isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address }) => isLoopback(address));
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

async function readPage(url: string, response: Response): Promise<FetchedPage> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) {
    discard(response);
    const passes = [408, 425, 429].includes(response.status) || response.status >= 500;
    throw new PageError(`status ${response.status}`, passes, retryAfterMs(response));
  }
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    discard(response);
    throw new PageError(`not a page: ${type === "" ? "no content type" : type}`);
  }
  return { url, bytes: await readBody(response), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}

/** Retry-After is a number of seconds or a date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function readBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
